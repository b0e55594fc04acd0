// Known payments as a provider's file names them, and those that such a file should name.

import { sql, type RawBuilder } from 'kysely';
import { stateNames, states } from '../../contract/states.js';
import type { Store } from '../../store/store.js';
import type { AppRef } from '../payment-ref.js';
import type { DeskTables, KnownPaymentRow } from '../schema.js';

const columns = [
  'id',
  'payment_id',
  'reference_id',
  'amount',
  'currency',
  'captured_amount',
  'state',
  'provider_reference',
  'authorize_id',
  'capture_id',
  'provider_fee',
  'provider_profile',
] as const satisfies ReadonlyArray<keyof KnownPaymentRow>;

/** What is compared with a line of a file. */
export type SettledRow = Pick<KnownPaymentRow, (typeof columns)[number]>;

export type SettledKey = 'provider_reference' | 'capture_id' | 'authorize_id' | 'reference_id';

type DeskStore = Store<DeskTables>;

const selected = sql.join(columns.map((column) => sql.ref(column)));

/** The texts of a list, as rows. One parameter, however many there are. */
const textsOf = ({ engine }: DeskStore, values: readonly string[]): RawBuilder<unknown> =>
  engine === 'postgres'
    ? sql`(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`
    : sql`(select value from json_each(${JSON.stringify(values)}))`;

/** All that have one of these values, by one index and in no order. */
export async function findSettled(
  store: DeskStore,
  { appId }: AppRef,
  key: SettledKey,
  values: readonly string[],
): Promise<SettledRow[]> {
  if (values.length === 0) return [];
  const { rows } = await sql<SettledRow>`select ${selected} from known_payments
    where app_id = ${appId} and ${sql.ref(key)} in ${textsOf(store, values)}`.execute(store.db);
  return rows;
}

export interface Period {
  /** In milliseconds, both included. */
  since: number;
  until: number;
}

/** Which operation the provider should have booked in the period. */
export type ExpectedKind = 'capture' | 'refund';

/** Nothing was captured in these and never will be. Any other state may be a capture that this desk has not seen yet. */
const notExpected = [
  'Captured',
  ...stateNames.filter((name) => states[name].final && name !== 'Refunded'),
].map((name) => sql.lit(name));

/**
 * When the capture of a payment is not known exactly, it counts from the earliest time that it may have been; that of a
 * payment in another state from when it was created. A refund counts only where it is known to have been in the period.
 */
const expected: Readonly<Record<ExpectedKind, (period: Period) => RawBuilder<unknown>>> = {
  capture: ({ since, until }) => sql`(
    (state = 'Captured' and since_time between ${since} and ${until}) or
    (state not in (${sql.join(notExpected)}) and since_time >= ${since}
      and coalesce(created_time, known_time) between ${since} and ${until}))`,
  refund: ({ since, until }) =>
    sql`(state = 'Refunded' and since_time >= ${since} and state_time <= ${until})`,
};

/** A page of the numbers of payments that the file should name, after the one that the page before ended with. */
export async function expectedIds(
  { db, engine }: DeskStore,
  { appId }: AppRef,
  kind: ExpectedKind,
  { period, after, limit }: { period: Period; after: number; limit: number },
): Promise<number[]> {
  // Goes through the payments in their own order: by another index, SQLite would sort all of them for each page.
  const table = engine === 'postgres' ? sql`known_payments` : sql`known_payments not indexed`;
  const { rows } = await sql<{ id: number }>`select id from ${table}
    where app_id = ${appId} and id > ${after} and ${expected[kind](period)}
    order by id limit ${sql.lit(limit)}`.execute(db);
  return rows.map(({ id }) => id);
}

export async function settledByIds({ db }: DeskStore, ids: readonly number[]): Promise<SettledRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('known_payments').select(columns).where('id', 'in', ids).orderBy('id').execute();
}

/** Everything that decides which lines mean a payment, and what they are compared with. */
export type ComparedRow = SettledRow & Pick<KnownPaymentRow, 'created_time'>;

export async function comparedRows(
  store: DeskStore,
  { appId }: AppRef,
  paymentIds: readonly string[],
): Promise<ComparedRow[]> {
  if (paymentIds.length === 0) return [];
  const { rows } = await sql<ComparedRow>`select ${selected}, created_time from known_payments
    where app_id = ${appId} and payment_id in ${textsOf(store, paymentIds)} order by id`.execute(store.db);
  return rows;
}

/** Payments of the same amount that were made around a time: a hint for a person, and never proof. */
export async function findSameAmount(
  { db }: DeskStore,
  { appId }: AppRef,
  { amount, currency }: { amount: string; currency: string },
  { since, until }: Period,
): Promise<SettledRow[]> {
  const { rows } = await sql<SettledRow>`select ${selected} from known_payments
    where app_id = ${appId} and amount_number = ${Number(amount)} and currency = ${currency}
      and coalesce(created_time, known_time) between ${since} and ${until}
    order by id limit ${sql.lit(20)}`.execute(db);
  return rows;
}
