import { hasWord, joinedWord, typedWords, wordsOf } from '../ledger/known/search-words.js';

export interface Person {
  customerId: string;
  name: string;
  email: string;
  mobile: string;
}

/** How a customer was found, the best first; the last is by a payment of theirs. */
export const customerMatches = ['id', 'detail', 'words', 'beginning', 'payment'] as const;
export type CustomerMatch = (typeof customerMatches)[number];

/** What a caller says about themselves, ready for comparing. */
export interface CustomerQuery {
  words: string[];
  /** All of it as one word. */
  joined: string;
  /** The digits of a telephone number, without what differs from country to country. */
  digits: string | undefined;
}

/** Shorter numbers end many telephone numbers. */
const MIN_DIGITS = 6;
/** Beginnings of words that are shorter fit too much to help. */
const MIN_PREFIX = 3;

export function readCustomerQuery(typed: readonly string[]): CustomerQuery {
  const text = typed.join(' ');
  const digits = /^[\d\s()+./-]+$/.test(text) ? text.replaceAll(/\D/g, '').replace(/^0+/, '') : '';
  return {
    words: [...new Set(typedWords(text))],
    joined: joinedWord(text),
    digits: digits.length >= MIN_DIGITS ? digits : undefined,
  };
}

/** All words must be found in the customer. */
export function matchCustomer(
  person: Person,
  { words, joined, digits }: CustomerQuery,
): CustomerMatch | undefined {
  if (words.length === 0) return undefined;
  if (joinedWord(person.customerId) === joined) return 'id';
  if (joinedWord(person.email) === joined) return 'detail';
  if (digits !== undefined && person.mobile.replaceAll(/\D/g, '').endsWith(digits)) return 'detail';
  const own = wordsOf([person.customerId, person.name, person.email, person.mobile]).join(' ');
  const hasAll = (canBegin: boolean) =>
    words.every((text) => hasWord(own, { text, prefix: canBegin && text.length >= MIN_PREFIX }));
  if (hasAll(false) || hasWord(own, { text: joined, prefix: false })) return 'words';
  return hasAll(true) ? 'beginning' : undefined;
}
