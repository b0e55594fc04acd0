// Webhooks as they arrived, the outcome of each, and where they were forwarded.

import { sql, type Generated, type Kysely, type Selectable } from 'kysely';
import { blobType, idColumn } from '../store/columns.js';
import type { Migration } from '../store/store.js';

/** The listener of an app: there is one, wherever it runs, and its address contains its secret. */
interface ListenerTable {
  id: Generated<number>;
  app_id: string;
  secret: string;
  time: number;
}

/** What a read of the payment says about a delivery. */
export type DeliveryVerdict =
  /** The service shows another state than at the last read, or the payment was never read before. */
  | 'changed'
  /** The same, and it cannot have come there in one step: webhooks in between were lost or are still to come. */
  | 'several'
  /** Nothing changed since the last read. */
  | 'same'
  /** The same webhook came before. */
  | 'duplicate'
  /** It reports a state that the payment has left since. */
  | 'stale'
  /** It reports a state that the service does not show. */
  | 'unconfirmed'
  /** The service has no such payment. */
  | 'unknown'
  /** The payment could not be read, or was not, since too much came at once. */
  | 'unread'
  /** It names no payment. */
  | 'none'
  /** No webhook came: a read showed the change. */
  | 'missed'
  /** Made by this desk, to try a handler. */
  | 'made';

/** A webhook as it came, or one that this desk made itself. */
interface DeliveryTable {
  id: Generated<number>;
  listener_id: number;
  time: number;
  /** `synthetic` for one of our own. */
  kind: 'received' | 'synthetic';
  method: string;
  /** What came after the secret, with its slash; the secret itself is not kept here. */
  path: string;
  /** As it came, without the question mark. */
  query: string;
  /** JSON: a list of [name, value] in the order and case in which they came. */
  headers: string;
  body: Uint8Array;
  /** Of the body with the path and query, in hex. */
  digest: string;
  payment_id: string | null;
  reference_id: string | null;
  /** Where the payment was named; null where none was. */
  named_by: string | null;
  /** The state that the webhook itself claims. */
  said_state: string | null;
  event_id: string | null;
  /** What the service showed: our name for the state where there is one. */
  read_state: string | null;
  /** The state at the read before. */
  previous_state: string | null;
  verdict: DeliveryVerdict | null;
  /** Why there is no state, for a person. */
  why: string | null;
  read_time: number | null;
  due_time: number;
  lease_until: number | null;
  lease_owner: string | null;
  /** 1 once it was read, or will not be. */
  finished: number;
}

/** A delivery on its way to one target. */
interface ForwardTable {
  id: Generated<number>;
  listener_id: number;
  delivery_id: number;
  target: string;
  /** Who may send it: a loopback address means another program on every machine. */
  target_key: string;
  /** Forwards with the same lane leave one after another. */
  lane: string;
  replay: number;
  /** What was done to it on purpose. */
  chaos: string | null;
  attempts: number;
  first_time: number | null;
  /** Of the last attempt. */
  status: number | null;
  ms: number | null;
  error: string | null;
  /** Null while it waits. */
  outcome: 'delivered' | 'failed' | 'dropped' | null;
  due_time: number;
  lease_until: number | null;
  lease_owner: string | null;
  finished: number;
}

/** One request to a target. Rows are only ever added. */
interface ForwardAttemptTable {
  id: Generated<number>;
  forward_id: number;
  time: number;
  status: number | null;
  ms: number;
  /** The start of the answer. */
  answer: string | null;
  error: string | null;
}

export interface InboxTables {
  listeners: ListenerTable;
  deliveries: DeliveryTable;
  forwards: ForwardTable;
  forward_attempts: ForwardAttemptTable;
}

export type ListenerRow = Selectable<ListenerTable>;
export type DeliveryRow = Selectable<DeliveryTable>;
export type ForwardRow = Selectable<ForwardTable>;
export type ForwardAttemptRow = Selectable<ForwardAttemptTable>;

export const createInboxTables: Migration['up'] = async (db) => {
  await createListeners(db);
  await createDeliveries(db);
  await createForwards(db);
};

async function createListeners(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('listeners')
    .addColumn('id', ...idColumn(db))
    .addColumn('app_id', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('one_listener_per_app', ['app_id'])
    .execute();
}

async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deliveries')
    .addColumn('id', ...idColumn(db))
    .addColumn('listener_id', 'bigint', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('method', 'text', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('query', 'text', (column) => column.notNull())
    .addColumn('headers', 'text', (column) => column.notNull())
    .addColumn('body', sql.raw(blobType(db)), (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('payment_id', 'text')
    .addColumn('reference_id', 'text')
    .addColumn('named_by', 'text')
    .addColumn('said_state', 'text')
    .addColumn('event_id', 'text')
    .addColumn('read_state', 'text')
    .addColumn('previous_state', 'text')
    .addColumn('verdict', 'text')
    .addColumn('why', 'text')
    .addColumn('read_time', 'bigint')
    .addColumn('due_time', 'bigint', (column) => column.notNull())
    .addColumn('lease_until', 'bigint')
    .addColumn('lease_owner', 'text')
    .addColumn('finished', 'integer', (column) => column.notNull())
    .execute();
  for (const statement of [
    sql`create index deliveries_in_order on deliveries (listener_id, id)`,
    sql`create index deliveries_of_payment on deliveries (listener_id, payment_id, id) where payment_id is not null`,
    sql`create index deliveries_of_reference on deliveries (listener_id, reference_id, id) where reference_id is not null`,
    sql`create index deliveries_in_state on deliveries (listener_id, read_state, id) where read_state is not null`,
    sql`create index deliveries_of_event on deliveries (listener_id, event_id, id) where event_id is not null`,
    sql`create index deliveries_alike on deliveries (listener_id, digest, id) where event_id is null`,
    sql`create index deliveries_due on deliveries (due_time, id) where finished = 0`,
  ]) {
    await statement.execute(db);
  }
}

async function createForwards(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('forwards')
    .addColumn('id', ...idColumn(db))
    .addColumn('listener_id', 'bigint', (column) => column.notNull())
    .addColumn('delivery_id', 'bigint', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('target_key', 'text', (column) => column.notNull())
    .addColumn('lane', 'text', (column) => column.notNull())
    .addColumn('replay', 'integer', (column) => column.notNull())
    .addColumn('chaos', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('first_time', 'bigint')
    .addColumn('status', 'integer')
    .addColumn('ms', 'integer')
    .addColumn('error', 'text')
    .addColumn('outcome', 'text')
    .addColumn('due_time', 'bigint', (column) => column.notNull())
    .addColumn('lease_until', 'bigint')
    .addColumn('lease_owner', 'text')
    .addColumn('finished', 'integer', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('forward_attempts')
    .addColumn('id', ...idColumn(db))
    .addColumn('forward_id', 'bigint', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('ms', 'integer', (column) => column.notNull())
    .addColumn('answer', 'text')
    .addColumn('error', 'text')
    .execute();
  for (const statement of [
    sql`create index forwards_of_delivery on forwards (delivery_id, id)`,
    sql`create index forwards_failed on forwards (listener_id, delivery_id) where outcome = 'failed'`,
    sql`create index forwards_due on forwards (due_time, id) where finished = 0`,
    sql`create index forwards_in_lane on forwards (lane, id) where finished = 0`,
    sql`create index attempts_of_forward on forward_attempts (forward_id, id)`,
  ]) {
    await statement.execute(db);
  }
}
