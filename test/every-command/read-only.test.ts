import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBatchDesk, type BatchDesk } from '../commands/batch/batches.js';
import { createFlags, envOf, openTestDesk, temporaryHome, type TestDesk } from '../helpers/desk.js';
import { runInProcess } from '../helpers/in-process.js';
import { type Receiver, startReceiver } from '../helpers/sandbox.js';
import { commandClass, commandNames, serviceCases } from './cases.js';
import { settlementWords } from './settlement.js';

type Words = Array<string | number>;

/** Would change something at the service. They are refused before any request, so that nothing needs to be there. */
const changes: Record<string, string[]> = {
  'payments:create': createFlags('r-1'),
  'payments:charge': ['--customer', 'c1', '--amount', '3', '--reference', 'r-2'],
  'payments:capture': ['id:1'],
  'payments:cancel': ['id:1'],
  'payments:refund': ['id:1'],
  'payments:unhold': ['id:1'],
  'payments:recheck': ['id:1'],
  'payments:resolve': ['id:1'],
  'customers:create': ['--customer', 'c1'],
  'customers:update': ['c1', '--first-name', 'Ada'],
  'customers:remove-method': ['c1', '3001'],
  'customers:stop-auto-payment': ['c1', '7001'],
  api: ['POST', '/customers', '--field', 'customerId=c1'],
};
const batches = ['batch:apply', 'batch:resume'];

/** Only read from the service, and work as ever. */
const reads: Record<string, (desk: TestDesk) => Words | Promise<Words>> = {
  'payments:get': serviceCases['payments:get']!,
  'payments:explain': serviceCases['payments:explain']!,
  'payments:watch': serviceCases['payments:watch']!,
  'payments:check': serviceCases['payments:check']!,
  'payments:list': () => ['--refresh'],
  'payments:find': () => ['ana'],
  'payments:import': async ({ paid }) => [batch.csv('payment', (await paid()).paymentId)],
  reconcile: () => settlementWords(temporaryHome()),
  'customers:get': serviceCases['customers:get']!,
  'customers:list': serviceCases['customers:list']!,
  'customers:find': serviceCases['customers:find']!,
  'customers:methods': serviceCases['customers:methods']!,
  'customers:panel-link': serviceCases['customers:panel-link']!,
  'customers:forget': () => ['c1', '--yes'],
  'batch:plan': async ({ paid }) => {
    const file = batch.csv('payment', (await paid()).paymentId);
    return [file, '--action', 'refund'];
  },
  'batch:status': () => [],
  'webhook:send': async ({ paid }) => [(await paid()).paymentId, '--to', receiver.url],
  'webhook:events': () => [],
  'scenario:record': serviceCases['scenario:record']!,
  history: () => [],
  whoami: () => [],
  doctor: () => [],
};

/**
 * Ask nothing of the service of a profile. Those on a sandbox play the provider and the customer, for whom no desk is
 * read-only.
 */
const others = [
  ['batch:report', 'webhook:listen', 'webhook:show', 'webhook:replay', 'demo'],
  ['scenario:run', 'scenario:list', 'scenario:show', 'scenario:new', 'reconcile:map'],
  ['profiles:add', 'profiles:alias', 'profiles:list', 'profiles:remove', 'profiles:set', 'profiles:show'],
  ['profiles:use', 'ledger:adopt', 'ledger:lock-probe', 'completion', 'completion:words'],
  ['sandbox:start', 'sandbox:status', 'sandbox:stop', 'sandbox:exec', 'sandbox:exec-guard'],
  ['sandbox:seed', 'sandbox:reset', 'sandbox:export', 'sandbox:import'],
  ['sandbox:pay', 'sandbox:provider', 'sandbox:resend', 'sandbox:books', 'sandbox:settlement'],
  ['sandbox:apps', 'sandbox:apps:list', 'sandbox:apps:create', 'sandbox:apps:set'],
  ['sandbox:clock', 'sandbox:clock:show', 'sandbox:clock:stop', 'sandbox:clock:resume'],
  ['sandbox:clock:advance', 'sandbox:clock:set'],
  ['sandbox:fault', 'sandbox:fault:list', 'sandbox:fault:add', 'sandbox:fault:clear'],
].flat();

let desk: TestDesk;
let batch: BatchDesk;
let receiver: Receiver;
beforeAll(async () => {
  [desk, batch, receiver] = await Promise.all([openTestDesk(), openBatchDesk(), startReceiver()]);
});
afterAll(() => Promise.all([desk.sandbox.close(), batch.close(), receiver.close()]));

