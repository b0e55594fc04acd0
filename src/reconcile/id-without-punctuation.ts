// IDs and references as people and providers rewrite them: with other punctuation, or with something attached. They raise
// doubts, and never make a match.

/** An ID in letters and digits alone, and where its words begin. */
export interface UnpunctuatedId {
  text: string;
  cuts: ReadonlySet<number>;
}

/** Shorter text is part of too many IDs to mean anything. */
const MIN_CONTAINED = 4;
/** Text of this length means the same ID also where letters are attached to its letters. */
const MIN_ATTACHED = 8;

export function idWithoutPunctuation(id: string): UnpunctuatedId {
  const cuts = new Set([0]);
  let text = '';
  for (const word of wordsOf(id)) cuts.add((text += word).length);
  return { text, cuts };
}

function wordsOf(id: string): readonly string[] {
  const words = id
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return words ?? [];
}

/** What a line may have of an ID instead of all of it: its words, and several from the beginning or the end. */
export function partsOf({ text, cuts }: UnpunctuatedId): string[] {
  const places = [...cuts];
  const parts = places.flatMap((cut, index) => [
    text.slice(0, cut),
    text.slice(cut),
    text.slice(cut, places[index + 1]),
  ]);
  // A word without a number, such as "order", is part of many IDs.
  return parts.filter((part) => part.length >= MIN_CONTAINED && part !== text && /\d/.test(part));
}

/** Whether this text of an ID stands for itself: a number is never cut, and neither is a short word. */
export function isContained({ text, cuts }: UnpunctuatedId, start: number, end: number): boolean {
  const edge = Math.min(edgeAt(text, cuts, start), edgeAt(text, cuts, end));
  return edge !== NO_EDGE && end - start >= (edge === WORD_EDGE ? MIN_CONTAINED : MIN_ATTACHED);
}

const [NO_EDGE, LETTER_EDGE, WORD_EDGE] = [0, 1, 2];

function edgeAt(text: string, cuts: ReadonlySet<number>, at: number): number {
  if (cuts.has(at)) return WORD_EDGE;
  const [isBefore, isAfter] = [isDigit(text, at - 1), isDigit(text, at)];
  if (isBefore !== isAfter) return WORD_EDGE;
  return isBefore ? NO_EDGE : LETTER_EDGE;
}

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
};
