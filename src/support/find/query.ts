// What a caller says, word by word: amounts, dates, states and currencies are recognised, everything else is text.

import { stateNames } from '../../contract/states.js';
import {
  type AmountRange,
  currencyOf,
  parseSpokenAmount,
  spokenCurrency,
} from '../../contract/spoken-amount.js';
import { parseSpokenDate, type TimeSpan } from './dates.js';

/** One way to understand what was typed. All of it must be true of a payment. */
export interface Reading {
  /** Words to be found in the payment. */
  text: string[];
  /** What the reference or the order number must be exactly, though it looks like something else. */
  name?: string;
  amounts: AmountRange[];
  currencies: string[];
  times: TimeSpan[];
  states: string[];
}

type Piece = (reading: Reading) => Reading;

const none: Reading = { text: [], amounts: [], currencies: [], times: [], states: [] };

const asText =
  (word: string): Piece =>
  (reading) => ({ ...reading, text: [...reading.text, word] });

const asName =
  (name: string): Piece =>
  (reading) => ({ ...reading, name });

// As people on the phone say it, whatever the service's own spelling.
const otherSpellings = new Map([
  ['authorized', 'Authorised'],
  ['canceled', 'Cancelled'],
]);

const stateOf = (word: string): string | undefined => {
  const plain = word.toLowerCase();
  return otherSpellings.get(plain) ?? stateNames.find((name) => name.toLowerCase() === plain);
};

/** More words than any expression that we understand has. */
const MAX_PHRASE_WORDS = 4;
/** A word that can be understood in two ways doubles the searches. */
const MAX_READINGS = 8;

/** Every way to understand the words, the likeliest first; where one of them is a name after all, at the end. */
export function readWords(typed: readonly string[], now: Date): Reading[] {
  const all = expressions(typed, now);
  const asNames = all.flatMap((expression, at) =>
    expression.mayBeName === true
      ? readingsOf(all.with(at, { ...expression, pieces: [asName(expression.phrase)] }))
      : [],
  );
  const whole = all.map(({ phrase }) => phrase).join(' ');
  const asWhole = asNames.length > 0 && all.length > 1 ? [asName(whole)(none)] : [];
  return [...readingsOf(all), ...asNames, ...asWhole];
}

const readingsOf = (all: readonly Expression[]): Reading[] =>
  all.reduce<Reading[]>(
    (readings, { pieces }) => {
      const possible = readings.length * pieces.length > MAX_READINGS ? pieces.slice(0, 1) : pieces;
      return possible.flatMap((piece) => readings.map(piece));
    },
    [none],
  );

/** The words, with those together that mean one thing: `EUR 49.90`, `3 days ago`. */
export const phrasesIn = (typed: readonly string[], now: Date): string[] =>
  expressions(typed, now).map(({ phrase }) => phrase);

interface Meaning {
  /** The ways to understand it. */
  pieces: Piece[];
  /** References and order numbers may look like this too. */
  mayBeName?: boolean;
}

type Expression = Meaning & { phrase: string };

function expressions(typed: readonly string[], now: Date): Expression[] {
  const words = typed.flatMap((word) => word.split(/\s+/)).filter(Boolean);
  const found: Expression[] = [];
  for (let at = 0; at < words.length;) {
    const { length, ...meaning } = understand(words.slice(at), now);
    found.push({ phrase: words.slice(at, at + length).join(' '), ...meaning });
    at += length;
  }
  return found;
}

/** The longest expression that the words begin with. */
function understand(words: readonly string[], now: Date): Meaning & { length: number } {
  for (let length = Math.min(MAX_PHRASE_WORDS, words.length); length > 0; length -= 1) {
    const phrase = words.slice(0, length).join(' ');
    const time = parseSpokenDate(phrase, now);
    if (time) return { length, ...dateMeaning(phrase, time) };
    const amount = parseSpokenAmount(phrase);
    if (amount && !(length > 1 && beginsWithLongDate(words.slice(1), now)))
      return { length, ...amountMeaning(phrase, amount) };
  }
  const [word = ''] = words;
  const state = stateOf(word);
  if (state !== undefined) {
    return {
      length: 1,
      pieces: [(reading) => ({ ...reading, states: [...reading.states, state] }), asText(word)],
    };
  }
  // Names such as Cad and All are currencies as well, so these count in capitals only.
  const currency = word === word.toUpperCase() ? currencyOf(word) : spokenCurrency(word);
  if (currency !== undefined) {
    return {
      length: 1,
      pieces: [(reading) => ({ ...reading, currencies: [...reading.currencies, currency] }), asText(word)],
    };
  }
  return { length: 1, pieces: [asText(word)] };
}

/** Without a digit it may be a person's name: Friday. */
function dateMeaning(phrase: string, time: TimeSpan): Meaning {
  const piece: Piece = (reading) => ({ ...reading, times: [...reading.times, time] });
  return /\d/.test(phrase) ? { pieces: [piece], mayBeName: true } : { pieces: [piece, asText(phrase)] };
}

/** `Bob 18 November` is a name and a date, although `Bob 18` could be an amount of Bolivia. */
function beginsWithLongDate(words: readonly string[], now: Date): boolean {
  for (let length = Math.min(MAX_PHRASE_WORDS, words.length); length > 1; length -= 1) {
    if (parseSpokenDate(words.slice(0, length).join(' '), now)) return true;
  }
  return false;
}

/** Digits alone are an ID or a reference first, and an amount second. */
function amountMeaning(phrase: string, amount: AmountRange): Meaning {
  const piece: Piece = (reading) => ({ ...reading, amounts: [...reading.amounts, amount] });
  if (/^([A-Za-z]{3})?\d+$/.test(phrase)) return { pieces: [asText(phrase), piece] };
  return { pieces: [piece, ...besideName(phrase)], mayBeName: true };
}

/** What looks like a currency may be a person's name: Bob 75, 64 Ron. */
function besideName(phrase: string): Piece[] {
  const words = phrase.split(' ');
  const at = words.findIndex((word) => /^\p{L}+$/u.test(word));
  const amount = at < 0 ? undefined : parseSpokenAmount(words.toSpliced(at, 1).join(' '));
  if (!amount) return [];
  return [
    (reading) => ({
      ...reading,
      text: [...reading.text, words[at] as string],
      amounts: [...reading.amounts, amount],
    }),
  ];
}
