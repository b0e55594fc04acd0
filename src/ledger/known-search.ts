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
   * Payments with these words that fit the filter. All of them if they are few, otherwise those that became known
   * last.
   */
  find(words: readonly SearchWord[], filter: KnownFilter): Promise<KnownPaymentRow[]>;
  /** Payments with this ID or reference. */
  named(name: string): Promise<KnownPaymentRow[]>;
  /** Whether none is known at all. */
  isEmpty(): Promise<boolean>;
}

/** As many as are ranked; an index that gives more is left for another one. */
export const MAX_CANDIDATES = 1_000;
/** As many words that begin alike are looked for. */
const MAX_TERMS = 50;

type Condition = RawBuilder<unknown>;

export function createKnownSearch(store: Store<DeskTables>, { appId }: AppRef): KnownSearch {
  const { db } = store;
  const ofApp = sql`known_payments.app_id = ${appId}`;

  async function rows(conditions: readonly Condition[], text?: TextSearch): Promise<KnownPaymentRow[]> {
    const found = await sql<KnownPaymentRow>`select known_payments.* from ${text?.from ?? sql`known_payments`}
      where ${sql.join([ofApp, ...conditions], sql` and `)}
      order by ${text?.newest ?? sql`known_payments.id`} desc limit ${sql.lit(MAX_CANDIDATES)}`.execute(db);
    return found.rows;
  }

  /** The IDs that one condition leaves; undefined where they are too many to be looked through. */
  async function idsOf(query: Condition): Promise<number[] | undefined> {
    const found = await sql<{ id: number }>`${query} limit ${sql.lit(MAX_CANDIDATES + 1)}`.execute(db);
    return found.rows.length > MAX_CANDIDATES ? undefined : found.rows.map(({ id }) => id);
  }

  return {
    async find(words, filter) {
      const text = words.length === 0 ? undefined : await textSearch(store, words);
      if (text === 'nothing') return [];
      const conditions = conditionsOf(filter);
      const indexed = indexedConditions(filter).map((condition) => narrowingQuery(ofApp, condition));
      for (const query of text ? [...indexed.slice(0, 1), text.ids, ...indexed.slice(1)] : indexed) {
        const ids = await idsOf(query);
        if (ids === undefined) continue;
        if (ids.length === 0) return [];
        const found = await rows([sql`known_payments.id in (${sql.join(ids.map((id) => sql.lit(id)))})`, ...conditions]);
        return found.filter((row) => words.every((word) => hasWord(row.words, word)));
      }
      // Whatever is asked for is common, so the newest that fit are not far.
      return rows([...conditions, ...(text ? [text.condition] : [])], text);
    },

    async named(name) {
      const by = (column: 'payment_id' | 'reference_id') =>
        rows([sql`${sql.ref(column)} = ${name}`]);
      return [...(await by('payment_id')), ...(await by('reference_id'))];
    },

    async isEmpty() {
      const found = await sql`select 1 from known_payments where ${ofApp} limit 1`.execute(db);
      return found.rows.length === 0;
    },
  };
}

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
      where term >= ${beginning} and term < ${`${beginning}\u{10FFFF}`} limit ${sql.lit(MAX_TERMS)}`.execute(db);
    return rows.map(({ term }) => term);
  }

  return {
    ids: sql`select rowid as id from payment_words where ${condition}`,
    // A cross join keeps the order: the newest payments with these words come first, and the rest is never read.
    from: sql`payment_words cross join known_payments on known_payments.id = payment_words.rowid`,
    condition,
    newest: sql`payment_words.rowid`,
  };
}
