// Finds known payments by what a caller says, the likeliest first.

import { UsageError } from '../../errors.js';
import { madeTime } from '../../ledger/known/also-paid.js';
import type { KnownSearch } from '../../ledger/known/search.js';
import type { KnownPaymentRow } from '../../ledger/schema.js';
import type { KnownFilter } from '../../ledger/known/search-conditions.js';
import { hasWord, joinedWord, typedWords, type SearchWord } from '../../ledger/known/search-words.js';
import type { AmountRange } from '../../contract/spoken-amount.js';
import type { TimeSpan } from './dates.js';
import { type Reading, readWords } from './query.js';
import { similarWords } from './similar-words.js';

/** What flags ask for, besides the words. */
export interface FindFilter {
  amount?: AmountRange | undefined;
  on?: TimeSpan | undefined;
  since?: TimeSpan | undefined;
  states?: readonly string[] | undefined;
  customer?: string | undefined;
  email?: string | undefined;
  brand?: string | undefined;
}

export interface Asked {
  words: readonly string[];
  filter: FindFilter;
  now: Date;
}

/** How a payment was found. */
const matches = ['name', 'detail', 'words', 'beginning', 'similar'] as const;
export type Match = (typeof matches)[number];

interface FoundPayment {
  row: KnownPaymentRow;
  match: Match;
}

/** Beginnings of words that are shorter fit too much to help. */
const MIN_PREFIX_LENGTH = 3;
/** As many payments are compared with a word that may have a slip, the newest ones where there are more. */
const MAX_SIMILAR = 1_000;

const narrows = (filter: FindFilter): boolean => Object.values(filter).some((value) => value !== undefined);

export async function findPayments(
  search: KnownSearch,
  { words, filter, limit, now }: Asked & { limit: number },
): Promise<{ found: FoundPayment[]; more: boolean }> {
  // A script whose variable is empty must not get just any payments.
  if (words.every((word) => word.trim() === '') && !narrows(filter))
    throw new UsageError('The text to find is empty. Nothing was searched.', { code: 'usage' });
  const found = new Map<number, FoundPayment>();
  const possible = possibleReadings({ words, filter, now });
  const readings = possible.filter(({ name }) => name === undefined);
  const add = (rows: readonly KnownPaymentRow[], text: readonly string[], match: Match) => {
    for (const row of rows) {
      if (!found.has(row.id)) found.set(row.id, { row, match: exactMatch(row, text) ?? match });
    }
  };
  for (const reading of possible) {
    if (reading.name !== undefined)
      add(await findNamed(search, reading, reading.name), [...reading.text, reading.name], 'name');
  }
  for (const { text, filter: known } of readings) {
    const exact = searchWordsOf(text, false);
    const whole = wholeNames(text);
    const named = await search.named([...new Set([...text, ...whole])]);
    add(
      named.filter((row) => {
        const isWhole = whole.includes(row.payment_id) || whole.includes(row.reference_id ?? '');
        return fits(row, isWhole ? [] : exact, known);
      }),
      text,
      'name',
    );
    add(await search.find(exact, known, limit + 1), text, 'words');
    // Digits are often said in groups, and names are written as one word.
    if (text.length > 1)
      add(
        await search.find([{ text: joinedWord(text.join(' ')), prefix: false }], known, limit + 1),
        text,
        'words',
      );
  }
  // Who says a number or an address in full means no other that begins like it.
  const isExact = [...found.values()].some(({ match }) => match === 'name' || match === 'detail');
  for (const { text, filter: known } of found.size < limit && !isExact ? readings : []) {
    const beginnings = searchWordsOf(text, true);
    if (beginnings.some(({ prefix }) => prefix))
      add(await search.find(beginnings, known, limit + 1), text, 'beginning');
  }
  for (const reading of found.size === 0 ? readings : []) {
    add(await findSimilar(search, reading), reading.text, 'similar');
  }
  const sorted = [...found.values()].sort(
    (a, b) =>
      matches.indexOf(a.match) - matches.indexOf(b.match) ||
      madeTime(b.row) - madeTime(a.row) ||
      b.row.id - a.row.id,
  );
  return { found: sorted.slice(0, limit), more: sorted.length > limit };
}

/** Whether any known payment has this, or a word that begins like it. */
export async function isKnown(search: KnownSearch, asked: Asked): Promise<boolean> {
  for (const reading of possibleReadings(asked)) {
    const { name, text, filter } = reading;
    const found =
      name === undefined
        ? await search.find(searchWordsOf(text, true), filter, 1)
        : await findNamed(search, reading, name);
    if (found.length > 0) return true;
  }
  return false;
}

interface PossibleReading {
  text: readonly string[];
  name: string | undefined;
  filter: KnownFilter;
}

