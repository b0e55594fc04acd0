// Brings the merchant's own orders in: each payment is read from the service and becomes a known payment.

import type { Client } from '../client/client.js';
import type { Clock } from '../client/clock.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { UsageError } from '../errors.js';
import { createOutage, type Outage, readPaced } from '../pace/paced-reads.js';
import { createPace, type Pace, type Slot } from '../pace/pace.js';
import type { SeenPayment } from '../ledger/known/seen-payment.js';
import type { AppRef } from '../ledger/payment-ref.js';
import { readNamed } from '../payments/named-payments.js';
import { seenPayment } from '../payments/seen-payment.js';
import type { Chunk } from './chunk.js';
import type { ImportCounts } from './import-record.js';
import type { OrderRow } from './order-rows.js';
import { createRowWriter, type OrderResult, ROWS_AHEAD } from './row-writer.js';

interface ImportTools {
  client: Client;
  clock: Clock;
  signal: AbortSignal;
  app: AppRef;
  /** Writes a chunk durably; resolves to what all rows came to so far. */
  write: (chunk: Chunk) => Promise<ImportCounts>;
  onProgress: (done: number) => void;
}

/** The rows from `rowsDone` on; what was done before counts as well. Throws when reads fail as a whole. */
export async function importOrders(
  tools: ImportTools,
  rows: AsyncIterator<OrderRow[]>,
  { concurrency, rowsDone, counts }: { concurrency: number; rowsDone: number; counts: ImportCounts },
): Promise<ImportCounts> {
  const stop = new AbortController();
  const signal = AbortSignal.any([tools.signal, stop.signal]);
  const pace = createPace({ concurrency, clock: tools.clock, signal });
  const outage = createOutage(() => {});
  const total = { ...counts };
  const writer = createRowWriter({ write: tools.write, signal }, total, rowsDone);
  const queue = createRowQueue(rows);
  let finished = rowsDone;

  async function work(): Promise<void> {
    for (let slot = await pace.enter(); slot; slot = await pace.enter()) {
      try {
        await writer.room(() => queue.taken);
        if (signal.aborted) return;
        const next = await queue.take();
        if (next === undefined) return;
        const result = await readRow(tools, next.row, { pace, slot, signal, outage });
        if (signal.aborted) return;
        writer.add(next.index, result);
        tools.onProgress((finished += 1));
      } finally {
        pace.leave(slot);
      }
    }
  }

  // More workers than rows that may be read ahead would only wait.
  const workers = Array.from({ length: Math.min(concurrency, ROWS_AHEAD) }, () =>
    work().catch((error: unknown) => {
      stop.abort(error);
      throw error;
    }),
  );
  const ended = await Promise.allSettled(workers);
  await writer.end(!signal.aborted);
  tools.signal.throwIfAborted();
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  return total;
}

/** Hands the rows out one by one. */
function createRowQueue(chunks: AsyncIterator<OrderRow[]>) {
  let rows: OrderRow[] = [];
  let at = 0;
  let taken = 0;
  let reading: Promise<boolean> | undefined;

  async function readMore(): Promise<boolean> {
    const step = await chunks.next();
    reading = undefined;
    if (step.done) return false;
    [rows, at] = [step.value, 0];
    return true;
  }

  return {
    get taken() {
      return taken;
    },
    /** Undefined at the end. */
    async take(): Promise<{ index: number; row: OrderRow } | undefined> {
      for (let row = rows[at]; ; row = rows[at]) {
        if (row !== undefined) {
          at += 1;
          taken += 1;
          return { index: taken - 1, row };
        }
        reading ??= readMore();
        if (!(await reading)) return undefined;
      }
    },
  };
}

function seenOrder(app: AppRef, { order }: OrderRow, read: PaymentRead): SeenPayment {
  const seen = seenPayment(app, read);
  return { ...seen, order: { ...order, orderId: order.orderId ?? seen.order?.orderId } };
}

interface Reading {
  pace: Pace;
  slot: Slot;
  signal: AbortSignal;
  outage: Outage;
}

/** An outage ends the import: what was done so far is kept, and the next run begins with the first row that failed. */
async function readRow(
  { client, app }: Pick<ImportTools, 'client' | 'app'>,
  row: OrderRow,
  reading: Reading,
): Promise<OrderResult> {
  const { otherOrderOn } = row;
  if (otherOrderOn !== undefined) {
    const problem = `line ${otherOrderOn} has this payment with another order, which was kept`;
    return { row, error: new UsageError(problem, { code: 'other-order' }) };
  }
  // A payment that cannot be kept concerns this row alone, as a read that the service refuses does.
  const found = await readPaced(async () => seenOrder(app, row, await readNamed(client, row.name)), {
    ...reading,
    payment: row.name.typed,
  });
  return 'read' in found ? { seen: found.read } : { row, error: found.error };
}
