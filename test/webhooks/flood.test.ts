import { Pool } from 'undici';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { remember } from '../../src/ledger/known/remember.js';
import {
  eventually,
  type Receiver,
  type ShownPayment,
  startReceiver,
  startTestSandbox,
  type TestSandbox,
} from '../helpers/sandbox.js';
import { type HookDesk, openHookDesk, type TestListener } from './hook-desk.js';

const FLOOD = 500;

let sandbox: TestSandbox;
let handler: Receiver;
let desk: HookDesk;
let listener: TestListener;

const targets = () => [`${handler.url} state=Created`];

beforeEach(async () => {
  sandbox = await startTestSandbox();
  handler = await startReceiver();
  desk = await openHookDesk(sandbox);
  listener = await desk.listen({ to: targets() });
});
afterEach(async () => {
  await desk.close();
  await handler.close();
  await sandbox.close();
});

/** Sends that many, many at a time; returns how often each status was answered. */
async function flood(body: (index: number) => string): Promise<Record<number, number>> {
  const { origin, pathname } = new URL(listener.url);
  const pool = new Pool(origin, { connections: 64 });
  const statuses: Record<number, number> = {};
  let next = 0;
  const send = async () => {
    while (next < FLOOD) {
      const answer = await pool.request({ path: pathname, method: 'POST', body: body(next++) });
      await answer.body.dump();
      statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 64 }, send));
  await pool.close();
  return statuses;
}

const reads = () =>
  sandbox.lines.splice(0).filter(({ method, path }) => method === 'GET' && path.includes('/payments/'))
    .length;

const makeKnown = ({ paymentId }: ShownPayment) =>
  desk.database.store.transaction((tx) =>
    remember(tx, 'sqlite', {
      seen: { appId: sandbox.app.appId, paymentId: String(paymentId), state: 'Created' },
      source: 'created',
      now: 1,
    }),
  );

it('a flood of forged webhooks costs the service a bounded number of reads, and loses no real one', async () => {
  const real = await sandbox.create();
  reads();
  const started = Date.now();
  const statuses = await flood((index) => JSON.stringify({ paymentId: 5_000_000 + index }));
  expect(statuses).toEqual({ 200: FLOOD });
  await listener.waitFor(FLOOD, 120_000);
  const seconds = (Date.now() - started) / 1000;
  // A hundred in vain, two more for every second.
  expect(reads()).toBeLessThanOrEqual(100 + 2 * Math.ceil(seconds) + 1);
  const verdicts = new Set(listener.settled().map(({ verdict }) => verdict));
  expect(verdicts).toEqual(new Set(['unknown', 'unread']));

  // One name again and again is asked for once.
  await flood(() => JSON.stringify({ paymentId: 7_777_777 }));
  await listener.waitFor(2 * FLOOD, 120_000);
  expect(reads()).toBeLessThanOrEqual(2);

  // A payment that this desk knows is read all the same, flood or not.
  await makeKnown(real);
  await listener.post(JSON.stringify({ paymentId: real.paymentId }));
  const all = await listener.waitFor(2 * FLOOD + 1, 60_000);
  expect(all.at(-1)).toMatchObject({ paymentId: String(real.paymentId), state: 'Created', verdict: 'same' });
});

it('a real webhook that was not read in a flood is kept for its target, and forwarded by a later listener', async () => {
  // Several, and between forged ones: the few reads that are allowed again meanwhile cannot meet all of them.
  const real = await Promise.all(Array.from({ length: 10 }, () => sandbox.create()));
  const isReal = (index: number) => index >= FLOOD / 2 && index % (FLOOD / 20) === 0;
  const idAt = (index: number) =>
    isReal(index) ? real[(index - FLOOD / 2) / (FLOOD / 20)]?.paymentId : 6_000_000 + index;
  await flood((index) => JSON.stringify({ paymentId: idAt(index) }));
  const all = await listener.waitFor(FLOOD, 120_000);
  const missing = real.filter(({ paymentId }) => handler.states(paymentId).length === 0);
  const [unread] = all.filter(({ paymentId }) => paymentId === String(missing[0]?.paymentId));
  expect(unread).toMatchObject({
    verdict: 'unread',
    forwards: [{ to: handler.url, outcome: 'failed', attempts: 0, error: 'payment not read' }],
  });
  const failed = await Array.fromAsync(desk.inbox.list(desk.app, { failed: true }));
  expect(failed.map(({ id }) => id)).toContain(unread?.id);
  await listener.stop();

  for (const payment of missing) await makeKnown(payment);
  await desk.listen({ to: targets() });
  const received = () => handler.requests.map(({ body: { paymentId } }) => paymentId);
  await eventually(() => {
    for (const { paymentId } of missing) expect(received()).toContain(paymentId);
  }, 120_000);
});
