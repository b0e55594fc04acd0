import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.js';
import { remember } from '../../src/ledger/known/remember.js';
import { rewriteAnswers } from '../helpers/rewritten-answers.js';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';
import { type HookDesk, openHookDesk } from './hook-desk.js';

let sandbox: TestSandbox;
let desk: HookDesk;

beforeEach(async () => {
  sandbox = await startTestSandbox();
  desk = await openHookDesk(sandbox);
});
afterEach(async () => {
  await desk.close();
  await sandbox.close();
});

const body = (fields: Record<string, unknown>) => JSON.stringify(fields);

/** The next reads are answered with this status. */
async function failReads(status: number, next = 1_000): Promise<void> {
  const fault = { kind: 'error-before-commit', route: 'get', status, next };
  expect((await sandbox.control('POST', '/faults', fault)).status).toBeLessThan(300);
}

const answerReads = () => sandbox.control('DELETE', '/faults');

const readCount = () =>
  sandbox.lines.filter(({ method, path }) => method === 'GET' && path.includes('/payments/')).length;

it('a payment without a usable paymentId is an unread delivery', async () => {
  const baseUrl = await rewriteAnswers(sandbox, (text) =>
    text.replace(/"paymentId":\d+/, '"paymentId":null'),
  );
  const { appId, apiKey } = sandbox.app;
  const client = createClient({ baseUrl, appId, kind: 'sandbox', apiKey: () => apiKey });
  const listener = await desk.listen({ client });
  const { paymentId } = await sandbox.create();
  await listener.post(body({ paymentId }));
  const [delivery] = await listener.waitFor(1, 10_000);
  expect(delivery).toMatchObject({ verdict: 'unread', state: null });
  expect(delivery?.why).toContain('without a usable paymentId');
  await client.close();
});

it('a payment that the service does not show at once is read again', async () => {
  const listener = await desk.listen();
  const { paymentId } = await sandbox.create();
  await failReads(404, 1);
  await listener.post(body({ paymentId, paymentState: 'Created' }));
  const [delivery] = await listener.waitFor(1);
  expect(delivery).toMatchObject({ paymentId: String(paymentId), state: 'Created', verdict: 'changed' });
});

it('a payment that was not found is read again once this desk knows it, by its id or its reference', async () => {
  const listener = await desk.listen();
  const { paymentId, referenceId } = await sandbox.create();
  const byId = () => listener.post(body({ paymentId }));
  const byReference = () => listener.post('', { rest: `/${referenceId}` });
  await failReads(404);
  await byId();
  await byReference();
  const first = await listener.waitFor(2);
  expect(first.map(({ verdict }) => verdict)).toEqual(['unknown', 'unknown']);
  await answerReads();
  await desk.database.store.transaction((tx) =>
    remember(tx, 'sqlite', {
      seen: { appId: sandbox.app.appId, paymentId: String(paymentId), referenceId, state: 'Created' },
      source: 'created',
      now: 1,
    }),
  );
  await byReference();
  await byId();
  const all = await listener.waitFor(4);
  expect(all.slice(2).map(({ verdict }) => verdict)).toEqual(['same', 'same']);
});

it('a made-up payment is read a few times, and then not again for a while', async () => {
  const listener = await desk.listen();
  await listener.post(body({ paymentId: 987_654_321 }));
  await listener.waitFor(1);
  expect(readCount()).toBe(4);
  await listener.post(body({ paymentId: 987_654_321 }));
  const all = await listener.waitFor(2);
  expect(all.map(({ verdict }) => verdict)).toEqual(['unknown', 'unknown']);
  expect(readCount()).toBe(4);
});
