/** Numbers that look like chance and are the same for the same seed (mulberry32). */
export interface Random {
  /** From 0 to `below`, `below` left out. */
  whole(below: number): number;
  pick<T>(list: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function whole(below: number): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  }
  return { whole, pick: (list) => list[whole(list.length)] as (typeof list)[number] };
}
