/** Numbers that look like chance and are the same for the same seed (mulberry32). */
export interface Random {
  /** From 0 to 1, 1 left out. */
  share(): number;
  /** From 0 to `below`, `below` left out. */
  whole(below: number): number;
  /** From `from` to `to`, both included. */
  between(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0;
  function share(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const whole = (below: number) => Math.floor(share() * below);
  return {
    share,
    whole,
    between: (from, to) => from + whole(to - from + 1),
    chance: (probability) => share() < probability,
    pick: (list) => list[whole(list.length)] as (typeof list)[number],
  };
}
