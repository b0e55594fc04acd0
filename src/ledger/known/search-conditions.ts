// What a search asks of known payments, as conditions that both engines understand.

import { sql, type RawBuilder } from 'kysely';
import type { SearchWord } from './search-words.js';

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

export type Condition = RawBuilder<unknown>;

export const ofApp = (appId: string): Condition => sql`known_payments.app_id = ${appId}`;

/** The expression of the index `known_by_time`. */
export const timeOf = sql`coalesce(created_time, known_time)`;

const hasEmail = (column: 'payer_email' | 'order_email', email: string): Condition =>
  sql`(${sql.ref(column)} is not null and lower(${sql.ref(column)}) = ${email.toLowerCase()})`;

/** What an index can serve, the narrowest first as a rule. */
export function indexedConditions({ customer, email, amount, time, states }: KnownFilter): Condition[] {
  const conditions: Condition[] = [];
  if (customer !== undefined) conditions.push(sql`customer_id = ${customer}`);
  if (email !== undefined)
    conditions.push(sql`(${hasEmail('payer_email', email)} or ${hasEmail('order_email', email)})`);
  if (amount) conditions.push(sql`amount_number between ${amount.from} and ${amount.to}`);
  if (time) conditions.push(sql`(${timeOf} >= ${time.from} and ${timeOf} < ${time.to})`);
  if (states) conditions.push(states.length === 0 ? sql`1 = 0` : sql`state in (${sql.join(states)})`);
  return conditions;
}

export function conditionsOf(filter: KnownFilter): Condition[] {
  const { currency, brand } = filter;
  return [
    ...indexedConditions(filter),
    ...(currency === undefined ? [] : [sql`currency = ${currency}`]),
    ...(brand === undefined ? [] : [sql`lower(brand) = ${brand.toLowerCase()}`]),
  ];
}

/**
 * Whether a row has a word, for words that are too common for their index. PostgreSQL takes a pattern of `like` for
 * rare, and would look for everything else first.
 */
export const inRow =
  (position: 'instr' | 'strpos') =>
  ({ text, prefix }: SearchWord): Condition =>
    sql`${sql.raw(position)}(' ' || known_payments.words || ' ', ${prefix ? ` ${text}` : ` ${text} `}) > 0`;

export const allOf = (conditions: readonly Condition[]): Condition => sql.join(conditions, sql` and `);
