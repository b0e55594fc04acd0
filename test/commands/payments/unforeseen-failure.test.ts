import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { deskAt, openTestDesk, type Ran, runTyped, type TestDesk } from '../../helpers/desk.js';
import { paydesk as paydeskProcess, type RunResult } from '../../helpers/run.js';
import { newReference } from '../../helpers/sandbox.js';

let first: TestDesk;
let desk: TestDesk;
beforeAll(async () => {
  first = await openTestDesk();
});
afterAll(() => first.sandbox.close());
beforeEach(async () => {
  desk = deskAt(first.sandbox);
  await paydesk('history');
  desk.requests();
});
afterEach(() => first.sandbox.control('DELETE', '/faults'));

const paydesk = (...args: string[]): Promise<Ran> => runTyped(args, { home: desk.home, env: desk.env });

function change(sql: string): void {
  const database = new DatabaseSync(join(desk.home, 'data', 'desk.db'));
  database.exec(sql);
  database.close();
}

/** The ledger refuses to write down how something ended, in a way that no code expects. */
const refuseOutcomes = () =>
  change(`create trigger unforeseen before insert on outcomes when new.outcome in ('done', 'accepted')
          begin select raise(abort, 'unforeseen'); end`);
const takeOutcomes = () => change('drop trigger unforeseen');

const sent = (end: string): number =>
  desk.requests().filter((line) => line.startsWith('POST ') && line.endsWith(end)).length;

it('a refund that cannot be recorded ends with 6, and the next run finds it out without sending', async () => {
  const payment = await desk.paid();
  const id = String(payment.paymentId);
  refuseOutcomes();
  const refunded = await paydesk('payments', 'refund', id, '--json');
  expect([refunded.code, refunded.json]).toMatchObject([
    6,
    {
      error: {
        code: 'outcome-not-recorded',
        message: expect.stringMatching(
          /ended as accepted \(Refunding\), which could not be written/,
        ) as string,
        next: [`paydesk payments check ${id}`],
      },
    },
  ]);
  expect((await paydesk('history', '--json')).json).toMatchObject([{ outcome: 'unknown' }]);
  takeOutcomes();
  expect((await paydesk('payments', 'refund', id)).code).toBe(0);
  expect(sent(`/${id}/refund`)).toBe(1);
});

it('of several refunds, each that cannot be recorded is unknown', async () => {
  const ids = [await desk.paid(), await desk.paid()].map(({ paymentId }) => String(paymentId));
  refuseOutcomes();
  const { code, json } = await paydesk('payments', 'refund', ...ids, '--json');
  expect([code, json]).toMatchObject([6, [{ outcome: 'unknown' }, { outcome: 'unknown' }]]);
});

it('a charge that cannot be recorded ends with 6, and the next run finds it', async () => {
  const customer = await desk.stored();
  const reference = newReference();
  const charge = ['payments', 'charge', '--customer', customer, '--amount', '5', '--reference', reference];
  refuseOutcomes();
  const charged = await paydesk(...charge, '--json');
  expect([charged.code, charged.json]).toMatchObject([6, { error: { code: 'outcome-not-recorded' } }]);
  takeOutcomes();
  expect((await paydesk(...charge)).code).toBe(0);
  expect(sent('/auto-payment')).toBe(1);
});

it.each(['outcomes', 'batch_rows'])(
  'a batch of charges whose %s cannot be written ends with 6, and is resumed without sending twice',
  async (table) => {
    const customer = await desk.stored();
    const references = [newReference(), newReference()];
    const [file, plan] = [join(desk.home, 'charges.csv'), join(desk.home, 'plan.json')];
    writeFileSync(
      file,
      `reference,customer,amount\n${references.map((one) => `${one},${customer},5\n`).join('')}`,
    );
    expect((await paydesk('batch', 'plan', file, '--action', 'charge', '--out', plan)).code).toBe(0);
    if (table === 'outcomes') refuseOutcomes();
    else {
      change(`create trigger unforeseen before update of finished on batch_rows when new.outcome is not null
              begin select raise(abort, 'unforeseen'); end`);
    }
    const applied = await paydesk('batch', 'apply', plan, '--concurrency', '1');
    expect([applied.code, applied.stderr]).toEqual([
      6,
      expect.stringMatching(/outcome of 2 rows is unknown|may have been carried out/),
    ]);
    takeOutcomes();
    const [batch] = (await paydesk('batch', 'status', '--json')).json;
    const resumed = await paydesk('batch', 'resume', String(batch?.['id']), '--json');
    expect([resumed.code, resumed.json]).toMatchObject([0, { done: 2, unknown: 0, pending: 0 }]);
    expect(sent('/auto-payment')).toBe(2);
  },
);

it('a batch whose rows cannot be loaded ends with 1, and says that nothing was sent', async () => {
  const { paymentId } = await desk.paid();
  const [file, plan] = [join(desk.home, 'refunds.csv'), join(desk.home, 'plan.json')];
  writeFileSync(file, `payment\n${paymentId}\n`);
  expect((await paydesk('batch', 'plan', file, '--action', 'refund', '--out', plan)).code).toBe(0);
  change(
    `create trigger unforeseen before insert on batch_rows begin select raise(abort, 'unforeseen'); end`,
  );
  const { code, stderr } = await paydesk('batch', 'apply', plan);
  expect([code, stderr]).toEqual([1, expect.stringContaining('  Nothing was sent.\n')]);
  expect(sent(`/${paymentId}/refund`)).toBe(0);
});

/** Runs paydesk in a process of its own, which gets an error that nothing catches during a slow request. */
async function failDuring(route: string, args: string[], fail: string): Promise<RunResult> {
  const preload = `process.on('SIGUSR2', () => { ${fail} });`;
  const env = { ...desk.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
  await desk.fault({ kind: 'latency', route, next: 1, delayMs: 20_000 });
  const onStarted = (child: ChildProcess) => desk.onceFaultHit(() => child.kill('SIGUSR2'));
  return paydeskProcess(args, { home: desk.home, env, onStarted });
}

const bug = 'This is a bug in paydesk: TypeError: unforeseen';

it.each([
  ['an error that nothing catches', `throw new TypeError('unforeseen')`],
  ['a rejection that nothing handles', `Promise.reject(new TypeError('unforeseen'))`],
])('%s ends with 6 after a refund was sent', async (_, fail) => {
  const id = String((await desk.paid()).paymentId);
  const { code, stdout, stderr } = await failDuring('refund', ['payments', 'refund', id, '--json'], fail);
  expect([code, JSON.parse(stdout), stderr]).toEqual([
    6,
    {
      error: {
        code: 'outcome-unknown',
        message: `${bug}\nWhat was sent may have been carried out.`,
        exit: 6,
        next: ['paydesk doctor', 'paydesk history'],
      },
    },
    `Error: ${bug}\n`,
  ]);
  expect((await paydesk('history', '--json')).json).toMatchObject([{ outcome: 'unknown' }]);
});

it('an error that nothing catches ends with 1 before a refund was sent, and says so', async () => {
  const id = String((await desk.paid()).paymentId);
  const { code, stderr } = await failDuring(
    'get',
    ['payments', 'refund', id],
    `throw new TypeError('unforeseen')`,
  );
  expect([code, stderr]).toEqual([
    1,
    `Error: ${bug}\n  Nothing was sent.\n  Run the same command with --debug for details.\n`,
  ]);
  expect(sent(`/${id}/refund`)).toBe(0);
});
