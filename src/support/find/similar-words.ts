// What a caller almost says: a part of an e-mail address, or a name or reference with one letter wrong.

import type { KnownPaymentRow } from '../../ledger/schema.js';
import { plainWords, type SearchWord } from '../../ledger/known/search-words.js';
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

/** Every way to search for it; none for a word that only counts as it is, such as a number. */
export function similarWords(said: string): SimilarWord[] {
  const parts = plainWords(said);
  if (said.includes('@')) return [similarAddress(said, parts)];
  if (parts.length > 1) return similarReferences(parts);
  const [name = ''] = parts;
  if (name.length < MIN_NAME_LENGTH || hasDigit(name)) return [];
  return [
    {
      words: [{ text: name.slice(0, PREFIX_LENGTH), prefix: true }],
      fits: ({ words }) => words.split(' ').some((word) => distance(name, word) <= 1),
    },
  ];
}

function similarAddress(said: string, parts: readonly string[]): SimilarWord {
  const fragment = said.toLowerCase();
  return {
    words: parts.map((text) => ({ text, prefix: text.length >= PREFIX_LENGTH })),
    fits: ({ payer_email, order_email }) =>
      [payer_email, order_email].some((email) => email?.toLowerCase().includes(fragment)),
  };
}

/** One letter is wrong in one of the parts. Another digit would be another payment. */
function similarReferences(parts: readonly string[]): SimilarWord[] {
  const isMeant = (name: string | null) => {
    const others = plainWords(name ?? '');
    return (
      others.length === parts.length &&
      others.every((other, at) => other === parts[at] || !hasDigit(other + parts[at])) &&
      distance(parts.join(' '), others.join(' ')) <= 1
    );
  };
  return parts.flatMap((part, at) => {
    if (part.length < PREFIX_LENGTH || hasDigit(part)) return [];
    return [
      {
        words: parts.toSpliced(at, 1).map((text) => ({ text, prefix: false })),
        fits: ({ reference_id, order_id }) => isMeant(reference_id) || isMeant(order_id),
      },
    ];
  });
}

const hasDigit = (word: string): boolean => /\p{N}/u.test(word);
