// The texts of an entry or a transaction that may name a payment, whatever field they are in. Hardly any does.

import type { MentionSearch } from '../line.js';

interface Texts {
  readonly texts: readonly string[];
  see(path: string, text: string): void;
}

/** Amounts, dates and counts are no names. */
const SKIPPED = /(^|\/)(Amt|Dt|DtTm|NbOfTxs|Sts)$|^Sts\//;
/** No name is longer. Banks break a text after a number of characters, also in the middle of a name. */
const MAX_NAME = 512;
const MAX_KEPT = 1024 * 1024;

export function createTexts(
  refuse: (problem: string) => never,
  search: Pick<MentionSearch, 'mayMention'> | undefined,
): Texts {
  const texts: string[] = [];
  const ends = new Map<string, string>();
  let length = 0;

  function keep(text: string): void {
    if (search?.mayMention(text) !== true) return;
    texts.push(text);
    length += text.length;
    if (length > MAX_KEPT) refuse('an entry has too much text');
  }

  return {
    texts,
    see(path, text) {
      if (search === undefined || SKIPPED.test(path)) return;
      keep(text);
      const before = ends.get(path);
      if (before !== undefined) keep(`${before} ${text.slice(0, MAX_NAME)}`);
      ends.set(path, `${before ?? ''} ${text}`.slice(-MAX_NAME));
    },
  };
}
