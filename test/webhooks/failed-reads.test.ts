import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replayDelivery } from '../../src/cli/listening/replay-delivery.js';
import { createClient } from '../../src/client/client.js';
import { remember } from '../../src/ledger/known/remember.js';
import { storeMadeWebhook } from '../../src/webhooks/forwarding/replay.js';
import { createSender } from '../../src/webhooks/forwarding/sender.js';
import { parseTarget } from '../../src/webhooks/forwarding/targets.js';
import { findDelivery } from '../../src/webhooks/inbox/inbox.js';
import { addFault } from '../helpers/desk.js';
import { deskDatabases } from '../helpers/desk-database.js';
import { describeWithPostgres, type Postgres } from '../helpers/postgres.js';
import { rewriteAnswers } from '../helpers/rewritten-answers.js';
import {
  eventually,
  type Receiver,
  startReceiver,
  startTestSandbox,
  type TestSandbox,
} from '../helpers/sandbox.js';
import { everything, type HookDesk, openHookDesk, type TestListener } from './hook-desk.js';

let sandbox: TestSandbox;
let desk: HookDesk;
let handler: Receiver;

beforeEach(async () => {
  handler = await startReceiver();
  sandbox = await startTestSandbox();
  desk = await openHookDesk(sandbox);
});
afterEach(async () => {
  await desk.close();
  await sandbox.close();
  await handler.close();
});

const body = (fields: Record<string, unknown>) => JSON.stringify(fields);

/** The next reads are answered with this status. */
const failReads = (status: number, next = 1_000): Promise<void> =>
  addFault(sandbox, { kind: 'error-before-commit', route: 'get', status, next });

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

const SOON = { minPauseMs: 50, maxPauseMs: 50, withinMs: 600_000 };
const MUCH_LATER = { minPauseMs: 600_000, maxPauseMs: 600_000, withinMs: 3_600_000 };

async function captured(): Promise<number> {
  const { paymentId } = await sandbox.create();
  await sandbox.pay(paymentId);
  await sandbox.settle();
  return paymentId;
}

const failedIds = async () =>
  (await Array.fromAsync(desk.inbox.list(desk.app, { failed: true }))).map(({ id }) => id);

const waitForFailedRead = (listener: TestListener) =>
  eventually(() =>
    expect(listener.events).toContainEqual(
      expect.objectContaining({
        type: 'progress',
        delivery: expect.objectContaining({ verdict: null, why: expect.any(String) as string }) as object,
      }),
    ),
  );

const sentNumbers = () => handler.requests.map(({ body: { n } }) => n);

it('a webhook whose state does not pass is not forwarded when it is read at last', async () => {
  const listener = await desk.listen({ to: [`${handler.url} state=Captured`], readRetries: SOON });
  const { paymentId } = await sandbox.create();
  await failReads(503);
  await listener.post(body({ paymentId }));
  await waitForFailedRead(listener);
  await answerReads();
  const [delivery] = await listener.waitFor(1);
  expect(delivery).toMatchObject({ state: 'Created', forwards: [] });
  expect(await failedIds()).toEqual([]);
});

it('the table replays a webhook whose payment could not be read to the target that needs its state', async () => {
  const to = `${handler.url} state=Captured`;
  const listener = await desk.listen({ to: [to], readRetries: MUCH_LATER });
  const { paymentId } = await sandbox.create();
  await failReads(503);
  await listener.post(body({ paymentId, n: 1 }));
  await waitForFailedRead(listener);
  const sender = createSender(() => Date.now());
  const { inbox, app, database } = desk;
  const replayDesk = { store: database.store, inbox, app, sender, now: () => Date.now() };
  const replay = async () =>
    replayDelivery(
      replayDesk,
      await findDelivery(inbox, app, 1),
      { targets: [parseTarget(to)], filter: everything },
      undefined,
    );
  expect(JSON.stringify(await replay())).toContain('Replayed 1: 200');
  expect(sentNumbers()).toEqual([1]);
  expect(await failedIds()).toEqual([]);
  await answerReads();
  await listener.post(body({ paymentId, n: 2 }));
  await listener.waitFor(2);
  expect(JSON.stringify(await replay())).toContain('The filters of the targets exclude it');
  await sender.close();
});

