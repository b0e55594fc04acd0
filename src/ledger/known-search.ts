// Searches known payments. Each query reads a bounded number of rows through one index, however many are known.

import { sql, type RawBuilder } from 'kysely';
import type { Store } from '../store/store.js';
import { hasWord, type SearchWord } from './search-words.js';
import type { AppRef } from './payment-ref.js';
import type { DeskTables, KnownPaymentRow } from './schema.js';

/** What is asked of a payment besides its words. Everything that is there must be true. */
export interface KnownFilter {
  /** From and to, both included. */
  amount?: { from: number; to: number } | undefined;
  currency?: string | undefined;
  /** Created in this span, or first seen where that is not known; the end is not part of it. */
  time?: { from: number; to: number } | undefined;
  states?: readonly string[] | undefined;
  customer?: string | undefined;
  email?: string | undefined;
  brand?: string | undefined;
}

export interface KnownSearch {
  /**
   * Payments with these words that fit the filter: all of them, unless they are many. Then it is at least `limit` of
   * those that became known last.
   */
  find(words: readonly SearchWord[], filter: KnownFilter, limit: number): Promise<KnownPaymentRow[]>;
  /** Payments with this ID or reference. */
  named(name: string): Promise<KnownPaymentRow[]>;
  /** Whether none is known at all. */
  isEmpty(): Promise<boolean>;
}

/** A condition that leaves more is of no use for narrowing. */
const MAX_IDS = 5_000;
/** As many are ranked, at the least. */
const MIN_RANKED = 200;
/** As many words that begin alike are looked for. */
const MAX_TERMS = 50;

type Condition = RawBuilder<unknown>;

export function createKnownSearch(store: Store<DeskTables>, { appId }: AppRef): KnownSearch {
  const { db } = store;
  const ofApp = sql`known_payments.app_id = ${appId}`;
  const table = tableByIds(store);

  /** The newest rows, without an index: by their ids, or from the newest on until there are enough. */
  async function rows(from: Condition, conditions: readonly Condition[], newest: Condition, limit: number) {
    const found = await sql<KnownPaymentRow>`select known_payments.* from ${from}
      where ${sql.join([ofApp, ...conditions], sql` and `)}
      order by ${newest} desc limit ${sql.lit(limit)}`.execute(db);
    return found.rows;
  }

  /** The ids that one condition leaves; undefined where they are too many. */
  async function idsOf(query: Condition): Promise<Set<number> | undefined> {
    const found = await sql<{ id: number }>`${query} limit ${sql.lit(MAX_IDS + 1)}`.execute(db);
    return found.rows.length > MAX_IDS ? undefined : new Set(found.rows.map(({ id }) => id));
  }

  return {
    async find(words, filter, limit) {
      const text = words.length === 0 ? undefined : await textSearch(store, words);
      if (text === 'nothing') return [];
      const conditions = conditionsOf(filter);
      const narrowing = indexedConditions(filter).map((condition) => narrowingQuery(ofApp, condition));
      let ids = text && (await idsOf(text.ids));
      const wordsNarrowed = ids !== undefined;
      for (const query of ids?.size === 0 ? [] : narrowing) {
        const these = await idsOf(query);
        if (these) ids = ids ? ids.intersection(these) : these;
        if (ids?.size === 0) break;
      }
      if (ids?.size === 0) return [];
      const most = Math.max(MIN_RANKED, limit);
      if (ids === undefined) {
        // Everything that was asked for is common, so the newest that fit are not far.
        if (text) return rows(text.from, [text.condition, ...conditions], text.newest, most);
        return rows(table, conditions, sql`known_payments.id`, most);
      }
      const among = sql`known_payments.id in (${sql.raw([...ids].join(', '))})`;
      // Where the index was of no use, the words are looked for in the rows.
      const isSure = text === undefined || wordsNarrowed;
      const found = await rows(table, [among, ...conditions], timeOf, isSure ? most : MAX_IDS);
      return found.filter((row) => words.every((word) => hasWord(row.words, word)));
    },

    async named(name) {
      const by = (column: 'payment_id' | 'reference_id') =>
        sql<KnownPaymentRow>`select * from known_payments where ${ofApp} and ${sql.ref(column)} = ${name}
          limit ${sql.lit(MIN_RANKED)}`.execute(db);
      return [...(await by('payment_id')).rows, ...(await by('reference_id')).rows];
    },

    async isEmpty() {
      const found = await sql`select 1 from known_payments where ${ofApp} limit 1`.execute(db);
      return found.rows.length === 0;
    },
  };
}

