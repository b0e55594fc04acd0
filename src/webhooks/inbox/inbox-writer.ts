// Puts deliveries into the inbox. Those that come at the same time share a transaction; each is durable before its
// sender is answered.

import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { DeliveryVerdict, ForwardRow } from '../../ledger/inbox-schema.js';
import type { DeskTables } from '../../ledger/schema.js';
import { leaseClock } from '../../store/claim.js';
import type { Owner } from '../../store/owner.js';
import { prepared } from '../../store/prepared.js';
import type { Store } from '../../store/store.js';
import { type Delivery, deliveryOf, type SummaryRow } from './delivery.js';
import { insertForward, type PlannedForward } from './insert-forward.js';
import { createGroupWriter } from './group-writes.js';
import type { Named } from './name-payment.js';

/** A request as it came, without the secret of its path. */
export interface WebhookRequest {
  time: number;
  method: string;
  path: string;
  query: string;
  headers: Array<[string, string]>;
  body: Uint8Array;
}

interface NewDelivery {
  request: WebhookRequest;
  named: Named;
  forwards: PlannedForward[];
  /** For one of our own, made from what was read: nothing is left to be read. */
  synthetic?: { state: string; previousState: string | null; verdict: DeliveryVerdict };
}

interface AddedDelivery {
  delivery: Delivery;
  /** Forwards that are leased by us from the start. */
  leased: ForwardRow[];
}

export interface InboxWriter {
  add(delivery: NewDelivery): Promise<AddedDelivery>;
}

/** How long a delivery is left to the process that received it; renewed while that one runs. */
export const DELIVERY_LEASE_MS = 60_000;

type InsertName =
  | 'listener_id'
  | 'time'
  | 'kind'
  | 'method'
  | 'path'
  | 'query'
  | 'headers'
  | 'body'
  | 'digest'
  | 'payment_id'
  | 'reference_id'
  | 'named_by'
  | 'said_state'
  | 'event_id'
  | 'read_state'
  | 'previous_state'
  | 'verdict'
  | 'read_time'
  | 'lease_until'
  | 'lease_owner'
  | 'finished';

const insert = prepared<DeskTables, { id: number }, InsertName>((db, value, engine) =>
  db
    .insertInto('deliveries')
    .values(({ eb, val }) => ({
      listener_id: value('listener_id'),
      time: value('time'),
      kind: value('kind'),
      method: value('method'),
      path: value('path'),
      query: value('query'),
      headers: value('headers'),
      body: value('body'),
      digest: value('digest'),
      payment_id: value('payment_id'),
      reference_id: value('reference_id'),
      named_by: value('named_by'),
      said_state: value('said_state'),
      event_id: value('event_id'),
      read_state: value('read_state'),
      previous_state: value('previous_state'),
      verdict: value('verdict'),
      why: null,
      read_time: value('read_time'),
      due_time: value('time'),
      lease_until:
        engine === 'postgres' ? eb(leaseClock(engine), '+', val(DELIVERY_LEASE_MS)) : value('lease_until'),
      lease_owner: value('lease_owner'),
      finished: value('finished'),
    }))
    .returning('id'),
);

export function createInboxWriter(
  store: Store<DeskTables>,
  listenerId: number,
  owner: Owner,
  /** Whether we could send a forward at once. */
  hasRoom: () => boolean = () => false,
): InboxWriter {
  async function write(
    db: Kysely<DeskTables>,
    { request, named, forwards, synthetic }: NewDelivery,
  ): Promise<AddedDelivery> {
    const { time, method, path, query, body } = request;
    const summary: Omit<SummaryRow, 'id'> = {
      time,
      kind: synthetic ? 'synthetic' : 'received',
      payment_id: named.paymentId,
      reference_id: named.referenceId,
      named_by: named.namedBy,
      said_state: named.saidState,
      read_state: synthetic?.state ?? null,
      previous_state: synthetic?.previousState ?? null,
      verdict: synthetic?.verdict ?? null,
      why: null,
      read_time: synthetic ? time : null,
    };
    const { why: _, ...columns } = summary;
    const [row] = await insert(db, store.engine, {
      ...columns,
      listener_id: listenerId,
      method,
      path,
      query,
      headers: JSON.stringify(request.headers),
      body,
      digest: digestOf(request),
      event_id: named.eventId,
      lease_until: synthetic ? null : Date.now() + DELIVERY_LEASE_MS,
      lease_owner: synthetic ? null : owner.name,
      finished: synthetic ? 1 : 0,
    });
    const { id } = row as { id: number };
    const rows: ForwardRow[] = [];
    for (const forward of forwards) {
      const lease = hasRoom() ? owner.name : undefined;
      rows.push(await insertForward(db, store.engine, { listenerId, deliveryId: id }, forward, lease));
    }
    const leased = rows.filter(({ lease_owner }) => lease_owner !== null);
    return { delivery: deliveryOf({ ...summary, id }, rows), leased };
  }

  return { add: createGroupWriter(store, write, (tx) => holdListener(store, tx, listenerId)) };
}

/** A writer for a listener locks its row, so that ids become visible in order, also on PostgreSQL. */
export async function holdListener(
  store: Store<DeskTables>,
  tx: Kysely<DeskTables>,
  listenerId: number,
): Promise<void> {
  if (store.engine === 'sqlite') return;
  await store.forUpdate(tx.selectFrom('listeners').select('id').where('id', '=', listenerId)).execute();
}

function digestOf({ path, query, body }: WebhookRequest): string {
  return hash('sha256', Buffer.concat([Buffer.from(`${path}\0${query}\0`), body]));
}
