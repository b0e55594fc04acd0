// Brings the merchant's own orders in: each payment is read from the service and becomes a known payment.

import { firstLine, type PaydeskError, TemporaryError } from '../errors.js';
import type { Client } from '../client/client.js';
import type { Clock } from '../client/clock.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { createOutage, type Outage, readPaced } from '../pace/paced-reads.js';
import { createPace, type Pace, type Slot } from '../pace/pace.js';
import type { SeenPayment } from '../ledger/known/seen-payment.js';
import type { AppRef } from '../ledger/payment-ref.js';
import { readNamed } from '../payments/named-payments.js';
import { seenPayment } from '../payments/seen-payment.js';
import type { Chunk } from './chunk.js';
import type { ImportCounts } from './import-record.js';
import type { OrderRow } from './order-rows.js';

interface ImportTools {
  client: Client;
  clock: Clock;
  signal: AbortSignal;
  app: AppRef;
  /** Writes a chunk durably; resolves to what all rows came to so far. */
  write: (chunk: Chunk) => Promise<ImportCounts>;
  onProgress: (done: number) => void;
}

interface FailedRow {
  row: OrderRow;
  error: PaydeskError;
}

type RowResult = { seen: SeenPayment } | FailedRow;

const CHUNK_SIZE = 500;
/** Chunks that may be read before the oldest of them is written. */
const CHUNKS_AHEAD = 2;

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
  const writer = createRowWriter(tools, total, rowsDone);
  const queue = createRowQueue(rows);
  let finished = rowsDone;

  async function work(): Promise<void> {
    for (let slot = await pace.enter(); slot; slot = await pace.enter()) {
      try {
        await writer.room(queue.taken);
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
  const workers = Array.from({ length: Math.min(concurrency, CHUNKS_AHEAD * CHUNK_SIZE) }, () =>
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

/** Writes results in the order of their rows, so that everything up to a row is done when that row is. */
function createRowWriter(tools: ImportTools, counts: ImportCounts, rowsDone: number) {
  const waiting = new Map<number, RowResult>();
  let written = 0;
  let writing: Promise<void> = Promise.resolve();
  let next = 0;
  /** Rows from the next one on that are there without a gap. */
  let ready = 0;
  /** Rows that failed since the last good answer. If that is an outage, the next run reads them again. */
  const doubtful = new Map<number, FailedRow>();

  function keepDoubtful(): void {
    for (const [index, result] of doubtful) waiting.set(index, result);
    doubtful.clear();
  }

  function flush(least: number): void {
    while (waiting.has(next + ready)) ready += 1;
    while (ready >= Math.max(1, least)) write(Math.min(ready, CHUNK_SIZE));
  }

  function write(count: number): void {
    const chunk = Array.from({ length: count }, (_, at) => waiting.get(next + at) as RowResult);
    for (let at = 0; at < count; at += 1) waiting.delete(next + at);
    next += count;
    ready -= count;
    const upTo = next;
    writing = writing.then(async () => {
      Object.assign(counts, await tools.write(chunkOf(chunk, rowsDone + upTo)));
      written = upTo;
    });
    // It is reported where somebody waits for the writing: in `room`, or at the end.
    writing.catch(() => {});
  }

  return {
    add(index: number, result: RowResult): void {
      if ('error' in result && result.error instanceof TemporaryError) {
        doubtful.set(index, result);
        return;
      }
      keepDoubtful();
      waiting.set(index, result);
      flush(CHUNK_SIZE);
    },
    /** Waits while too much was read and is not written. */
    async room(taken: number): Promise<void> {
      if (taken - written > CHUNKS_AHEAD * CHUNK_SIZE) await writing;
    },
    /** `isComplete`: every row was read, so there was no outage, unless all of them failed. */
    async end(isComplete: boolean): Promise<void> {
      const [failed] = doubtful.values();
      if (isComplete && failed && rowsDone + next + waiting.size === 0) throw failed.error;
      if (isComplete) keepDoubtful();
      flush(1);
      await writing;
    },
  };
}

function chunkOf(results: readonly RowResult[], rowsDone: number): Chunk {
  const failed = results.filter((result) => 'error' in result);
  const unknown = failed.filter(({ error }) => error.code === 'not-found').length;
  return {
    seen: results.flatMap((result) => ('seen' in result ? [result.seen] : [])),
    problems: failed.map(({ row, error }) => ({
      line: row.line,
      payment: row.name.typed,
      problem: firstLine(error.message),
    })),
    unknown,
    unreadable: failed.length - unknown,
    rowsDone,
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
): Promise<RowResult> {
  // A payment that cannot be kept concerns this row alone, as a read that the service refuses does.
  const found = await readPaced(async () => seenOrder(app, row, await readNamed(client, row.name)), {
    ...reading,
    payment: row.name.typed,
  });
  return 'read' in found ? { seen: found.read } : { row, error: found.error };
}
