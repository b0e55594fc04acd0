// What is typed at every terminal, in this order, on a sandbox and a desk of its own.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StepOptions } from './session.js';

export interface Step extends StepOptions {
  words: string[];
}

type Words = string | string[];

const split = (words: Words): string[] => (typeof words === 'string' ? words.split(' ') : words);
const type = (words: Words, options: StepOptions = {}): Step => ({ words: split(words), ...options });

const LONG =
  'The parcel was lost on its way between two depots, and the customer has asked for the money three times.';

const failing = `name: ${LONG}
steps:
  - create: { amount: 10, currency: EUR, customer: c_1 }
    as: order
  - pay: { payment: \${order}, card: declined }
    expect:
      state: Captured
      all-webhooks: [Created, Authorised, Capturing, Captured, Refunding, Refunded]
      verdict: ${LONG}
  - refund: { payment: \${order} }
`;

/** Files that steps read, in the folder of the session. */
export function writeFiles(folder: string): void {
  const rows = ['seed-captured,49.90', 'seed-refunded,22.00', 'stuck-not-there,1.00', 'inv-1,999.00'];
  writeFileSync(join(folder, 'refunds.csv'), `payment,amount\n${rows.join('\n')}\n`);
  writeFileSync(join(folder, 'good.csv'), 'payment,amount\nwide-1,10.00\n');
  writeFileSync(
    join(folder, 'orders.csv'),
    'reference,order,email\nseed-captured,W-1,ana@example.org\nnobody,W-2,\n',
  );
  writeFileSync(join(folder, 'bad.csv'), 'payment,payment\nx,y\n');
  writeFileSync(
    join(folder, 'payouts.csv'),
    'date,type,amount,currency,provider reference,reference\n2019-01-01,payout,-5.00,EUR,,\n',
  );
  writeFileSync(
    join(folder, 'settlement.csv'),
    'date,type,amount,currency,provider reference,reference\n' +
      `2026-11-14,capture,49.90,EUR,${'ref_0123456789'.repeat(3)},nobody\n2026-11-14,payout,-5.00,EUR,,\n`,
  );
  writeFileSync(join(folder, 'bad.json'), '{}');
  writeFileSync(join(folder, 'references.txt'), 'stuck-expiring\n');
  writeFileSync(join(folder, 'failing.yaml'), failing);
  writeFileSync(join(folder, 'mistaken.yaml'), 'name: no steps\nstep: []\n');
}

const create = (reference: string, more: Words = []) => [
  ...split(
    'payments create --amount 10 --currency EUR --customer c_1 --return-url https://shop.example/thanks',
  ),
  '--reference',
  reference,
  ...split(more),
];

const start = 'sandbox start --memory --seed 7 --port 0';

const sandboxSteps: Step[] = [
  type(`${start} --detach`),
  type(`${start} --no-profiles`, { until: 'Ctrl-C' }),
  type('sandbox start --port 70000'),
  type('sandbox seed'),
  type('sandbox seed'),
  type('sandbox status'),
  type('sandbox status --port 1'),
  type('sandbox apps'),
  type('sandbox apps list'),
  type('sandbox apps set {app} --webhook-url http://127.0.0.1:9/hooks'),
  type(['sandbox', 'apps', 'create', 'A shop with a name that is rather long']),
  type('sandbox clock'),
  type('sandbox clock show'),
  type('sandbox clock advance 1s'),
  type('sandbox clock advance never'),
  type('sandbox clock stop'),
  type('sandbox clock set 2031-01-01T00:00:00Z --port 1'),
  type('sandbox clock set 2001-01-01T00:00:00Z'),
  type('sandbox clock resume'),
  type('sandbox fault'),
  type('sandbox fault add latency --route capturePayment --next 1 --delay 1ms'),
  type('sandbox fault add stale-read --probability 0.001'),
  type('sandbox fault add nonsense'),
  type('sandbox fault list'),
  type('sandbox fault clear 99'),
  type('sandbox fault clear'),
];

