// Searches known payments on SQLite: the index of words is FTS5. Its planner knows no figures about the table, so the
// index that a query uses is chosen here.

import { sql, type Kysely } from 'kysely';
import type { DeskTables, KnownPaymentRow } from '../schema.js';
import {
  allOf,
  type Condition,
  conditionsOf,
  indexedConditions,
  inRow,
  type KnownFilter,
  ofApp,
  timeOf,
} from './search-conditions.js';
import type { SearchWord } from './search-words.js';

/** Words that leave more are of no use for narrowing. */
const MAX_IDS = 5_000;
/** The same for other conditions beside them: their ids are read faster than rows. */
const MAX_IDS_OF_SEVERAL = 20_000;
/** So few rows are read faster than they are narrowed further. */
const FEW_IDS = 3_000;
/** As many words that begin alike are looked for one by one. */
const MAX_TERMS = 50;
/** Where everything that was asked for is common, enough payments of these newest ones have it as a rule. */
const NEWEST_ROWS = 20_000;

/** By ids, or from the newest on: SQLite would rather go through all payments of the app. */
const table = sql`known_payments not indexed`;
/** A cross join keeps the order: the newest payments with these words come first, and the rest is never read. */
const byWords = sql`payment_words cross join known_payments not indexed on known_payments.id = payment_words.rowid`;
const isNewest = sql`known_payments.id > (select max(id) from known_payments) - ${sql.lit(NEWEST_ROWS)}`;

export async function sqliteFind(
  db: Kysely<DeskTables>,
  appId: string,
  words: readonly SearchWord[],
  filter: KnownFilter,
  limit: number,
): Promise<KnownPaymentRow[]> {
  const asked = await askIndex(db, words);
  if (asked === undefined) return [];
  const rows = async (from: Condition, conditions: readonly Condition[], newest: Condition) => {
    const found = await sql<KnownPaymentRow>`select known_payments.* from ${from}
      where ${allOf([ofApp(appId), ...conditions])} order by ${newest} desc limit ${sql.lit(limit)}`.execute(
      db,
    );
    return found.rows;
  };
  const conditions = conditionsOf(filter);
  const wordsInRow = words.map(inRow('instr'));
  const narrowed = await narrow(db, appId, asked, filter);
  if (narrowed) {
    if (narrowed.ids.size === 0) return [];
    const among = sql`known_payments.id in (${sql.raw([...narrowed.ids].join(', '))})`;
    return rows(table, [among, ...conditions, ...(narrowed.hasWords ? [] : wordsInRow)], timeOf);
  }
  // Everything that was asked for is common, so the newest that fit are not far.
  if (filter.time)
    return rows(sql`known_payments indexed by known_by_time`, [...conditions, ...wordsInRow], timeOf);
  if (words.length === 0) return rows(table, conditions, sql`known_payments.id`);
  if (asked.beginnings.length > 0) {
    const newest = await rows(table, [isNewest, ...conditions, ...wordsInRow], sql`known_payments.id`);
    if (newest.length >= limit) return newest;
  }
  const match = [...asked.parts, ...asked.beginnings.map((text) => `"${text}"*`)].join(' AND ');
  return rows(byWords, [sql`payment_words match ${match}`, ...conditions], sql`payment_words.rowid`);
}

/** What to ask the index of words for. */
interface IndexQuery {
  /** For FTS5, one for each word. */
  parts: string[];
  /**
   * Too many words begin like these. FTS5 itself merges the payments of all such words before it gives the first row,
   * so it is asked last.
   */
  beginnings: string[];
}

/** Undefined for a word that no payment has. */
async function askIndex(
  db: Kysely<DeskTables>,
  words: readonly SearchWord[],
): Promise<IndexQuery | undefined> {
  const asked: IndexQuery = { parts: [], beginnings: [] };
  for (const { text, prefix } of words) {
    const terms = prefix ? await termsLike(db, text) : [text];
    if (terms.length === 0) return undefined;
    if (terms.length > MAX_TERMS) asked.beginnings.push(text);
    else asked.parts.push(`(${terms.map((term) => `"${term}"`).join(' OR ')})`);
  }
  return asked;
}

/** The ids that the narrowest conditions leave; undefined where each of them leaves too many. */
async function narrow(
  db: Kysely<DeskTables>,
  appId: string,
  { parts, beginnings }: IndexQuery,
  filter: KnownFilter,
): Promise<{ ids: Set<number>; hasWords: boolean } | undefined> {
  async function idsOf(query: Condition, most: number): Promise<Set<number> | undefined> {
    const found = await sql<{ id: number }>`${query} limit ${sql.lit(most + 1)}`.execute(db);
    return found.rows.length > most ? undefined : new Set(found.rows.map(({ id }) => id));
  }
  const match = sql`select rowid as id from payment_words where payment_words match ${parts.join(' AND ')}`;
  let ids = parts.length === 0 ? undefined : await idsOf(match, MAX_IDS);
  const hasWords = ids !== undefined && beginnings.length === 0;
  const conditions = indexedConditions(filter);
  const isSeveral = conditions.length > 1 || parts.length + beginnings.length > 0;
  // A span of time bounds the way through the rows, so that many ids are not worth reading.
  const most = isSeveral && !filter.time ? MAX_IDS_OF_SEVERAL : MAX_IDS;
  const queries = [
    ...conditions.map((one) => sql`select id from known_payments where ${allOf([ofApp(appId), one])}`),
    ...beginnings.map(
      (text) => sql`select doc as id from payment_terms where ${beginsLike(text, sql`${text}`)}`,
    ),
  ];
  for (const query of queries) {
    if (ids && ids.size <= FEW_IDS) break;
    const these = await idsOf(query, most);
    if (these) ids = ids ? ids.intersection(these) : these;
  }
  return ids && { ids, hasWords };
}

const beginsLike = (beginning: string, from: Condition): Condition =>
  sql`term >= ${from} and term < ${`${beginning}\u{10FFFF}`}`;

/**
 * Words that begin like this, at most one more than `MAX_TERMS`. The query goes from each word to the next, past the
 * payments that have it.
 */
async function termsLike(db: Kysely<DeskTables>, beginning: string): Promise<string[]> {
  const next = (from: Condition) =>
    sql`(select term from payment_terms where ${beginsLike(beginning, from)} limit 1)`;
  const { rows } = await sql<{ term: string }>`
    with recursive terms(term) as (
      select ${next(sql`${beginning}`)}
      union all
      select ${next(sql`terms.term || char(1)`)} from terms where terms.term is not null
    )
    select term from terms where term is not null limit ${sql.lit(MAX_TERMS + 1)}`.execute(db);
  return rows.map(({ term }) => term);
}
