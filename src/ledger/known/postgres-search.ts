// Searches known payments on PostgreSQL: its own full text. The planner chooses the indexes by its figures about the table.

import { sql, type Kysely } from 'kysely';
import type { DeskTables, KnownPaymentRow } from '../schema.js';
import {
  allOf,
  type Condition,
  conditionsOf,
  inRow,
  type KnownFilter,
  ofApp,
  timeOf,
} from './search-conditions.js';
import type { SearchWord } from './search-words.js';

/** As many are sorted; what leaves more is looked for among the newest. */
const MAX_SORTED = 5_000;
/** The same where a span of time bounds the way. */
const MAX_SORTED_IN_SPAN = 500;

export async function postgresFind(
  db: Kysely<DeskTables>,
  appId: string,
  words: readonly SearchWord[],
  filter: KnownFilter,
  limit: number,
): Promise<KnownPaymentRow[]> {
  const conditions = [ofApp(appId), ...conditionsOf(filter)];
  const newest = sql`desc limit ${sql.lit(limit)}`;
  if (await isRare(db, appId, words, filter)) {
    // With the order inside, the planner may go through all payments by their time instead.
    const fitting = fittingQuery([...conditions, ...hasWords(words)]);
    const { rows } = await sql<KnownPaymentRow>`
      with fitting as materialized (${fitting} limit ${sql.lit(MAX_SORTED)})
      select * from fitting order by ${timeOf} ${newest}`.execute(db);
    return rows;
  }
  // Everything that was asked for is common, so the newest that fit are not far.
  const fitting = fittingQuery([...conditions, ...words.map(inRow('strpos'))]);
  const { rows } = await sql<KnownPaymentRow>`${fitting}
    order by ${filter.time ? timeOf : sql`id`} ${newest}`.execute(db);
  return rows;
}

const fittingQuery = (conditions: readonly Condition[]): Condition =>
  sql`select * from known_payments where ${allOf(conditions)}`;

/** Whether what fits is better looked up and sorted than met on the way from the newest on. */
async function isRare(
  db: Kysely<DeskTables>,
  appId: string,
  words: readonly SearchWord[],
  filter: KnownFilter,
): Promise<boolean> {
  const expected = (conditions: readonly Condition[]) =>
    expectedRows(db, fittingQuery([ofApp(appId), ...conditions, ...hasWords(words)]));
  if (words.length > 0 && (await expected([])) <= MAX_SORTED) return true;
  return (await expected(conditionsOf(filter))) <= (filter.time ? MAX_SORTED_IN_SPAN : MAX_SORTED);
}

/** By the planner's figures, without reading any row. */
async function expectedRows(db: Kysely<DeskTables>, query: Condition): Promise<number> {
  const { rows } = await sql<{
    'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }];
  }>`explain (format json) ${query}`.execute(db);
  return rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}

/** By the index `known_by_words`. */
function hasWords(words: readonly SearchWord[]): Condition[] {
  if (words.length === 0) return [];
  const query = words.map(({ text, prefix }) => `'${text}'${prefix ? ':*' : ''}`).join(' & ');
  return [sql`array_to_tsvector(string_to_array(words, ' ')) @@ ${query}::tsquery`];
}
