// What a caller says, word by word: amounts, dates, states and currencies are recognised, everything else is text.

import { stateNames } from '../../contract/states.js';
import { type AmountRange, currencyOf, parseSpokenAmount, spokenCurrency } from './amounts.js';
import { parseSpokenDate, type TimeSpan } from './dates.js';

/** One way to understand what was typed. All of it must be true of a payment. */
export interface Reading {
  /** Words to be found in the payment. */
  text: string[];
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

/** Every way to understand the words, the likeliest first. */
export function readWords(typed: readonly string[], now: Date): Reading[] {
  return expressions(typed, now).reduce<Reading[]>(
    (readings, { pieces }) => {
      const possible = readings.length * pieces.length > MAX_READINGS ? pieces.slice(0, 1) : pieces;
      return possible.flatMap((piece) => readings.map(piece));
    },
    [none],
  );
}

/** The words, with those together that mean one thing: `EUR 49.90`, `3 days ago`. */
export const phrasesIn = (typed: readonly string[], now: Date): string[] =>
  expressions(typed, now).map(({ phrase }) => phrase);

function expressions(typed: readonly string[], now: Date): Array<{ phrase: string; pieces: Piece[] }> {
  const words = typed.flatMap((word) => word.split(/\s+/)).filter(Boolean);
  const found = [];
  for (let at = 0; at < words.length;) {
    const { length, pieces } = understand(words.slice(at), now);
    found.push({ phrase: words.slice(at, at + length).join(' '), pieces });
    at += length;
  }
  return found;
}

/** The longest expression that the words begin with, and the ways to understand it. */
function understand(words: readonly string[], now: Date): { length: number; pieces: Piece[] } {
  for (let length = Math.min(MAX_PHRASE_WORDS, words.length); length > 0; length -= 1) {
    const phrase = words.slice(0, length).join(' ');
    const time = parseSpokenDate(phrase, now);
    if (time) return { length, pieces: datePieces(phrase, time) };
    const amount = parseSpokenAmount(phrase);
    if (amount) return { length, pieces: amountPieces(phrase, amount) };
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

/** Without a digit it may be a name: Friday. */
function datePieces(phrase: string, time: TimeSpan): Piece[] {
  const piece: Piece = (reading) => ({ ...reading, times: [...reading.times, time] });
  return /\d/.test(phrase) ? [piece] : [piece, asText(phrase)];
}

/** Digits alone are an ID or a reference first, and an amount second. */
function amountPieces(phrase: string, amount: AmountRange): Piece[] {
  const piece: Piece = (reading) => ({ ...reading, amounts: [...reading.amounts, amount] });
  if (/^\d+$/.test(phrase)) return [asText(phrase), piece];
  return /^[A-Za-z]{3}\d+$/.test(phrase) ? [asText(phrase), piece] : [piece];
}
