// Why a search found nothing: what no known payment has, and what is not known of them yet.

import type { KnownSearch } from '../../ledger/known-search.js';
import { type FindRequest, searchWordsOf } from './find-payments.js';
import { readWords } from './query.js';

export interface NothingFound {
  /** How many payments were searched, counted up to `MAX_COUNTED`. */
  known: number;
  /** Of several words, those that no known payment has. */
  notKnown: string[];
  /** Payments that may have what was asked for: a read would show their payer and card. */
  withoutPayer: string[];
}

/** Counting on takes longer than the search. */
export const MAX_COUNTED = 10_000;
/** What was seen since then is not worth reading again. */
export const FRESH_MS = 5 * 60_000;

export async function whyNothingFound(
  search: KnownSearch,
  request: Pick<FindRequest, 'words' | 'filter' | 'now'>,
): Promise<NothingFound> {
  const { now } = request;
  const known = await search.count(MAX_COUNTED);
  return {
    known,
    notKnown: known === 0 ? [] : await wordsNotKnown(search, request),
    withoutPayer: asksForPayer(request)
      ? await search.withoutPayer(now.getTime() - FRESH_MS, MAX_COUNTED)
      : [],
  };
}

async function wordsNotKnown(
  search: KnownSearch,
  { words, now }: Pick<FindRequest, 'words' | 'now'>,
): Promise<string[]> {
  if (words.length < 2) return [];
  const [likeliest] = readWords(words, now);
  const text = likeliest?.text ?? [];
  const isKnown = async (word: string) => (await search.find(searchWordsOf([word], true), {}, 1)).length > 0;
  const known = await Promise.all(text.map(isKnown));
  return text.filter((_, at) => !known[at]);
}

/** A word without digits is a name, an address or a card brand. */
function asksForPayer({ words, filter, now }: Pick<FindRequest, 'words' | 'filter' | 'now'>): boolean {
  const text = readWords(words, now)[0]?.text ?? [];
  const isPayer = (word: string) => word.includes('@') || !/\p{N}/u.test(word);
  return filter.brand !== undefined || filter.email !== undefined || text.some(isPayer);
}
