// What a caller almost says: a part of an e-mail address, or a name with one letter wrong.

import type { KnownPaymentRow } from '../../ledger/schema.js';
import { plainWords, type SearchWord } from '../../ledger/search-words.js';
import { distance } from '../../suggest.js';

interface SimilarWord {
  /** What the index is searched for instead. */
  words: SearchWord[];
  /** Whether the payment that was found has what the caller meant. */
  fits(row: KnownPaymentRow): boolean;
}

/** One slip in a shorter word would make it another one. */
const SHORTEST_NAME = 5;
/** People seldom mistype the first letters. */
const CERTAIN = 3;

/** Undefined for a word that only counts as it is, such as a number. */
export function similarWord(said: string): SimilarWord | undefined {
  const parts = plainWords(said);
  if (said.includes('@')) {
    const fragment = said.toLowerCase();
    return {
      words: parts.map((text) => ({ text, prefix: text.length >= CERTAIN })),
      fits: ({ payer_email, order_email }) =>
        [payer_email, order_email].some((email) => email?.toLowerCase().includes(fragment)),
    };
  }
  const [name = ''] = parts;
  if (parts.length !== 1 || name.length < SHORTEST_NAME || /\p{N}/u.test(name)) return undefined;
  return {
    words: [{ text: name.slice(0, CERTAIN), prefix: true }],
    fits: ({ words }) => words.split(' ').some((word) => distance(name, word) <= 1),
  };
}
