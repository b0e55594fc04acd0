// What payments are found by: every name, number and address as plain words, in the index and in what is typed alike.

import type { KnownPaymentRow } from './schema.js';

// Letters that do not come apart into a base letter and a mark.
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  ð: 'd',
};
const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };

/** Lower case, without accents, in one spelling: `Müller-Ørsted` gives `muller` and `orsted`. */
export function plainWords(text: string): string[] {
  if (isAscii(text)) return asciiWords(text);
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[ßøæœłđð]/g, (letter) => plainLetters[letter] ?? letter);
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A name or number as one word, however it is separated: `inv-2041` gives `inv2041`. */
export const joinedWord = (text: string): string => plainWords(text).join('');

/** The words to look for when this is typed. An address is looked for as a whole: its parts fit too many others. */
export const typedWords = (text: string): string[] =>
  text
    .split(/\s+/)
    .flatMap((part) => (/.@./.test(part) ? [joinedWord(part)].filter(Boolean) : plainWords(part)));

const asciiWords = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

const MAX_WORD_LENGTH = 100;
const MAX_WORDS = 60;

/** Adds the words of one value, with the other ways in which people write it. */
function addWords(found: Set<string>, value: string): void {
  if (/^[a-z0-9]+$/.test(value)) return addWord(found, value);
  const ascii = isAscii(value);
  const words = ascii ? asciiWords(value) : plainWords(value);
  for (const word of words) addWord(found, word);
  if (words.length > 1) {
    found.add(words.join(''));
    if (/\s/.test(value)) for (const part of value.split(/\s+/)) found.add(joinedWord(part));
  }
  if (!ascii) for (const word of spelledOut(value)) found.add(word);
}

function addWord(found: Set<string>, word: string): void {
  found.add(word);
  // A number that is read out has no zeros in front.
  if (word.startsWith('0') && /^0+[1-9]\d*$/.test(word)) found.add(word.replace(/^0+/, ''));
}

/** With umlauts as two letters, where there are any. */
function spelledOut(value: string): string[] {
  const composed = value.normalize('NFC').toLowerCase();
  const spelled = composed.replaceAll(/[äöü]/g, (letter) => umlauts[letter] ?? letter);
  return spelled === composed ? [] : plainWords(spelled);
}

export const searchedColumns = [
  'payment_id',
  'reference_id',
  'order_id',
  'customer_id',
  'payer_email',
  'order_email',
  'payer_name',
  'order_name',
  'provider_reference',
  'authorize_id',
  'capture_id',
  'brand',
  'order_note',
] as const satisfies ReadonlyArray<keyof KnownPaymentRow>;

/** The words of several values, each once. */
export function wordsOf(values: ReadonlyArray<string | null>): string[] {
  const found = new Set<string>();
  for (const value of values) if (value) addWords(found, value);
  found.delete('');
  return [...found];
}

/** What the index has of a payment. */
export function searchWords(row: Pick<KnownPaymentRow, (typeof searchedColumns)[number]>): string {
  return wordsOf(searchedColumns.map((column) => row[column]))
    .filter((word) => word.length <= MAX_WORD_LENGTH)
    .slice(0, MAX_WORDS)
    .join(' ');
}

/** A word as it is in the index; with `prefix`, words that begin like it count as well. */
export interface SearchWord {
  text: string;
  prefix: boolean;
}

/** Whether the words of a payment, as `searchWords` gives them, have this one. */
export function hasWord(words: string, { text, prefix }: SearchWord): boolean {
  return prefix ? ` ${words}`.includes(` ${text}`) : ` ${words} `.includes(` ${text} `);
}
