// What this desk knows of payments, in pieces that an index serves: one state and a span of time at a time.

import { sql, type Kysely, type SelectQueryBuilder } from 'kysely';
import type { AppRef } from '../payment-ref.js';
import type { DeskTables, KnownPaymentRow } from '../schema.js';

/** Payments in one state, within a span of time. */
export interface Span {
  state: string;
  /** In it since this time or before, at the earliest. */
  to?: number | undefined;
  /** In it since a later time than this, at the earliest. */
  after?: number | undefined;
  /** First seen in it at this time or before. */
  seenBy?: number | undefined;
  order: 'oldest' | 'newest';
  customer?: string | undefined;
  /** Created at this time or later; where that is not known, first seen then. */
  since?: number | undefined;
}

type Query = SelectQueryBuilder<DeskTables, 'known_payments', KnownPaymentRow>;

/** A page of a span, after the payment that the page before ended with. */
export function spanQuery(
  db: Kysely<DeskTables>,
  { appId }: AppRef,
  span: Span,
  limit: number,
  last?: KnownPaymentRow,
): Query {
  const { to, after, seenBy, customer, since, order } = span;
  const direction = order === 'oldest' ? 'asc' : 'desc';
  let query: Query = db
    .selectFrom('known_payments')
    .selectAll()
    .where('app_id', '=', appId)
    .where('state', '=', span.state)
    .orderBy('since_time', direction)
    .orderBy('payment_id', direction)
    .limit(sql.lit(limit));
  if (to !== undefined) query = query.where('since_time', '<=', to);
  if (after !== undefined) query = query.where('since_time', '>', after);
  if (seenBy !== undefined) query = query.where('state_time', '<=', seenBy);
  if (customer !== undefined) query = query.where('customer_id', '=', customer);
  if (since !== undefined) {
    // No payment is in a state before it was created, so the index leaves out what is older.
    query = query
      .where('since_time', '>=', since)
      .where(({ fn, eb }) => eb(fn.coalesce('created_time', 'known_time'), '>=', since));
  }
  if (last !== undefined) {
    const comparison = sql.raw(order === 'oldest' ? '>' : '<');
    query = query.where(
      sql<boolean>`(since_time, payment_id) ${comparison} (${last.since_time}, ${last.payment_id})`,
    );
  }
  return query;
}

/** The states that payments are known in. Goes from one to the next in the index instead of through all payments. */
export function statesQuery({ appId }: AppRef) {
  return sql<{ state: string }>`
    with recursive found(state) as (
      select (select min(state) from known_payments where app_id = ${appId})
      union all
      select (select min(state) from known_payments
              where app_id = ${appId} and state > found.state)
      from found where found.state is not null
    )
    select state from found where state is not null`;
}

// More than anybody goes through by hand.
const MAX_LISTED = sql.lit(10_000);

/**
 * The payments that may need attention whatever their state: an instruction of this desk is open, or was not carried
 * out, or reads showed one that failed.
 */
export async function readUnsettledIds(db: Kysely<DeskTables>, { appId }: AppRef): Promise<string[]> {
  const { rows } = await sql<{ payment_id: string }>`
    select payment_id from (
      select payment_id from holds where app_id = ${appId}
      union
      select payment_id from known_payments
        where app_id = ${appId} and failed_operation is not null
      union
      select intents.payment_id from outcomes join intents on intents.id = outcomes.intent_id
        where outcomes.outcome in ('failed', 'refused', 'unsent')
          and intents.app_id = ${appId} and intents.retired = 0
    ) as unsettled limit ${MAX_LISTED}`.execute(db);
  return rows.map(({ payment_id }) => payment_id);
}

export async function readKnown(
  db: Kysely<DeskTables>,
  app: AppRef,
  paymentIds: readonly string[],
): Promise<KnownPaymentRow[]> {
  if (paymentIds.length === 0) return [];
  return db
    .selectFrom('known_payments')
    .selectAll()
    .where('app_id', '=', app.appId)
    .where('payment_id', 'in', paymentIds)
    .execute();
}
