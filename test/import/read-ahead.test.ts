import { expect, test } from 'vitest';
import type { Transport } from '../../src/client/exchange.js';
import type { Chunk } from '../../src/import/chunk.js';
import { importOrders } from '../../src/import/import-orders.js';
import { parsePayment } from '../../src/payments/named-payments.js';
import { clientFor, virtualClock } from '../helpers/servers.js';

const ROWS = 3_000;
/** Rows that may be read and not written. */
const AHEAD = 1_000;
const CONCURRENCY = 16;
/** The row without an answer: by then, that many are read at once. */
const HELD = 100;

type Held = (status: number) => void;

/** A service in memory that answers at once, and holds one reference back until it is given a status. */
function holdingService(): { transport: Transport; reads: () => number; release: Held } {
  let reads = 0;
  const held = Promise.withResolvers<number>();
  const transport: Transport = {
    async send({ path }) {
      reads += 1;
      const reference = path.split('referenceId:')[1] ?? '';
      const status = reference === `ref-${HELD}` ? await held.promise : 200;
      const payment = { paymentId: Number(reference.slice(4)), referenceId: reference };
      return { kind: 'answer', status, headers: {}, body: status === 200 ? JSON.stringify(payment) : '' };
    },
    close: async () => {},
  };
  return { transport, reads: () => reads, release: held.resolve };
}

async function* rows() {
  yield Array.from({ length: ROWS }, (_, index) => ({
    line: index + 2,
    name: parsePayment(`ref:ref-${index + 1}`),
    order: {},
  }));
}

/** Runs an import until nothing happens any more, because one row has no answer. */
async function importUntilHeld(
  write: (rowsDone: number) => void = () => {},
  signal: AbortSignal = new AbortController().signal,
) {
  const service = holdingService();
  const client = clientFor('http://127.0.0.1', { transport: service.transport });
  const counts = { created: 0, changed: 0, same: 0, unknown: 0, unreadable: 0 };
  const tools = {
    client,
    clock: virtualClock(),
    signal,
    app: { appId: 'app-1' },
    async write({ seen, unreadable, rowsDone }: Chunk) {
      write(rowsDone);
      counts.created += seen.length;
      counts.unreadable += unreadable;
      return counts;
    },
    onProgress() {},
  };
  const ended = importOrders(tools, rows(), { concurrency: CONCURRENCY, rowsDone: 0, counts });
  ended.catch(() => {});
  // Nothing here waits for a time or a network, so a turn without a read means that no further one comes.
  for (let before = -1; before < service.reads();) {
    before = service.reads();
    await new Promise(setImmediate);
  }
  return { ended, reads: service.reads, release: service.release };
}

test('no more is read ahead of a row without an answer than may wait for it', async () => {
  const written: number[] = [];
  const { ended, reads, release } = await importUntilHeld((rowsDone) => written.push(rowsDone));
  expect(written).toEqual([]);
  expect(reads()).toBeGreaterThanOrEqual(AHEAD);
  expect(reads()).toBeLessThanOrEqual(AHEAD + CONCURRENCY);
  release(200);
  expect(await ended).toMatchObject({ created: ROWS, unreadable: 0 });
  expect(reads()).toBe(ROWS);
  expect(written).toEqual([500, 1_000, 1_500, 2_000, 2_500, 3_000]);
});

test('a row that fails while all others wait for it is unreadable, and they go on', async () => {
  const { ended, release } = await importUntilHeld();
  release(500);
  expect(await ended).toMatchObject({ created: ROWS - 1, unreadable: 1 });
});

test('an import that waits for a row can be stopped', async () => {
  const stop = new AbortController();
  const { ended, reads, release } = await importUntilHeld(() => {}, stop.signal);
  const before = reads();
  stop.abort(new Error('stopped'));
  release(200);
  await expect(ended).rejects.toThrow('stopped');
  expect(reads()).toBe(before);
});

test('an import that waits for a row ends when it cannot be written', async () => {
  const { ended, release } = await importUntilHeld(() => {
    throw new Error('the disk is full');
  });
  release(200);
  await expect(ended).rejects.toThrow('the disk is full');
});
