// Writes a forward in the transaction of the delivery or the read that asks for it.

import { sql, type Kysely } from 'kysely';
import type { ForwardRow } from '../../ledger/inbox-schema.js';
import type { DeskTables } from '../../ledger/schema.js';
import { leaseClock } from '../../store/claim.js';
import { prepared } from '../../store/prepared.js';
import type { Engine } from '../../store/store.js';

/** A forward that is to be written. */
export interface PlannedForward {
  target: { url: string; key: string };
  lane: string;
  dueTime: number;
  chaos: string | null;
  dropped: boolean;
  replay: boolean;
}

/** Longer than an attempt takes. */
export const FORWARD_LEASE_MS = 20_000;

type InsertName =
  | 'listener_id'
  | 'delivery_id'
  | 'target'
  | 'target_key'
  | 'lane'
  | 'replay'
  | 'chaos'
  | 'outcome'
  | 'due_time'
  | 'finished'
  | 'lease_until'
  | 'lease_owner';

type Inserted = Pick<ForwardRow, 'id' | 'lease_owner'>;

const insert = prepared<DeskTables, Inserted, InsertName>((db, value, engine) => {
  // The index holds unfinished forwards only. If this 0 were a parameter, SQLite would plan the query again at every run.
  const isFirst = sql`not exists (
    select 1 from forwards as earlier where earlier.lane = ${value('lane')} and earlier.finished = ${sql.lit(0)}
  )`;
  const until =
    engine === 'postgres'
      ? sql`case when ${value('lease_owner')}::text is not null then ${leaseClock(engine)} + ${sql.lit(FORWARD_LEASE_MS)} end`
      : value('lease_until');
  return db
    .insertInto('forwards')
    .values({
      listener_id: value('listener_id'),
      delivery_id: value('delivery_id'),
      target: value('target'),
      target_key: value('target_key'),
      lane: value('lane'),
      replay: value('replay'),
      chaos: value('chaos'),
      outcome: value('outcome'),
      due_time: value('due_time'),
      finished: value('finished'),
      attempts: 0,
      first_time: null,
      status: null,
      ms: null,
      error: null,
      lease_until: sql<number | null>`case when ${isFirst} then ${until} end`,
      lease_owner: sql<string | null>`case when ${isFirst} then ${value('lease_owner')} end`,
    })
    .returning(['id', 'lease_owner']);
});

/**
 * Within a transaction that holds the listener's row: ids must become visible in order. Where nothing is before it in
 * its lane it may be leased from the start, and be sent without being claimed.
 */
export async function insertForward(
  db: Kysely<DeskTables>,
  engine: Engine,
  { listenerId, deliveryId }: { listenerId: number; deliveryId: number },
  forward: PlannedForward,
  owner: string | undefined,
): Promise<ForwardRow> {
  const now = Date.now();
  const leaseOwner = forward.dropped || forward.dueTime > now ? null : (owner ?? null);
  const values = {
    listener_id: listenerId,
    delivery_id: deliveryId,
    target: forward.target.url,
    target_key: forward.target.key,
    lane: forward.lane,
    replay: forward.replay ? 1 : 0,
    chaos: forward.chaos,
    outcome: forward.dropped ? ('dropped' as const) : null,
    due_time: forward.dueTime,
    finished: forward.dropped ? 1 : 0,
    lease_owner: leaseOwner,
    lease_until: leaseOwner === null ? null : now + FORWARD_LEASE_MS,
  };
  const [row] = await insert(db, engine, values);
  const { id, lease_owner } = row as Inserted;
  const unsent = { attempts: 0, first_time: null, status: null, ms: null, error: null };
  return {
    ...values,
    ...unsent,
    id,
    lease_owner,
    lease_until: lease_owner === null ? null : values.lease_until,
  };
}
