/** How many letters must be added, dropped, replaced or swapped with a neighbour to get from one word to the other. */
export function distance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let best = Math.min(
        previous[column]! + 1,
        current[column - 1]! + 1,
        previous[column - 1]! + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) best = Math.min(best, beforePrevious[column - 2]! + 1);
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length]!;
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/**
 * The known name closest to what was typed, or undefined when none is close.
 * Upper and lower case do not count, and a name that starts with what was typed is close.
 */
export function suggest(typed: string, known: Iterable<string>): string | undefined {
  const word = typed.trim().toLowerCase();
  if (word === '') return undefined;
  // One slip in a short word, one in three letters of a longer one: more would suggest strangers.
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { name: string; score: number; shared: number } | undefined;
  for (const name of known) {
    const candidate = name.toLowerCase();
    let score = distance(word, candidate);
    if (score > limit && word.length >= 3 && candidate.startsWith(word)) score = limit;
    if (score > limit) continue;
    // Of two that are as close, the one that begins alike: people seldom mistype the first letters.
    const shared = sharedStart(word, candidate);
    if (best === undefined || score < best.score || (score === best.score && shared > best.shared)) {
      best = { name, score, shared };
    }
  }
  return best?.name;
}

/** ` Did you mean Captured?`, ready to follow a sentence, or nothing when no known name is close. */
export function didYouMean(typed: string, known: Iterable<string>): string {
  const name = suggest(typed, known);
  return name === undefined ? '' : ` Did you mean ${name}?`;
}
