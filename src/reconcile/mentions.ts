// Names of payments in the free text of a line. They raise doubts, and never make a match.

import { idWithoutPunctuation } from './id-without-punctuation.js';
import type { Mention, MentionSearch } from './line.js';
import { createNameFilter } from './name-filter.js';

export interface NameSearch extends MentionSearch {
  /** `ids` as the payments have them, `texts` as they are looked for. */
  add(ids: readonly string[], texts: readonly string[]): void;
  /** The texts of an ID that may be names. */
  possibleNames: ReturnType<typeof createNameFilter>['possibleNames'];
}

export function createNameSearch(): NameSearch {
  const filter = createNameFilter();
  /** Hardly any ID looks like an amount or a date. */
  const numbers = new Set<string>();

  function mentionsIn(text: string): Mention[] {
    const bare = idWithoutPunctuation(text);
    // Without its punctuation, any amount would be the number of some order.
    const names = isNumber(text) ? [bare.text].filter(() => numbers.has(text)) : filter.possibleNames(bare);
    return names.map((name) => ({ name, isWhole: name === bare.text }));
  }

  return {
    add(ids, texts) {
      for (const id of ids) if (isNumber(id)) numbers.add(id);
      for (const text of texts) filter.add(text);
    },
    possibleNames: filter.possibleNames,
    mayMention: (text) => mentionsIn(text).length > 0,
    mentions: (texts, own) =>
      texts.flatMap((text) => {
        const found = mentionsIn(text);
        return found.length === 0 ? found : mentionsIn(withoutWords(text, own));
      }),
  };
}

/** `1.234,56` or `18.11.2026`. */
const isNumber = (text: string): boolean =>
  /^[-+]?\d[\d.,'’]*[.,]\d{1,2}-?$/.test(text) ||
  /^(\d{1,2}[-./]\d{1,2}[-./]\d{2,4}|\d{4}[-./]\d{1,2}[-./]\d{1,2})([T ].*)?$/.test(text);

/** A line has its own reference in its text as well, and that may contain one of another payment. */
function withoutWords(text: string, words: readonly string[]): string {
  if (words.length === 0) return text;
  return text
    .split(/[\s,;()"]+/)
    .filter((word) => !words.includes(word))
    .join(' ');
}
