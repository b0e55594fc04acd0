// What the ledger has of the rows of a batch.

import type { Entry } from '../ledger/entries.js';
import { outcomeOf } from '../ledger/entries.js';
import type { BatchRecord, BatchRow, DeskTables } from '../ledger/schema.js';
import { leaseClock } from '../store/claim.js';
import type { Owner } from '../store/owner.js';
import type { Store } from '../store/store.js';

/** The last intent that the batch wrote for each payment. */
export async function intentsOf(
  store: Store<DeskTables>,
  batch: BatchRecord,
  rows: readonly BatchRow[],
): Promise<Map<string, Entry>> {
  // Neither a recheck nor a charge has an intent: a charge is found by its reference.
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

/** Rows as the ledger has them, where a process ended before it wrote down what became of a row. */
export type AsInLedger = (rows: readonly BatchRow[]) => Promise<BatchRow[]>;

export async function createAsInLedger(
  store: Store<DeskTables>,
  batch: BatchRecord,
  owner: Owner,
): Promise<AsInLedger> {
  const { now } = await store.db
    .selectFrom('identity')
    .select(leaseClock(store.engine).as('now'))
    .executeTakeFirstOrThrow();
  const isWorkedOn = ({ lease_owner, lease_until }: BatchRow) =>
    lease_owner !== null && (lease_until ?? 0) > now && !owner.isGone(lease_owner);
  return async (rows) => {
    const entries = await intentsOf(
      store,
      batch,
      rows.filter((row) => isBegun(row) && !isWorkedOn(row)),
    );
    return rows.map((row) => {
      const entry = isBegun(row) ? entries.get(row.payment_id) : undefined;
      return entry ? withOutcome(row, entry) : row;
    });
  };
}

/** Claimed once, and nothing is written down of it. */
const isBegun = ({ finished, outcome, lease_owner, due_time }: BatchRow): boolean =>
  finished === 0 && (outcome === null || outcome === 'unsent') && (lease_owner !== null || due_time > 0);

function withOutcome(row: BatchRow, entry: Entry): BatchRow {
  const outcome = outcomeOf(entry);
  if (outcome === 'unsent') return row;
  const why = entry.last ? entry.last.why : 'its process ended before the outcome was known';
  return { ...row, outcome, after_state: entry.last?.after_state ?? null, why };
}

/** The rows that nobody has finished and somebody has begun. */
export function begunRows(store: Store<DeskTables>, batch: BatchRecord): Promise<BatchRow[]> {
  return store.db
    .selectFrom('batch_rows')
    .selectAll()
    .where('batch_id', '=', batch.id)
    .where('finished', '=', 0)
    .where(({ eb, or }) => or([eb('lease_owner', 'is not', null), eb('due_time', '>', 0)]))
    .execute();
}