/** SQLite would rather go through all payments of the app than look the few up that have these ids. */
const tableByIds = ({ engine }: Store<DeskTables>): Condition =>
  engine === 'sqlite' ? sql`known_payments not indexed` : sql`known_payments`;

const narrowingQuery = (ofApp: Condition, condition: Condition): Condition =>
  sql`select id from known_payments where ${ofApp} and ${condition}`;

const timeOf = sql`coalesce(created_time, known_time)`;

const hasEmail = (column: 'payer_email' | 'order_email', email: string): Condition =>
  sql`(${sql.ref(column)} is not null and lower(${sql.ref(column)}) = ${email.toLowerCase()})`;

const byCustomer = (customer: string): Condition => sql`customer_id = ${customer}`;
const byEmail = (email: string): Condition =>
  sql`(${hasEmail('payer_email', email)} or ${hasEmail('order_email', email)})`;
const byAmount = ({ from, to }: { from: number; to: number }): Condition =>
  sql`amount_number between ${from} and ${to}`;
const byTime = ({ from, to }: { from: number; to: number }): Condition =>
  sql`(${timeOf} >= ${from} and ${timeOf} < ${to})`;
const byStates = (states: readonly string[]): Condition =>
  states.length === 0 ? sql`1 = 0` : sql`state in (${sql.join(states)})`;

/** What an index can serve, the narrowest first as a rule. */
function indexedConditions({ customer, email, amount, time, states }: KnownFilter): Condition[] {
  return [
    ...(customer === undefined ? [] : [byCustomer(customer)]),
    ...(email === undefined ? [] : [byEmail(email)]),
    ...(amount === undefined ? [] : [byAmount(amount)]),
    ...(time === undefined ? [] : [byTime(time)]),
    ...(states === undefined ? [] : [byStates(states)]),
  ];
}

function conditionsOf(filter: KnownFilter): Condition[] {
  const { currency, brand } = filter;
  return [
    ...indexedConditions(filter),
    ...(currency === undefined ? [] : [sql`currency = ${currency}`]),
    ...(brand === undefined ? [] : [sql`lower(brand) = ${brand.toLowerCase()}`]),
  ];
}

interface TextSearch {
  ids: Condition;
  /** For rows: what to select from, the condition, and what to sort by. */
  from: Condition;
  condition: Condition;
  newest: Condition;
}

async function textSearch(
  store: Store<DeskTables>,
  words: readonly SearchWord[],
): Promise<TextSearch | 'nothing'> {
  return store.engine === 'sqlite' ? sqliteText(store, words) : postgresText(words);
}

/** The expression of the index `known_by_words`. */
const lexemes = sql`array_to_tsvector(string_to_array(words, ' '))`;

function postgresText(words: readonly SearchWord[]): TextSearch {
  const query = words.map(({ text, prefix }) => `'${text}'${prefix ? ':*' : ''}`).join(' & ');
  const condition = sql`${lexemes} @@ ${query}::tsquery`;
  return {
    ids: sql`select id from known_payments where ${condition}`,
    from: sql`known_payments`,
    condition,
    newest: sql`known_payments.id`,
  };
}

async function sqliteText(
  { db }: Store<DeskTables>,
  words: readonly SearchWord[],
): Promise<TextSearch | 'nothing'> {
  const parts: string[] = [];
  for (const { text, prefix } of words) {
    const terms = prefix ? await termsLike(text) : [text];
    if (terms.length === 0) return 'nothing';
    parts.push(`(${terms.map((term) => `"${term}"`).join(' OR ')})`);
  }
  const condition = sql`payment_words match ${parts.join(' AND ')}`;

  /** FTS5 would merge all words that begin alike before it gives the first row. */
  async function termsLike(beginning: string): Promise<string[]> {
    const { rows } = await sql<{ term: string }>`select term from payment_terms
      where term >= ${beginning} and term < ${`${beginning}\u{10FFFF}`} limit ${sql.lit(MAX_TERMS)}`.execute(
      db,
    );
    return rows.map(({ term }) => term);
  }

  return {
    ids: sql`select rowid as id from payment_words where ${condition}`,
    // A cross join keeps the order: the newest payments with these words come first, and the rest is never read.
    from: sql`payment_words cross join known_payments not indexed on known_payments.id = payment_words.rowid`,
    condition,
    newest: sql`payment_words.rowid`,
  };
}

/** After many payments became known at once, PostgreSQL should know how common their words are. */
export async function analyseKnown({ db, engine }: Store<DeskTables>): Promise<void> {
  if (engine === 'postgres') await sql`analyze known_payments`.execute(db);
}