const paymentSteps: Step[] = [
  type(create('inv-1', '--no-auto-capture --register-auto-payment --webhook-url {receiver}')),
  type(create('inv-1', '--description other')),
  // However fast the steps are typed, the next payment is never made "at the same time".
  type('sandbox clock advance 2s'),
  type([...create('wide-1'), '--description', LONG]),
  type(create('dry-1', '--dry-run')),
  type('payments create', { answers: [{ at: 'Amount', type: '\u0003' }] }),
  type('payments create --amount 1e3 --currency EURO --no-input'),
  type('sandbox pay inv-1 --card approved'),
  type('sandbox pay wide-1 --card approved'),
  type('sandbox pay nobody'),
  type('sandbox books inv-1'),
  type('sandbox books nobody'),
  type('sandbox provider seed-processing confirm'),
  type('sandbox provider inv-1 confirm'),
  type('sandbox resend nobody'),
  type('sandbox resend inv-1'),
  type('payments get inv-1'),
  type('payments get inv-1 seed-captured seed-held'),
  type('payments get nobody'),
  type('payments explain inv-1'),
  ...['held', 'declined', 'expired', 'refunding', 'action-required'].map((name) =>
    type(`payments explain seed-${name}`),
  ),
  ...['charged', 'refund-failed', 'expiring'].map((name) => type(`payments explain stuck-${name}`)),
  type('payments explain stuck-charged --as-reply'),
  type('payments explain inv-1 seed-captured stuck-charged nobody'),
  type('payments explain nobody'),
  type(['payments', 'capture', 'inv-1', '--wait', '--reason', LONG, '--ticket', 'SUP-2041']),
  type('payments capture inv-1'),
  type('payments capture nobody'),
  type('payments refund inv-1 --dry-run'),
  type(['payments', 'refund', 'inv-1', '--wait', '--description', LONG]),
  type('payments refund stuck-refund-failed seed-captured seed-created nobody'),
  type('payments refund seed-created'),
  type('payments cancel seed-authorised'),
  type('payments cancel seed-captured'),
  type('sandbox fault add provider-silent --route capture --next 1'),
  type('payments unhold seed-held'),
  type('payments unhold seed-created'),
  type('payments recheck stuck-charged'),
  type('payments recheck stuck-not-charged seed-refunded nobody'),
  type('payments recheck nobody'),
  type('payments charge --customer c_ben --amount 3.00 --reference charge-1'),
  type('payments charge --customer nobody --amount 3.00 --reference charge-2'),
  type('payments watch seed-refunded --until Refunded'),
  type('payments watch seed-refunded --until Captured'),
  type('payments watch seed-created --timeout 3s --interval 100ms'),
  type('payments list'),
  type('payments list --state Held --since 1h'),
  type('payments list --since yesterday'),
  type('payments import orders.csv'),
  type('payments import good.csv'),
  type('payments import bad.csv'),
  type('reconcile settlement.csv'),
  type('reconcile map settlement.csv --out northbank.yaml', {
    answers: [{ at: 'Write northbank.yaml?', type: '\r' }],
  }),
  type('reconcile map settlement.csv --out northbank.yaml'),
  type('reconcile settlement.csv --map northbank.yaml --plan refunds.plan.json'),
  type('reconcile payouts.csv --map northbank.yaml'),
  type('reconcile orders.csv --map northbank.yaml'),
  type('payments find seed', { answers: [{ at: 'Open a payment?', type: '\u0003' }] }),
  type('payments find held EUR', {
    answers: [
      { at: 'Open a payment?', type: '\r' },
      { at: 'What next', type: 'Quit\r' },
    ],
  }),
  type('payments find nobody --on yesterday'),
  type('payments find --on nonsense'),
  type('payments find'),
  type('payments resolve stuck-expiring', { answers: [{ at: 'navigate', type: '\u0003' }] }),
  type('payments resolve --file references.txt', { answers: [{ at: 'navigate', type: 'Quit\r' }] }),
  type('payments check seed-captured'),
  type('payments check nobody'),
  type('payments resolve nobody --no-input'),
  type('history'),
  type('history --since nonsense'),
];

const customerSteps: Step[] = [
  type(
    'customers create --customer c_new --first-name Ada --email ada@a-rather-long-name-of-a-host.example.org',
  ),
  type('customers create --customer c_new --first-name Bea'),
  type('customers update c_new --mobile +491701234567'),
  type('customers update nobody --mobile +491701234567'),
  type('customers get c_new'),
  type('customers get nobody'),
  type('customers list'),
  type('customers list --limit many'),
  type('customers find ada', { answers: [{ at: 'Open a customer?', type: '\u0003' }] }),
  type('customers find ben', {
    answers: [
      { at: 'Open a customer?', type: '\r' },
      { at: 'Open a payment?', type: 'Quit\r' },
    ],
  }),
  type('customers find nobody'),
  type('customers find'),
  type('customers methods c_ben'),
  type('customers methods nobody'),
  type('customers panel-link c_ben'),
  type('customers panel-link nobody'),
  type('customers stop-auto-payment c_ben 7001', { answers: [{ at: '(y/N)', type: 'y\r' }] }),
  type('customers stop-auto-payment nobody 7001'),
  type('customers remove-method c_ben 3001', { answers: [{ at: '(y/N)', type: 'y\r' }] }),
  type('customers remove-method nobody 3001'),
  type('customers forget c_ben', { answers: [{ at: '(y/N)', type: 'y\r' }] }),
  type('customers forget c_ben --no-input'),
];

