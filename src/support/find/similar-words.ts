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
const MIN_NAME_LENGTH = 5;
/** People seldom mistype the first letters. */
const PREFIX_LENGTH = 3;

/** Undefined for a word that only counts as it is, such as a number. */
export function similarWord(said: string): SimilarWord | undefined {
  const parts = plainWords(said);
  if (said.includes('@')) {
    const fragment = said.toLowerCase();
    return {
      words: parts.map((text) => ({ text, prefix: text.length >= PREFIX_LENGTH })),
      fits: ({ payer_email, order_email }) =>
        [payer_email, order_email].some((email) => email?.toLowerCase().includes(fragment)),
    };
  }
  const [name = ''] = parts;
  if (parts.length !== 1 || name.length < MIN_NAME_LENGTH || /\p{N}/u.test(name)) return undefined;
  return {
    words: [{ text: name.slice(0, PREFIX_LENGTH), prefix: true }],
    fits: ({ words }) => words.split(' ').some((word) => distance(name, word) <= 1),
  };
}
