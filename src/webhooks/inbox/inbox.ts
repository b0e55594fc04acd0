// Webhooks, the newest last: saved before they are answered; only their outcome is added later.

import { paydesk } from '../../next-command.js';
import { UsageError } from '../../errors.js';
import type { Kysely } from 'kysely';
import type { DeliveryRow, ForwardAttemptRow, ForwardRow } from '../../ledger/inbox-schema.js';
import type { DeskTables } from '../../ledger/schema.js';
import type { Store } from '../../store/store.js';
import {
  type Delivery,
  deliveryOf,
  forwardOf,
  type ForwardRecord,
  hasFailed,
  summaryColumns,
  type SummaryRow,
} from './delivery.js';
import type { AppRef, PaymentNames } from '../../ledger/payment-ref.js';
import { findListener } from './listeners.js';
import { neverDelivered } from './never-delivered.js';

export interface DeliveryFilter {
  /** A paymentId or a referenceId. */
  payment?: string | undefined;
  /** What the service showed. */
  state?: string | undefined;
  /** Not older than this, in milliseconds. */
  since?: number | undefined;
  /** Only those that a target did not take. */
  failed?: boolean | undefined;
}

/** A delivery with the request itself and every attempt to pass it on. */
export interface WholeDelivery extends Delivery {
  method: string;
  path: string;
  query: string;
  /** In the order and case in which they came. */
  headers: Array<[string, string]>;
  body: Uint8Array;
  eventId: string | null;
  forwards: Array<ForwardRecord & { tries: ForwardAttemptRow[] }>;
}

/** Whether a delivery is one of those that a list with this filter has. */
export function matches({ payment, state, since, failed }: DeliveryFilter, delivery: Delivery): boolean {
  return (
    (payment === undefined || [delivery.paymentId, delivery.referenceId].includes(payment)) &&
    (state === undefined || delivery.state === state) &&
    (since === undefined || delivery.time >= since) &&
    (failed !== true || hasFailed(delivery.forwards))
  );
}

export interface Inbox {
  /** Deliveries that speak of a payment, the oldest first; with a limit, the newest of them. */
  ofPayment(app: AppRef, payment: PaymentNames, options?: { limit?: number }): Promise<Delivery[]>;
  /** The id of the newest delivery, 0 where there is none. Cheap enough to be asked again and again. */
  newestId(app: AppRef): Promise<number>;
  /** A page of the deliveries with a greater id, the oldest first. Ids become visible in order: none is passed over. */
  after(app: AppRef, id: number): Promise<Delivery[]>;
  /** The newest first, a page at a time; calls `more` when there are more than the limit. */
  list(
    app: AppRef,
    filter?: DeliveryFilter,
    options?: { limit?: number; more?: () => void },
  ): AsyncGenerator<Delivery>;
  find(app: AppRef, id: number): Promise<WholeDelivery | undefined>;
  /** As they are now, in the order of their ids. */
  named(app: AppRef, ids: readonly number[]): Promise<Delivery[]>;
}

const PAGE_SIZE = 200;

export function createInbox(store: Store<DeskTables>): Inbox {
  const { db } = store;
  const listenerIds = new Map<string, number>();

  async function listenerOf(app: AppRef): Promise<number | undefined> {
    const known = listenerIds.get(app.appId);
    if (known !== undefined) return known;
    const found = await findListener(db, app);
    if (found) listenerIds.set(app.appId, found.id);
    return found?.id;
  }

  async function withForwards(rows: ReadonlyArray<Parameters<typeof deliveryOf>[0]>): Promise<Delivery[]> {
    const forwards = await forwardsOf(
      db,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => deliveryOf(row, forwards));
  }

  const summaries = (listener: number) => summariesOf(db, listener);

  return {
    async ofPayment(app, names, { limit = 1000 } = {}) {
      const listener = await listenerOf(app);
      if (listener === undefined) return [];
      return withForwards(await rowsOfPayment(db, listener, names, limit));
    },

    async newestId(app) {
      const listener = await listenerOf(app);
      if (listener === undefined) return 0;
      return newestIn(db, listener);
    },

    async after(app, id) {
      const listener = await listenerOf(app);
      if (listener === undefined) return [];
      return withForwards(
        await summaries(listener).where('id', '>', id).orderBy('id').limit(PAGE_SIZE).execute(),
      );
    },

    async *list(app, filter = {}, { limit = Infinity, more } = {}) {
      const listener = await listenerOf(app);
      if (listener === undefined) return;
      let given = 0;
      // One more than is wanted tells whether there are more.
      for await (const rows of pagesOf(store, listener, filter, limit + 1)) {
        for (const delivery of await withForwards(rows)) {
          if (given++ === limit) {
            more?.();
            return;
          }
          yield delivery;
        }
      }
    },

    async find(app, id) {
      const listener = await listenerOf(app);
      if (listener === undefined) return undefined;
      const row = await db
        .selectFrom('deliveries')
        .selectAll()
        .where('listener_id', '=', listener)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && wholeDelivery(db, row);
    },

    async named(app, ids) {
      const listener = await listenerOf(app);
      if (listener === undefined || ids.length === 0) return [];
      return withForwards(await summaries(listener).where('id', 'in', ids).orderBy('id').execute());
    },
  };
}

