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
  const asked: AskedOfDatabase = { db, appId, words, filter, limit };
  if (words.some(({ prefix }) => prefix)) return findBeginnings(asked);
  if (await isRare(asked)) return sorted(asked, hasWords(words));
  // Everything that was asked for is common, so the newest that fit are not far.
  const fitting = fittingQuery([ofApp(appId), ...conditionsOf(filter), ...inRows(words)]);
  const { rows } =
    await sql<KnownPaymentRow>`${fitting} ${newestFirst(filter)} limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

interface AskedOfDatabase {
  db: Kysely<DeskTables>;
  appId: string;
  words: readonly SearchWord[];
  filter: KnownFilter;
  limit: number;
}

/** The planner takes the beginning of a word for rare, however many words begin like it. The newest payments tell. */
async function findBeginnings(asked: AskedOfDatabase): Promise<KnownPaymentRow[]> {
  const { db, appId, words, filter, limit } = asked;
  const conditions = conditionsOf(filter);
  const isRareFilter =
    conditions.length > 0 &&
    (await expectedRows(db, fittingQuery([ofApp(appId), ...conditions]))) <= mostSorted(filter);
  if (isRareFilter) return sorted(asked, inRows(words));
  const newest = sql`${fittingQuery([ofApp(appId), ...conditionsOf({ time: filter.time })])}
    ${newestFirst(filter)} limit ${sql.lit(MAX_SORTED)}`;
  const { rows } = await sql<KnownPaymentRow>`select * from (${newest}) as known_payments
    where ${allOf([...conditions, ...inRows(words)])} ${newestFirst(filter)} limit ${sql.lit(limit)}`.execute(
    db,
  );
  return rows.length >= limit ? rows : sorted(asked, hasWords(words));
}

/** All that fit are looked up and sorted. */
async function sorted(
  { db, appId, filter, limit }: AskedOfDatabase,
  words: readonly Condition[],
): Promise<KnownPaymentRow[]> {
  const fitting = fittingQuery([ofApp(appId), ...conditionsOf(filter), ...words]);
  // With the order inside, the planner may go through all payments by their time instead.
  const { rows } = await sql<KnownPaymentRow>`
    with fitting as materialized (${fitting} limit ${sql.lit(MAX_SORTED)})
    select * from fitting order by ${timeOf} desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

const fittingQuery = (conditions: readonly Condition[]): Condition =>
  sql`select * from known_payments where ${allOf(conditions)}`;

const newestFirst = ({ time }: KnownFilter): Condition => sql`order by ${time ? timeOf : sql`id`} desc`;

const mostSorted = ({ time }: KnownFilter): number => (time ? MAX_SORTED_IN_SPAN : MAX_SORTED);

/** Whether what fits is better looked up and sorted than met on the way from the newest on. */
async function isRare({ db, appId, words, filter }: AskedOfDatabase): Promise<boolean> {
  const expected = (conditions: readonly Condition[]) =>
    expectedRows(db, fittingQuery([ofApp(appId), ...conditions, ...hasWords(words)]));
  if (words.length > 0 && (await expected([])) <= MAX_SORTED) return true;
  return (await expected(conditionsOf(filter))) <= mostSorted(filter);
}

/** By the planner's figures, without reading any row. */
async function expectedRows(db: Kysely<DeskTables>, query: Condition): Promise<number> {
  const { rows } = await sql<{
    'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }];
  }>`explain (format json) ${query}`.execute(db);
  return rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}

const inRows = (words: readonly SearchWord[]): Condition[] => words.map(inRow('strpos'));

/** By the index `known_by_words`. */
function hasWords(words: readonly SearchWord[]): Condition[] {
  if (words.length === 0) return [];
  const query = words.map(({ text, prefix }) => `'${text}'${prefix ? ':*' : ''}`).join(' & ');
  return [sql`array_to_tsvector(string_to_array(words, ' ')) @@ ${query}::tsquery`];
}
