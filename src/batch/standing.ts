import type { BatchRecord, DeskTables } from '../ledger/schema.js';
import type { Store } from '../store/store.js';
import { leaseClock } from '../store/claim.js';
import { type BatchCounts, createBatches } from './batches.js';
import type { Owner } from '../store/owner.js';

export type BatchState =
  /** Its plan is being read, or was not read to the end: nothing was sent. */
  | 'loading'
  /** Somebody works on it. */
  | 'running'
  /** Rows are left to do. */
  | 'stopped'
  /** Nothing is left to send, but the outcome of some is not known. */
  | 'unsettled'
  | 'finished';

/** How a batch stands, as `batch status` prints it. */
export interface BatchStatus extends BatchCounts {
  id: string;
  action: string;
  profile: string | null;
  appId: string;
  kind: string;
  rows: number;
  state: BatchState;
  operator: string;
  time: string;
}

export async function statusOf(
  store: Store<DeskTables>,
  batch: BatchRecord,
  owner: Owner,
  known?: BatchCounts,
): Promise<BatchStatus> {
  const counts = known ?? (await createBatches(store).counts(batch.id));
  const { id, action, profile, app_id: appId, kind, rows, operator } = batch;
  return {
    id,
    action,
    profile,
    appId,
    kind,
    rows,
    ...counts,
    // What is not there yet is still to be done.
    pending:
      batch.loader === null
        ? counts.pending
        : rows - (counts.done + counts.refused + counts.skipped + counts.unknown),
    state: await stateOf(store, batch, counts, owner),
    operator,
    time: new Date(batch.time).toISOString(),
  };
}

async function stateOf(
  store: Store<DeskTables>,
  batch: BatchRecord,
  counts: BatchCounts,
  owner: Owner,
): Promise<BatchState> {
  if (batch.loader !== null) return 'loading';
  const leases = await store.db
    .selectFrom('batch_rows')
    .select('lease_owner')
    .distinct()
    .where('batch_id', '=', batch.id)
    .where('finished', '=', 0)
    .where('lease_until', '>', leaseClock(store.engine))
    .execute();
  if (leases.some(({ lease_owner: name }) => name !== null && !owner.isGone(name))) return 'running';
  if (counts.pending > 0) return 'stopped';
  return counts.unknown > 0 ? 'unsettled' : 'finished';
}