const summariesOf = (db: Kysely<DeskTables>, listener: number) =>
  db.selectFrom('deliveries').select(summaryColumns).where('listener_id', '=', listener);

/** The newest that speak of a payment, in the order of their ids. */
async function rowsOfPayment(
  db: Kysely<DeskTables>,
  listener: number,
  { paymentId, referenceId }: PaymentNames,
  limit: number,
): Promise<SummaryRow[]> {
  const names = [
    ...(typeof paymentId === 'string' ? [['payment_id', paymentId] as const] : []),
    ...(typeof referenceId === 'string' ? [['reference_id', referenceId] as const] : []),
  ];
  // One index for each name: asked apart and put together.
  const found = await Promise.all(
    names.map(([column, value]) =>
      summariesOf(db, listener).where(column, '=', value).orderBy('id', 'desc').limit(limit).execute(),
    ),
  );
  // A sandbox that was reset uses the same IDs for other payments.
  const isOther = ({ reference_id }: SummaryRow) =>
    referenceId !== undefined && reference_id !== null && reference_id !== referenceId;
  const rows = [...new Map(found.flat().map((row) => [row.id, row])).values()].filter((row) => !isOther(row));
  return rows.sort((a, b) => a.id - b.id).slice(-limit);
}

async function newestIn(db: Kysely<DeskTables>, listener: number): Promise<number> {
  const newest = await db
    .selectFrom('deliveries')
    .select('id')
    .where('listener_id', '=', listener)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.id ?? 0;
}

/** The rows that match, the newest first, a page at a time. */
async function* pagesOf(
  { db, engine }: Store<DeskTables>,
  listener: number,
  { payment, state, since, failed }: DeliveryFilter,
  limit: number,
): AsyncGenerator<SummaryRow[]> {
  let given = 0;
  for (let before: number | undefined; given < limit;) {
    const size = Math.min(PAGE_SIZE, limit - given);
    let query = summariesOf(db, listener).orderBy('id', 'desc').limit(size);
    if (before !== undefined) query = query.where('id', '<', before);
    if (state !== undefined) query = query.where('read_state', '=', state);
    if (payment !== undefined) {
      query = query.where((eb) => eb.or([eb('payment_id', '=', payment), eb('reference_id', '=', payment)]));
    }
    if (failed) {
      query = query.where('id', 'in', (eb) =>
        eb
          .selectFrom('forwards')
          .select('delivery_id')
          .where('forwards.listener_id', '=', listener)
          .where('outcome', '=', 'failed')
          .where(neverDelivered(engine)),
      );
    }
    const rows = await query.execute();
    // Times follow the order of ids: after one that is too old there are only older ones.
    const recent = since === undefined ? rows : rows.filter(({ time }) => time >= since);
    yield recent;
    given += recent.length;
    before = rows.at(-1)?.id;
    if (rows.length < size || recent.length < rows.length) return;
  }
}

async function forwardsOf(db: Kysely<DeskTables>, ids: readonly number[]): Promise<ForwardRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('forwards').selectAll().where('delivery_id', 'in', ids).orderBy('id').execute();
}

async function wholeDelivery(db: Kysely<DeskTables>, row: DeliveryRow): Promise<WholeDelivery> {
  const forwards = await forwardsOf(db, [row.id]);
  const attempts =
    forwards.length === 0
      ? []
      : await db
          .selectFrom('forward_attempts')
          .selectAll()
          .where(
            'forward_id',
            'in',
            forwards.map(({ id }) => id),
          )
          .orderBy('id')
          .execute();
  return {
    ...deliveryOf(row, []),
    method: row.method,
    path: row.path,
    query: row.query,
    headers: JSON.parse(row.headers) as Array<[string, string]>,
    body: row.body,
    eventId: row.event_id,
    forwards: forwards.map((forward) => ({
      ...forwardOf(forward),
      tries: attempts.filter(({ forward_id }) => forward_id === forward.id),
    })),
  };
}

/** A delivery that must be there: one that a person asked for, or that was just listed or stored. */
export async function findDelivery(inbox: Inbox, app: AppRef, id: number): Promise<WholeDelivery> {
  const found = await inbox.find(app, id);
  if (found) return found;
  throw new UsageError(`This app has no saved webhook ${id}.`, {
    code: 'no-such-webhook',
    next: [paydesk('webhook', 'events')],
  });
}