const deskSteps: Step[] = [
  type('whoami'),
  type('whoami --profile nobody'),
  type('doctor'),
  type('doctor', {
    env: { PAYDESK_BASE_URL: 'http://127.0.0.1:9', PAYDESK_APP_ID: 'a', PAYDESK_API_KEY: 'k123' },
  }),
  type('payments get inv-1', {
    env: { PAYDESK_BASE_URL: 'http://127.0.0.1:9', PAYDESK_APP_ID: 'a', PAYDESK_API_KEY: 'k123' },
  }),
  type('ledger adopt'),
  type('ledger adopt', { env: { PAYDESK_DATABASE: 'nonsense' } }),
  type('api GET /payments/referenceId:inv-1', { exact: true }),
  type('api GET /payments/1'),
  type('profiles list'),
  type('profiles add shop --base-url https://pay.example --app-id 7f31c2 --sandbox', {
    answers: [{ at: 'key', type: 'sk_not_a_real_one\r' }],
  }),
  type('profiles show shop'),
  type('profiles show local'),
  type('profiles show nobody'),
  type('profiles add', { answers: [{ at: '?', type: '\u0003' }] }),
  type('profiles set shop --quiet-period 5m'),
  type('profiles set nobody --quiet-period 5m'),
  type('profiles alias local OnHold=Held'),
  type('profiles alias local OnHold=Nonsense'),
  type('profiles use local-live'),
  type('payments get seed-captured --profile local'),
  type('profiles use nobody'),
  type('profiles use local'),
  type('payments list --profile local-live'),
  type('payments refund 100001 --profile local-live --no-input'),
  type('profiles remove nobody'),
  type('completion bash', { exact: true }),
  type('completion nonsense'),
  type('completion words bash payments ge'),
  type('demo'),
];

const batchSteps: Step[] = [
  type('batch plan refunds.csv --action refund --out plan.json'),
  type('batch plan bad.csv --action refund'),
  type('batch plan good.csv --action refund --out good.json'),
  type('batch apply good.json'),
  type('batch apply plan.json'),
  type('batch apply nothing.json'),
  type('batch apply good.json'),
  type('batch status'),
  type('batch report {batch}'),
  type('batch resume {batch}'),
  type('batch status nobody'),
  type('batch resume nobody'),
  type('batch report nobody'),
];

const webhookSteps: Step[] = [
  type(create('hook-1', '--listen --port 0 --until Created')),
  type('webhook listen --port 0 --tunnel none', { until: '/wh/', stop: 'SIGTERM' }),
  type('webhook listen --port 0 --forward-to nonsense'),
  type('webhook events'),
  type('webhook events --since nonsense'),
  type('webhook show 1'),
  type('webhook replay 1 --to {receiver}'),
  type('webhook send inv-1 --to {receiver}'),
  type('webhook show 99'),
  type('webhook replay 99'),
  type('webhook send inv-1 --to http://127.0.0.1:9/hooks'),
];

const scenarioSteps: Step[] = [
  type('scenario run approved-card --seed 7'),
  type('scenario run failing.yaml approved-card'),
  type('scenario run mistaken.yaml'),
  type('scenario list'),
  type('scenario show approved-card', { exact: true }),
  type('scenario show nobody'),
  type('scenario record seed-captured', { exact: true }),
  type('scenario record nobody'),
  type('scenario new new.yaml --name refund --next refund', {
    answers: [{ at: 'Card', type: '\r' }],
    exact: true,
  }),
  type('scenario new new.yaml --name refund --no-input'),
];

const endSteps: Step[] = [
  type('sandbox clock set 2036-01-01T00:00:00Z'),
  type('sandbox settlement settlement.csv --defects missing,amount'),
  type('sandbox settlement --defects nonsense'),
  type('sandbox export all.json'),
  type('sandbox export /nowhere/all.json'),
  type('sandbox import all.json'),
  type('sandbox import bad.json'),
  type('sandbox reset --no-input'),
  type('sandbox reset', { answers: [{ at: 'Delete everything in it?', type: 'n\r' }] }),
  type('sandbox exec -- true'),
  type('sandbox exec -- no-such-program'),
  type('sandbox stop'),
  type('sandbox stop --port 1'),
  type('sandbox seed'),
  type('sandbox apps create Another'),
  type('sandbox apps set {app} --webhook-url nonsense'),
  type('payments get inv-1'),
  type('profiles remove local-live'),
  type('nonsense'),
  type('payments gte 1'),
];

export const steps: Step[] = [
  ...sandboxSteps,
  ...paymentSteps,
  ...customerSteps,
  ...deskSteps,
  ...batchSteps,
  ...webhookSteps,
  ...scenarioSteps,
  ...endSteps,
];
