// What the ledger has of the rows of a batch.

import { sql } from 'kysely';
import { type Entry, outcomeOf } from '../../ledger/moves/entries.js';
import { findOpen } from '../../ledger/moves/intent-log.js';
import { mayHaveLeft } from '../../ledger/moves/intent-conditions.js';
import type { BatchRecord, BatchRow, DeskTables } from '../../ledger/schema.js';
import { leaseClock } from '../../store/claim.js';
import type { Owner } from '../../store/owner.js';
import type { Store } from '../../store/store.js';
import { rowPages } from './row-pages.js';
import type { RowOutcome } from './worked-row.js';

/**
 * When the rows of a process that is gone are due: after those that nobody has begun. Settling takes its time, and the
 * others need not wait for it.
 */
export const ABANDONED_DUE = 1;

/** The last intent of the batch for each payment whose instruction may have reached the service. */
export async function intentsOf(
  store: Store<DeskTables>,
  batch: BatchRecord,
  rows: readonly BatchRow[],
): Promise<Map<string, Entry>> {
  // A recheck has no intent, and a charge is found by its reference.
  if (rows.length === 0 || batch.action === 'recheck' || batch.action === 'charge') return new Map();
  const intents = await store.db
    .selectFrom('intents')
    .selectAll()
    .where(
      'payment_id',
      'in',
      rows.map((row) => row.payment_id),
    )
    .where('app_id', '=', batch.app_id)
    .where('retired', '=', 0)
    .where('operation', '=', batch.action)
    .where('batch_id', '=', batch.id)
    .where(mayHaveLeft)
    .orderBy('id')
    .execute();
  if (intents.length === 0) return new Map();
  const outcomes = await store.db
    .selectFrom('outcomes')
    .selectAll()
    .where(
      'intent_id',
      'in',
      intents.map(({ id }) => id),
    )
    .orderBy('id')
    .execute();
  const last = new Map(outcomes.map((outcome) => [outcome.intent_id, outcome]));
  return new Map(intents.map((intent) => [intent.payment_id, { ...intent, last: last.get(intent.id) }]));
}

/** The charges of a batch whose payment nobody has seen, by their reference. */
async function unseenCharges(
  store: Store<DeskTables>,
  batch: BatchRecord,
  rows: readonly BatchRow[],
): Promise<Map<string, Entry>> {
  const found = await Promise.all(
    rows.map(({ typed }) => findOpen(store, { appId: batch.app_id }, { referenceId: typed })),
  );
  return new Map(
    found
      .flat()
      .flatMap((entry) =>
        entry.batch_id === batch.id && entry.reference_id !== null ? [[entry.reference_id, entry]] : [],
      ),
  );
}

/**
 * The rows of a batch as the ledger has them: a process that was killed has not written down what became of the rows
 * that it worked on.
 */
export interface LedgerView {
  /** These rows, each with the outcome that the ledger has where nobody wrote one down. */
  of(rows: readonly BatchRow[]): Promise<BatchRow[]>;
  /** The rows that no process works on any more, as they are written down and as the ledger has them. */
  abandoned(): AsyncGenerator<{ row: BatchRow; shown: BatchRow }>;
}

export async function createLedgerView(
  store: Store<DeskTables>,
  batch: BatchRecord,
  owner: Owner,
): Promise<LedgerView> {
  const { now } = await store.db
    .selectFrom('identity')
    .select(leaseClock(store.engine).as('now'))
    .executeTakeFirstOrThrow();

  function isAbandoned({ finished, due_time, lease_owner, lease_until }: BatchRow): boolean {
    if (finished === 1) return false;
    if (lease_owner === null) return due_time === ABANDONED_DUE;
    return (lease_until ?? 0) <= now || owner.isGone(lease_owner);
  }

  /** By their ids, the rows of which the ledger knows more. */
  async function known(rows: readonly BatchRow[]): Promise<Map<number, BatchRow>> {
    const abandoned = rows.filter(isAbandoned);
    const isCharge = batch.action === 'charge';
    const entries = await (isCharge ? unseenCharges : intentsOf)(store, batch, abandoned);
    return new Map(
      abandoned.flatMap((row) => {
        const entry = entries.get(isCharge ? row.typed : row.payment_id);
        return entry ? [[row.id, withOutcome(row, entry)]] : [];
      }),
    );
  }

  async function of(rows: readonly BatchRow[]): Promise<BatchRow[]> {
    const found = await known(rows);
    return rows.map((row) => found.get(row.id) ?? row);
  }

  async function* abandoned(): AsyncGenerator<{ row: BatchRow; shown: BatchRow }> {
    const begun = sql<boolean>`finished = 0 and (lease_owner is not null or due_time = ${sql.lit(ABANDONED_DUE)})`;
    for await (const page of rowPages(store, batch.id, begun)) {
      const found = await known(page);
      for (const row of page) {
        const shown = found.get(row.id);
        if (shown) yield { row, shown };
      }
    }
  }

  return { of, abandoned };
}

/** What the ledger has of a row. An instruction that may have left and counts as unsent was throttled. */
export function rowOutcomeOf(entry: Entry): RowOutcome {
  const outcome = outcomeOf(entry);
  return outcome === 'unsent' ? 'throttled' : outcome;
}

function withOutcome(row: BatchRow, entry: Entry): BatchRow {
  const outcome = rowOutcomeOf(entry);
  const why = entry.last ? entry.last.why : 'its process ended before the outcome was known';
  return { ...row, outcome, after_state: entry.last?.after_state ?? null, why };
}