/** Payments with exactly this reference or order number. */
async function findNamed(
  search: KnownSearch,
  { text, filter }: PossibleReading,
  name: string,
): Promise<KnownPaymentRow[]> {
  const words = searchWordsOf(text, false);
  // There is no index of order numbers, but each of them is one of the words as well.
  const joined = { text: joinedWord(name), prefix: false };
  const rows = [...(await search.named([name])), ...(await search.find([...words, joined], filter, 1))];
  return rows.filter(
    (row) => (row.reference_id === name || row.order_id === name) && fits(row, words, filter),
  );
}

const possibleReadings = ({ words, filter, now }: Asked): PossibleReading[] =>
  readWords(words, now).flatMap((reading) => {
    const known = filterOf(reading, filter);
    const isPossible = known !== undefined && reading.text.every((word) => typedWords(word).length > 0);
    return isPossible ? [{ text: reading.text, name: reading.name, filter: known }] : [];
  });

/** Payments that have all words but one, and something similar to that one. */
async function findSimilar(
  search: KnownSearch,
  { text, filter }: PossibleReading,
): Promise<KnownPaymentRow[]> {
  const found: KnownPaymentRow[] = [];
  for (const [at, word] of text.entries()) {
    const others = searchWordsOf(text.toSpliced(at, 1), true);
    for (const { words, fits: isMeant } of similarWords(word)) {
      const rows = await search.find([...others, ...words], filter, MAX_SIMILAR);
      found.push(...rows.filter(isMeant));
    }
  }
  return found;
}

function searchWordsOf(text: readonly string[], asPrefix: boolean): SearchWord[] {
  const words = [...new Set(text.flatMap(typedWords))];
  return words.map((word) => ({ text: word, prefix: asPrefix && word.length >= MIN_PREFIX_LENGTH }));
}

/** All of it may be the ID or the reference, said in parts. */
const wholeNames = (text: readonly string[]): string[] =>
  text.length === 0 ? [] : [text.join(' '), text.join('-'), text.join('')];

/** Whether one of the words, or all of them together, are a name of the payment. */
function exactMatch(row: KnownPaymentRow, text: readonly string[]): Match | undefined {
  const said = new Set([...text, text.join('')].map(joinedWord).filter(Boolean));
  const isSaid = (value: string | null) => value !== null && said.has(joinedWord(value));
  if (isSaid(row.payment_id) || isSaid(row.reference_id)) return 'name';
  const details = [
    row.order_id,
    row.payer_email,
    row.order_email,
    row.customer_id,
    row.provider_reference,
    row.authorize_id,
    row.capture_id,
  ];
  return details.some(isSaid) ? 'detail' : undefined;
}

/** Undefined where no payment can be all of this at once. */
function filterOf(reading: Reading, given: FindFilter): KnownFilter | undefined {
  const amounts = [...reading.amounts, ...(given.amount ? [given.amount] : [])];
  const currencies = [...amounts.flatMap(({ currency }) => currency ?? []), ...reading.currencies];
  const amount = common(amounts);
  const time = common([...reading.times, ...[given.on, given.since].flatMap((span) => span ?? [])]);
  const states = statesOf(reading.states, given.states);
  if (amount === null || time === null || new Set(currencies).size > 1) return undefined;
  return {
    amount,
    currency: currencies[0],
    time,
    states,
    customer: given.customer,
    email: given.email,
    brand: given.brand,
  };
}

/** What all of the ranges have in common; null for nothing. */
function common(
  ranges: ReadonlyArray<{ from: number; to: number }>,
): { from: number; to: number } | null | undefined {
  if (ranges.length === 0) return undefined;
  const from = Math.max(...ranges.map((range) => range.from));
  const to = Math.min(...ranges.map((range) => range.to));
  return from <= to ? { from, to } : null;
}

function statesOf(said: readonly string[], given: readonly string[] | undefined): string[] | undefined {
  if (said.length === 0) return given && [...given];
  const [first = ''] = said;
  const isPossible = said.every((state) => state === first) && (given === undefined || given.includes(first));
  return isPossible ? [first] : [];
}

function fits(row: KnownPaymentRow, words: readonly SearchWord[], filter: KnownFilter): boolean {
  const { amount, currency, time, states, customer, email, brand } = filter;
  const isIn = (value: number | null, range: { from: number; to: number }) =>
    value !== null && value >= range.from && value <= range.to;
  const emails = [row.payer_email, row.order_email].map((one) => one?.toLowerCase());
  return (
    words.every((word) => hasWord(row.words, word)) &&
    (amount === undefined || isIn(row.amount_number, amount)) &&
    (currency === undefined || row.currency === currency) &&
    (time === undefined || (madeTime(row) >= time.from && madeTime(row) < time.to)) &&
    (states === undefined || states.includes(row.state)) &&
    (customer === undefined || row.customer_id === customer) &&
    (email === undefined || emails.includes(email.toLowerCase())) &&
    (brand === undefined || row.brand?.toLowerCase() === brand.toLowerCase())
  );
}
