import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBatchDesk, type BatchDesk } from '../commands/batch/desk.js';
import { createFlags, envOf, openTestDesk, type TestDesk } from '../commands/payments/desk.js';
import { runInProcess } from '../helpers/in-process.js';
import { commandClass, commandNames, serviceCases } from './cases.js';

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

/** Only read, and work as ever. */
const reads = [
  'payments:get',
  'payments:explain',
  'payments:watch',
  'payments:check',
  'customers:get',
  'customers:list',
  'customers:methods',
  'customers:panel-link',
  'doctor',
];

/** Ask nothing of the service, or only read what they show or wait for. */
const others =
  /^(sandbox:|profiles:|webhook:|completion|ledger:|scenario:|reconcile|whoami$|history$|demo$|batch:(plan|report|status)$|payments:(list|find|import)$)/;

let desk: TestDesk;
let batch: BatchDesk;
beforeAll(async () => {
  [desk, batch] = await Promise.all([openTestDesk(), openBatchDesk()]);
});
afterAll(() => Promise.all([desk.sandbox.close(), batch.close()]));

const env = () => ({ ...envOf(desk.sandbox), PAYDESK_READ_ONLY: '1' });

it('every command has a case', () => {
  const covered = [...Object.keys(changes), ...batches, ...reads];
  expect(commandNames.filter((name) => !others.test(name)).toSorted()).toEqual(covered.toSorted());
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

it.each(reads)('%s works, and only reads', async (name) => {
  const words = (await serviceCases[name]!(desk)).map(String);
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

it('a batch is planned, and neither applied nor resumed', async () => {
  const PAYDESK_READ_ONLY = 'true';
  const payments = await batch.paid(2);
  const file = batch.csv('payment', ...payments.map(({ paymentId }) => paymentId));
  const out = batch.path('plan.json');
  const planned = await batch.run('plan', [file, '--action', 'refund', '--out', out], {
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
});
