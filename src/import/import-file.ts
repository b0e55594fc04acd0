// One import from beginning to end: checks the file, continues where an earlier run ended, and tells what came of it.

import type { Client } from '../client/client.js';
import { systemClock } from '../client/clock.js';
import { countText } from '../contract/amount-format.js';
import {
  InterruptedError,
  PartialError,
  PaydeskError,
  PendingError,
  ServiceError,
  TemporaryError,
} from '../errors.js';
import { analyseKnown } from '../ledger/known/search.js';
import type { AppRef } from '../ledger/payment-ref.js';
import type { DeskTables } from '../ledger/schema.js';
import type { NextStep } from '../next-command.js';
import type { SheetFormat } from '../spreadsheet/sheet.js';
import type { TextFile } from '../spreadsheet/text.js';
import type { Store } from '../store/store.js';
import { writeChunk } from './chunk.js';
import { startChunkWriter, type ChunkWriter } from './chunk-writer.js';
import { importOrders } from './import-orders.js';
import {
  createImportRecord,
  type ImportCounts,
  type ImportProblem,
  type ImportRecord,
} from './import-record.js';
import { checkOrderFile, type OrderFile } from './order-file.js';
import { type ChosenColumn, layoutOf } from './order-rows.js';

export interface Imported extends Pick<OrderFile, 'rows' | 'skipped' | 'cut'> {
  /** Rows that an earlier run did. */
  resumedAt: number;
  counts: ImportCounts;
  /** The first of them. */
  problems: ImportProblem[];
}

interface ImportOptions {
  client: Client;
  store: Store<DeskTables>;
  /** Where the store is, for the thread that writes to it as well. Few rows, and all where the thread has no file, are written here. */
  location: string;
  threadFile: string | undefined;
  app: AppRef;
  signal: AbortSignal;
  columns: readonly ChosenColumn[];
  concurrency: number;
  /** The command that continues it. */
  again: NextStep;
  onFormat: (format: SheetFormat) => void;
  onProgress: (progress: { done: number; resumedAt: number; rows: number }) => void;
}

const MAX_PROBLEMS = 10_000;
/** Starting a thread takes longer than writing this many rows. */
const THREAD_FROM = 1_000;
/** What ends an import that the same command can continue. */
const continuable = [InterruptedError, PendingError, TemporaryError];

export async function importFile(file: TextFile, options: ImportOptions): Promise<Imported> {
  const orders = await checkOrderFile(file, layoutOf(options.columns));
  try {
    return await importChecked(orders, options);
  } finally {
    await orders.close();
  }
}

async function importChecked(
  { rows, skipped, cut, format, fingerprint, rowsFrom }: OrderFile,
  options: ImportOptions,
): Promise<Imported> {
  const { client, store, app, signal, concurrency, onProgress } = options;
  options.onFormat(format);
  const record = createImportRecord(store, app, fingerprint, Date.now);
  const { rowsDone: resumedAt, counts } = await record.start();
  const writer = startWriter(options, { record, fingerprint, counts, rows: rows - resumedAt });
  const tools = {
    client,
    clock: systemClock,
    signal,
    app,
    write: writer.write,
    onProgress: (done: number) => onProgress({ done, resumedAt, rows }),
  };
  const importRest = async () => {
    try {
      return await importOrders(tools, rowsFrom(resumedAt), { concurrency, rowsDone: resumedAt, counts });
    } finally {
      await writer.close();
    }
  };
  try {
    const total = await importRest();
    await analyseKnown(store);
    const problems = await record.problems(MAX_PROBLEMS);
    await record.finish();
    return { rows, skipped, cut, resumedAt, counts: total, problems };
  } catch (error) {
    const Class = continuable.find((one) => error instanceof one);
    if (!Class || !(error instanceof PaydeskError)) throw error;
    const { rowsDone } = await record.start();
    const { message, code, next, httpStatus } = error;
    throw new Class(message, {
      code,
      httpStatus,
      details: `${countText(rowsDone)} of ${countText(rows)} rows are imported. The same command continues there.`,
      next: [options.again, ...next],
      cause: error,
    });
  }
}

interface ImportStart {
  record: ImportRecord;
  fingerprint: string;
  counts: ImportCounts;
  /** Those that are left. */
  rows: number;
}

function startWriter(
  { store, app, location, threadFile }: ImportOptions,
  { record, fingerprint, counts, rows }: ImportStart,
): ChunkWriter {
  if (threadFile !== undefined && rows > THREAD_FROM) {
    return startChunkWriter(threadFile, { location, app: { appId: app.appId }, fingerprint, counts });
  }
  let sum = counts;
  return {
    write: async (chunk) => (sum = await writeChunk({ store, app, record, now: Date.now() }, chunk, sum)),
    close: async () => {},
  };
}

/** As with several payments that are read by name: in part, or none at all. */
export function importEnding({ rows, counts: { unknown, unreadable } }: Imported): PaydeskError | undefined {
  const missing = unknown + unreadable;
  if (missing === 0) return undefined;
  if (missing < rows) {
    return new PartialError(
      `${countText(missing)} of ${countText(rows)} rows did not become known payments.`,
      { code: 'partial' },
    );
  }
  const none = rows === 1 ? 'The only row did not become' : `None of the ${countText(rows)} rows became`;
  return new ServiceError(`${none} a known payment.`, { code: 'not-found' });
}
