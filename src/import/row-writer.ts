// Writes the rows of an import in their order, so that everything up to a row is done when that row is.

import { firstLine, type PaydeskError, TemporaryError } from '../errors.js';
import type { SeenPayment } from '../ledger/known/seen-payment.js';
import type { Chunk } from './chunk.js';
import type { ImportCounts } from './import-record.js';
import type { OrderRow } from './order-rows.js';

interface FailedRow {
  row: OrderRow;
  error: PaydeskError;
}

export type OrderResult = { seen: SeenPayment } | FailedRow;

/** A row that waits to be written. As text: the garbage collector moves one string more quickly than thirty objects. */
type Waiting = { seen: string } | FailedRow;

const CHUNK_SIZE = 500;
/** Rows that may be read before the oldest of them is written. */
export const ROWS_AHEAD = 2 * CHUNK_SIZE;

interface RowWriter {
  add(index: number, result: OrderResult): void;
  /** Waits while too many rows are taken and not written, until the signal fires. Throws if they cannot be written. */
  room(taken: () => number): Promise<void>;
  /** `isComplete`: every row was read, so there was no outage, unless all of them failed. */
  end(isComplete: boolean): Promise<void>;
}

export function createRowWriter(
  tools: { write: (chunk: Chunk) => Promise<ImportCounts>; signal: AbortSignal },
  counts: ImportCounts,
  rowsDone: number,
): RowWriter {
  /** The rows from the next one on, as far as they are there. */
  const waiting: Array<Waiting | undefined> = [];
  let written = 0;
  let writing: Promise<void> = Promise.resolve();
  let next = 0;
  /** Rows from the next one on that are there without a gap. */
  let ready = 0;
  /** Rows that failed since the last good answer. If that is an outage, the next run reads them again. */
  const doubtful = new Map<number, FailedRow>();
  const blocked: Array<() => void> = [];
  let failure: { error: unknown } | undefined;

  function wake(): void {
    for (const each of blocked.splice(0)) each();
  }
  tools.signal.addEventListener('abort', wake, { once: true });

  function keepDoubtful(): void {
    if (doubtful.size === 0) return;
    for (const [index, result] of doubtful) waiting[index - next] = result;
    doubtful.clear();
  }

  function flush(least: number): void {
    while (waiting[ready] !== undefined) ready += 1;
    while (ready >= Math.max(1, least)) write(Math.min(ready, CHUNK_SIZE));
  }

  function write(count: number): void {
    const chunk = waiting.splice(0, count) as Waiting[];
    next += count;
    ready -= count;
    const upTo = next;
    writing = writing.then(async () => {
      Object.assign(counts, await tools.write(chunkOf(chunk, rowsDone + upTo)));
      written = upTo;
    });
    writing.then(wake, (error: unknown) => {
      failure ??= { error };
      wake();
    });
  }

  return {
    add(index, result) {
      // While the others wait for this row, no further answer can tell whether there is an outage.
      const isDoubtful = 'error' in result && result.error instanceof TemporaryError && blocked.length === 0;
      if (isDoubtful) {
        doubtful.set(index, result);
        return;
      }
      keepDoubtful();
      waiting[index - next] = 'seen' in result ? { seen: JSON.stringify(result.seen) } : result;
      flush(CHUNK_SIZE);
    },

    async room(taken) {
      for (;;) {
        if (failure) throw failure.error;
        if (tools.signal.aborted || taken() - written < ROWS_AHEAD) return;
        keepDoubtful();
        flush(CHUNK_SIZE);
        await new Promise<void>((resolve) => blocked.push(resolve));
      }
    },

    async end(isComplete) {
      const [failed] = doubtful.values();
      if (isComplete && failed && rowsDone + next + waiting.length === 0) throw failed.error;
      if (isComplete) keepDoubtful();
      flush(1);
      await writing;
    },
  };
}

function chunkOf(results: readonly Waiting[], rowsDone: number): Chunk {
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
