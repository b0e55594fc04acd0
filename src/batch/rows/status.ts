import type { BatchRecord, DeskTables } from '../../ledger/schema.js';
import type { Store } from '../../store/store.js';
import { leaseClock } from '../../store/claim.js';
import { type BatchCounts, countRows, createTally } from './counts.js';
import { createLedgerView } from './ledger-view.js';
import type { Owner } from '../../store/owner.js';

type BatchState =
  /** Its plan is being loaded, or was not loaded to the end: nothing was sent. */
  | 'loading'
  /** A process works on it. */
  | 'running'
  /** Rows are left to do. */
  | 'stopped'
  /** Nothing is left to send, but the outcome of some rows is unknown. */
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
): Promise<BatchStatus> {
  const tally = createTally(batch);
  await countRows(store, batch, tally);
  const view = await createLedgerView(store, batch, owner);
  for await (const { row, shown } of view.abandoned())
    tally.move(row, { outcome: shown.outcome ?? 'unsent' });
  const counts = tally.counts();
  const isRunning = await isWorkedOn(store, batch, owner);
  return statusWith(batch, counts, isRunning ? 'running' : restingState(batch, counts));
}

/** How a batch stands that nobody works on any more. */
export function statusAfterRun(batch: BatchRecord, counts: BatchCounts): BatchStatus {
  return statusWith(batch, counts, restingState(batch, counts));
}

function statusWith(batch: BatchRecord, counts: BatchCounts, state: BatchState): BatchStatus {
  const { id, action, profile, app_id: appId, kind, rows, operator } = batch;
  const time = new Date(batch.time).toISOString();
  return { id, action, profile, appId, kind, rows, ...counts, state, operator, time };
}

async function isWorkedOn(store: Store<DeskTables>, batch: BatchRecord, owner: Owner): Promise<boolean> {
  const leases = await store.db
    .selectFrom('batch_rows')
    .select('lease_owner')
    .distinct()
    .where('batch_id', '=', batch.id)
    .where('finished', '=', 0)
    .where('lease_until', '>', leaseClock(store.engine))
    .execute();
  return leases.some(({ lease_owner: name }) => name !== null && !owner.isGone(name));
}

function restingState(batch: BatchRecord, counts: BatchCounts): BatchState {
  if (batch.loader !== null) return 'loading';
  if (counts.pending > 0) return 'stopped';
  return counts.unknown > 0 ? 'unsettled' : 'finished';
}