it('the table marks a webhook that this desk made when it replays it', async () => {
  const { inbox, app, database } = desk;
  const sender = createSender(() => Date.now());
  const replayDesk = { store: database.store, inbox, app, sender, now: () => Date.now() };
  const { appId, apiKey } = sandbox.app;
  const client = createClient({ baseUrl: sandbox.url, appId, kind: 'sandbox', apiKey: () => apiKey });
  const { paymentId } = await sandbox.create();
  const made = await storeMadeWebhook(
    replayDesk,
    client,
    await client.getPayment({ paymentId: String(paymentId) }),
  );
  const all = { targets: [parseTarget(handler.url)], filter: everything };
  await replayDelivery(replayDesk, made, all, undefined);
  expect(handler.requests[0]?.headers).toMatchObject({
    'paydesk-replay': String(made.id),
    'paydesk-synthetic': 'true',
  });
  await client.close();
  await sender.close();
});

it('the next webhook of a payment takes those along that could not be read, in order', async () => {
  const listener = await desk.listen({ to: [`${handler.url} state=Captured`], readRetries: MUCH_LATER });
  const paymentId = await captured();
  await failReads(503);
  await listener.post(body({ paymentId, n: 1 }));
  await waitForFailedRead(listener);
  await answerReads();
  await listener.post(body({ paymentId, n: 2 }));
  await listener.waitFor(2);
  expect(sentNumbers()).toEqual([1, 2]);
});

function recoveryTests(): void {
  it('a webhook whose target needs the state is forwarded once the payment can be read', async () => {
    const to = [`${handler.url} state=Captured`];
    const listener = await desk.listen({ to, ack: 'forwarded', readRetries: SOON });
    const paymentId = await captured();
    await failReads(503);
    expect(await listener.post(body({ paymentId, n: 1 }))).toBe(502);
    expect(listener.settled()).toEqual([]);
    expect(await failedIds()).toEqual([1]);
    expect(sentNumbers()).toEqual([]);
    await answerReads();
    const [delivery] = await listener.waitFor(1);
    expect(delivery).toMatchObject({ state: 'Captured', why: null });
    expect(delivery?.forwards).toMatchObject([{ outcome: 'delivered', attempts: 1, replay: false }]);
    expect(await desk.inbox.named(desk.app, [1])).toEqual([delivery]);
    expect(await failedIds()).toEqual([]);
    expect(sentNumbers()).toEqual([1]);
  });

  it('the next listener with the target reads and forwards it, even when another one read it before', async () => {
    const to = [`${handler.url} state=Captured`];
    const first = await desk.listen({ to, readRetries: MUCH_LATER });
    const paymentId = await captured();
    await failReads(503);
    await first.post(body({ paymentId, n: 1 }));
    await waitForFailedRead(first);
    await first.stop();
    await answerReads();
    const other = await desk.listen();
    expect(await other.waitFor(1)).toMatchObject([{ state: 'Captured' }]);
    await other.stop();
    expect(await failedIds()).toEqual([1]);
    const second = await desk.listen({ to });
    const [delivery] = await second.waitFor(1);
    expect(delivery?.forwards).toMatchObject([{ outcome: 'delivered' }]);
    expect(await failedIds()).toEqual([]);
    expect(sentNumbers()).toEqual([1]);
  });
}

describe('a webhook that waits for a read, on SQLite', recoveryTests);

describeWithPostgres('a webhook that waits for a read, on PostgreSQL', (postgres: () => Postgres) => {
  const location = deskDatabases(postgres);
  beforeEach(async () => {
    await desk.close();
    desk = await openHookDesk(sandbox, await location());
  });
  recoveryTests();
});
