import { Pool } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { remember } from '../../src/ledger/known/remember.js';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';
import { type HookDesk, openHookDesk, type TestListener } from './hook-desk.js';

const FLOOD = 500;

let sandbox: TestSandbox;
let desk: HookDesk;
let listener: TestListener;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  desk = await openHookDesk(sandbox);
  listener = await desk.listen();
});
afterAll(async () => {
  await desk.close();
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
  await desk.database.store.transaction((tx) =>
    remember(tx, 'sqlite', {
      seen: { appId: sandbox.app.appId, paymentId: String(real.paymentId), state: 'Created' },
      source: 'created',
      now: 1,
    }),
  );
  await listener.post(JSON.stringify({ paymentId: real.paymentId }));
  const all = await listener.waitFor(2 * FLOOD + 1, 60_000);
  expect(all.at(-1)).toMatchObject({ paymentId: String(real.paymentId), state: 'Created', verdict: 'same' });
});
