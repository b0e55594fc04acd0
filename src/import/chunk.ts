// Some rows of an import that were read: what is written of them, in one transaction.

import type { Kysely } from 'kysely';
import { readKnown } from '../ledger/known/list.js';
import { rememberMany } from '../ledger/known/remember.js';
import type { SeenPayment } from '../ledger/known/seen-payment.js';
import type { AppRef } from '../ledger/payment-ref.js';
import type { DeskTables, KnownPaymentRow } from '../ledger/schema.js';
import type { Store } from '../store/store.js';
import type { ImportCounts, ImportProblem, ImportRecord } from './import-record.js';

export interface Chunk {
  /** A `SeenPayment` each, as JSON. */
  seen: string[];
  problems: ImportProblem[];
  unknown: number;
  unreadable: number;
  /** Rows that are done with these. */
  rowsDone: number;
}

/** What all rows came to so far, given what those before these came to. */
export async function writeChunk(
  { store, app, record, now }: { store: Store<DeskTables>; app: AppRef; record: ImportRecord; now: number },
  { problems, unknown, unreadable, rowsDone, ...chunk }: Chunk,
  counts: ImportCounts,
): Promise<ImportCounts> {
  const seen = JSON.parse(`[${chunk.seen.join(',')}]`) as SeenPayment[];
  const ids = [...new Set(seen.map(({ paymentId }) => paymentId))];
  return store.transaction(async (tx) => {
    const before = await readKnown(tx, app, ids);
    await rememberMany(tx, store.engine, { seen, source: 'imported', now });
    const created = ids.length - before.length;
    const changed = await countChanged(tx, app, before);
    const sum = {
      created: counts.created + created,
      changed: counts.changed + changed,
      // A second row of the same payment adds nothing of its own.
      same: counts.same + seen.length - created - changed,
      unknown: counts.unknown + unknown,
      unreadable: counts.unreadable + unreadable,
    };
    await record.save(tx, rowsDone, sum, problems);
    return sum;
  });
}

/** The words of an order do not show everything: `ORD-4` and `ORD 4` have the same ones. */
const comparedColumns = [
  'words',
  'state',
  'amount',
  'order_id',
  'order_name',
  'order_email',
  'order_note',
] as const satisfies ReadonlyArray<keyof KnownPaymentRow>;

/** How many of these payments are known otherwise now. */
async function countChanged(
  tx: Kysely<DeskTables>,
  app: AppRef,
  before: readonly KnownPaymentRow[],
): Promise<number> {
  const after = await readKnown(
    tx,
    app,
    before.map((row) => row.payment_id),
  );
  const rows = new Map(after.map((row) => [row.payment_id, row]));
  return before.filter((row) => {
    const now = rows.get(row.payment_id) ?? row;
    return comparedColumns.some((column) => now[column] !== row[column]);
  }).length;
}
