// Searches known payments, on both engines. A search reads a bounded number of rows through an index, however many
// payments are known.

import { sql } from 'kysely';
import { canReach, capturedStates, type StateName, stateNames } from '../../contract/states.js';
import type { Store } from '../../store/store.js';
import type { AppRef } from '../payment-ref.js';
import { findForgotten } from './forgotten.js';
import { postgresFind } from './postgres-search.js';
import type { DeskTables, KnownPaymentRow } from '../schema.js';
import { type KnownFilter, ofApp } from './search-conditions.js';
import type { SearchWord } from './search-words.js';
import { sqliteFind } from './sqlite-search.js';

export interface KnownSearch {
  /**
   * Payments with these words that fit the filter: all of them, unless they are many. Then it is at least `limit` of
   * those that became known last.
   */
  find(words: readonly SearchWord[], filter: KnownFilter, limit: number): Promise<KnownPaymentRow[]>;
  /** Payments with one of these as their ID or reference. */
  named(names: readonly string[]): Promise<KnownPaymentRow[]>;
  /** How many are known, counted up to this number. */
  count(most: number): Promise<number>;
  /**
   * The IDs of payments whose payer and card are not known, though the customer has paid, or may have since they were
   * seen before this time. Those of forgotten customers are not among them. It looks at this many of the newest.
   */
  withoutPayer(seenBefore: number, most: number): Promise<string[]>;
}

/** A read of a payment in one of these shows who paid, and with what. */
const payerStates: readonly StateName[] = [
  'Authorised',
  'Declined',
  'Cancelling',
  'Capturing',
  ...capturedStates,
];
const mayGetPayer = stateNames.filter((name) => !payerStates.includes(name) && canReach(name, 'Authorised'));

/** As many are ranked by their words, at the least. */
const MIN_RANKED = 100;

export function createKnownSearch({ db, engine }: Store<DeskTables>, { appId }: AppRef): KnownSearch {
  const find = engine === 'sqlite' ? sqliteFind : postgresFind;
  // SQLite would rather sort all payments of the app.
  const newestFirst = engine === 'sqlite' ? sql`known_payments not indexed` : sql`known_payments`;
  return {
    find: (words, filter, limit) =>
      // Without words there is nothing to rank by but the time.
      find(db, appId, words, filter, words.length === 0 ? limit : Math.max(MIN_RANKED, limit)),

    async named(names) {
      if (names.length === 0) return [];
      const by = (column: 'payment_id' | 'reference_id') =>
        sql`select * from (select * from known_payments where ${ofApp(appId)}
          and ${sql.ref(column)} in (${sql.join(names)}) limit ${sql.lit(MIN_RANKED)}) as ${sql.ref(`by_${column}`)}`;
      const query = sql<KnownPaymentRow>`${by('payment_id')} union all ${by('reference_id')}`;
      return (await query.execute(db)).rows;
    },

    async count(most) {
      const { rows } = await sql<{ count: number | string }>`select count(*) as count from
        (select 1 from known_payments where ${ofApp(appId)} limit ${sql.lit(most)}) as known`.execute(db);
      return Number(rows[0]?.count ?? 0);
    },

    async withoutPayer(seenBefore, most) {
      const { rows } = await sql<{ payment_id: string }>`select payment_id from
        (select * from ${newestFirst} where ${ofApp(appId)} order by id desc limit ${sql.lit(most)}) as newest
        where coalesce(payer_name, payer_email, brand, provider_reference, provider_profile) is null
          and (state in (${sql.join(payerStates)})
            or (state in (${sql.join(mayGetPayer)}) and seen_time < ${seenBefore}))`.execute(db);
      const ids = rows.map(({ payment_id }) => payment_id);
      const forgotten = await findForgotten(db, { appId }, ids);
      return ids.filter((id) => !forgotten.has(id));
    },
  };
}

/** After many payments became known at once, PostgreSQL should know how common their words are. */
export async function analyseKnown({ db, engine }: Store<DeskTables>): Promise<void> {
  if (engine === 'postgres') await sql`analyze known_payments`.execute(db);
}