const env = () => ({ ...envOf(desk.sandbox), PAYDESK_HOME: batch.home, PAYDESK_READ_ONLY: '1' });

it('every command has a case', () => {
  const covered = [...Object.keys(changes), ...batches, ...Object.keys(reads), ...others];
  expect(covered.toSorted()).toEqual(commandNames.toSorted());
});

it.each(Object.keys(changes))('%s is refused before any request', async (name) => {
  desk.requests();
  const Class = await commandClass(name);
  const ran = await runInProcess(Class, changes[name]!, {
    env: env(),
    terminal: name === 'payments:resolve',
  });
  expect({ code: ran.code, stderr: ran.stderr.replaceAll(/\s+/g, ' ') }).toEqual({
    code: 9,
    stderr: expect.stringContaining(
      'This desk is read-only: PAYDESK_READ_ONLY is set. Nothing was sent.',
    ) as string,
  });
  expect(desk.requests()).toEqual([]);
});

it.each([
  ['POST', '/payments/1/refund'],
  ['PUT', '/customers/c1'],
  ['PATCH', '/customers/c1'],
  ['DELETE', '/customers/c1/payment-methods/1'],
  ['POST', '/payments/1/re-check'],
])('api %s %s is refused, and says so in JSON', async (...words) => {
  desk.requests();
  const ran = await runInProcess(await commandClass('api'), [...words, '--json'], { env: env() });
  expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code: 'read-only', exit: 9 } });
  expect(desk.requests()).toEqual([]);
});

it('api GET works', async () => {
  const words = (await serviceCases['api']!(desk)).map(String);
  expect(await runInProcess(await commandClass('api'), words, { env: env() })).toMatchObject({ code: 0 });
});

it.each(Object.entries(reads))('%s works, and only reads', async (name, make) => {
  const words = (await make(desk)).map(String);
  desk.requests();
  const ran = await runInProcess(await commandClass(name), words, { env: env(), now: new Date() });
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: expect.any(String) as string });
  expect(desk.requests().filter((line) => !line.startsWith('GET '))).toEqual([]);
});

it('a dry run works', async () => {
  const { paymentId } = await desk.paid();
  desk.requests();
  const ran = await desk.run('refund', [paymentId, '--dry-run'], { env: { PAYDESK_READ_ONLY: '1' } });
  expect(ran).toMatchObject({ code: 0 });
  expect(desk.requests().every((line) => line.startsWith('GET '))).toBe(true);
});

const batchFiles: Record<string, () => Promise<string>> = {
  refund: async () => batch.csv('payment', ...(await batch.paid(2)).map(({ paymentId }) => paymentId)),
  charge: async () => {
    await batch.paid(1, 'approved', { registerAutoPayment: true });
    return batch.csv('reference,customer,amount', 'renewal-1,c1,5', 'renewal-2,c1,5');
  },
};

it.each(Object.keys(batchFiles))(
  'a batch of %ss is planned, and neither applied nor resumed',
  async (action) => {
    const PAYDESK_READ_ONLY = 'true';
    const file = await batchFiles[action]!();
    const out = batch.path(`${action}.json`);
    const planned = await batch.run('plan', [file, '--action', action, '--out', out], {
      env: { PAYDESK_READ_ONLY },
    });
    expect(planned).toMatchObject({ code: 0 });
    batch.posts();
    const applied = await batch.run('apply', [out, '--json'], { env: { PAYDESK_READ_ONLY } });
    expect(applied.json).toMatchObject({ error: { code: 'read-only', exit: 9 } });
    const dry = await batch.run('apply', [out, '--dry-run', '--json'], { env: { PAYDESK_READ_ONLY } });
    expect(dry.json).toMatchObject({ dryRun: true });
    expect(batch.posts()).toEqual([]);
    expect((await batch.run('apply', [out, '--json'])).code).toBe(0);
    const [{ id }] = (await batch.run('status', ['--json'])).json as unknown as [{ id: string }];
    batch.posts();
    const resumed = await batch.run('resume', [id, '--json'], { env: { PAYDESK_READ_ONLY } });
    expect(resumed.json).toMatchObject({ error: { code: 'read-only', exit: 9 } });
    expect(batch.posts()).toEqual([]);
  },
);
