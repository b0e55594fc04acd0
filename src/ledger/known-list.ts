// What this desk knows of payments, in pieces that an index serves: one state and a span of time at a time.

import { sql, type Kysely, type SelectQueryBuilder } from 'kysely';
import type { DeskTables, IntentRow, KnownPaymentRow } from './schema.js';

export interface AppPlace {
  baseUrl: string;
  appId: string;
}

/** Payments in one state, first seen in it within a span of time. */
export interface Span {
  state: string;
  /** First seen in it at this time or before. */
  to?: number | undefined;
  /** First seen in it after this time. */
  after?: number | undefined;
  order: 'oldest' | 'newest';
  customer?: string | undefined;
  /** Created, or first heard of where that is not known, at this time or later. */
  since?: number | undefined;
}

type Query = SelectQueryBuilder<DeskTables, 'known_payments', KnownPaymentRow>;

/** A page of a span, after the payment that the page before ended with. */
export function spanQuery(
  db: Kysely<DeskTables>,
  { baseUrl, appId }: AppPlace,
  span: Span,
  limit: number,
  last?: KnownPaymentRow,
): Query {
  const { to, after, customer, since, order } = span;
  const direction = order === 'oldest' ? 'asc' : 'desc';
  let query: Query = db
    .selectFrom('known_payments')
    .selectAll()
    .where('base_url', '=', baseUrl)
    .where('app_id', '=', appId)
    .where('state', '=', span.state)
    .orderBy('state_time', direction)
    .orderBy('payment_id', direction)
    .limit(sql.lit(limit));
  if (to !== undefined) query = query.where('state_time', '<=', to);
  if (after !== undefined) query = query.where('state_time', '>', after);
  if (customer !== undefined) query = query.where('customer_id', '=', customer);
  if (since !== undefined) {
    // No state is seen before its payment was created, so the index leaves out what is older.
    query = query
      .where('state_time', '>=', since)
      .where(({ fn, eb }) => eb(fn.coalesce('created_time', 'known_time'), '>=', since));
  }
  if (last !== undefined) {
    const comparison = sql.raw(order === 'oldest' ? '>' : '<');
    query = query.where(
      sql<boolean>`(state_time, payment_id) ${comparison} (${last.state_time}, ${last.payment_id})`,
    );
  }
  return query;
}

/** The states that payments are known in. Goes from one to the next in the index instead of through all payments. */
export function statesQuery({ baseUrl, appId }: AppPlace) {
  return sql<{ state: string }>`
    with recursive found(state) as (
      select (select min(state) from known_payments where base_url = ${baseUrl} and app_id = ${appId})
      union all
      select (select min(state) from known_payments
              where base_url = ${baseUrl} and app_id = ${appId} and state > found.state)
      from found where found.state is not null
    )
    select state from found where state is not null`;
}

/** An instruction that is not settled, with its last outcome. */
export interface OpenIntent extends IntentRow {
  outcome: string | null;
}

// More open instructions than anybody settles by hand.
const MANY = 1_000;

/** The instructions of this desk that are not settled, the oldest first; of these payments only, where they are given. */
export async function readOpenIntents(
  db: Kysely<DeskTables>,
  { baseUrl, appId }: AppPlace,
  paymentIds?: readonly string[],
): Promise<OpenIntent[]> {
  if (paymentIds?.length === 0) return [];
  let query = db
    .selectFrom('holds')
    .innerJoin('intents', 'intents.id', 'holds.intent_id')
    .selectAll('intents')
    .select((eb) =>
      eb
        .selectFrom('outcomes')
        .select('outcomes.outcome')
        .whereRef('outcomes.intent_id', '=', 'holds.intent_id')
        .orderBy('outcomes.id', 'desc')
        .limit(sql.lit(1))
        .as('outcome'),
    )
    .where('holds.base_url', '=', baseUrl)
    .where('holds.app_id', '=', appId)
    .orderBy('intents.id')
    .limit(sql.lit(MANY));
  if (paymentIds !== undefined) query = query.where('holds.payment_id', 'in', paymentIds);
  return query.execute();
}

export async function readKnown(
  db: Kysely<DeskTables>,
  place: AppPlace,
  paymentIds: readonly string[],
): Promise<KnownPaymentRow[]> {
  if (paymentIds.length === 0) return [];
  return db
    .selectFrom('known_payments')
    .selectAll()
    .where('base_url', '=', place.baseUrl)
    .where('app_id', '=', place.appId)
    .where('payment_id', 'in', paymentIds)
    .execute();
}
