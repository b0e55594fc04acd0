// Why a search found nothing: what no known payment has, and what is not known of them yet.

import type { KnownSearch } from '../../ledger/known/search.js';
import { type Asked, type FindFilter, isKnown } from './find-payments.js';
import { phrasesIn, readWords } from './query.js';

export interface NothingFound {
  /** How many payments were searched, counted up to `MAX_COUNTED`. */
  known: number;
  /** Of several words and flags, those that no known payment matches: `"49.90"`, `--brand`. */
  notKnown: string[];
  /** Payments that may have what was asked for: a read would show their payer and card. */
  withoutPayer: string[];
}

/** Counting on takes longer than the search. */
export const MAX_COUNTED = 10_000;
/** What was seen since then is not worth reading again. */
export const FRESH_MS = 5 * 60_000;

export async function whyNothingFound(search: KnownSearch, asked: Asked): Promise<NothingFound> {
  const known = await search.count(MAX_COUNTED);
  return {
    known,
    notKnown: known === 0 ? [] : await partsNotKnown(search, asked),
    withoutPayer: asksForPayer(asked)
      ? await search.withoutPayer(asked.now.getTime() - FRESH_MS, MAX_COUNTED)
      : [],
  };
}

async function partsNotKnown(search: KnownSearch, { words, filter, now }: Asked): Promise<string[]> {
  const parts = [
    ...phrasesIn(words, now).map((phrase) => ({ name: `"${phrase}"`, words: [phrase], filter: {} })),
    ...Object.entries(filter)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => ({
        name: flagNames[name as keyof FindFilter],
        words: [],
        filter: { [name]: value },
      })),
  ];
  if (parts.length < 2) return [];
  const known = await Promise.all(parts.map((part) => isKnown(search, { ...part, now })));
  return parts.filter((_, at) => !known[at]).map(({ name }) => name);
}

const flagNames: Readonly<Record<keyof FindFilter, string>> = {
  amount: '--amount',
  on: '--on',
  since: '--since',
  states: '--state',
  customer: '--customer',
  email: '--email',
  brand: '--brand',
};

/** A word without digits is a name, an address or a card brand. */
function asksForPayer({ words, filter, now }: Asked): boolean {
  const text = readWords(words, now)[0]?.text ?? [];
  const isPayer = (word: string) => word.includes('@') || !/\p{N}/u.test(word);
  return filter.brand !== undefined || filter.email !== undefined || text.some(isPayer);
}
