// What may happen to webhooks on their way, made to happen on purpose: the same seed does the same to the same order
// of arrivals.

import { createHash } from 'node:crypto';

export const chaosKinds = ['duplicate', 'delay', 'reorder', 'drop'] as const;
export type ChaosKind = (typeof chaosKinds)[number];

export interface Chaos {
  readonly seed: number;
  readonly kinds: readonly ChaosKind[];
  /** What is done to the next forward. */
  next(): ChaosEffect;
}

interface ChaosEffect {
  /** As it is shown beside the forward; empty when nothing is done. */
  done: ChaosKind[];
  waitMs: number;
}

/** Each kind hits one forward in four. */
const CHAOS_SHARE = 0.25;
const MIN_DELAY_MS = 500;
const MAX_DELAY_MS = 3_000;
/** How long one that is to be overtaken steps aside. */
const ASIDE_MS = 1_000;

export function createChaos(kinds: readonly ChaosKind[], seed: number): Chaos {
  let count = 0;
  return {
    seed,
    kinds,
    next() {
      count += 1;
      const chance = (what: string) => fraction(`${seed}:${count}:${what}`);
      const hit = kinds.filter((kind) => chance(kind) < CHAOS_SHARE);
      if (hit.includes('drop')) return { done: ['drop'], waitMs: 0 };
      const delay = MIN_DELAY_MS + chance('length') * (MAX_DELAY_MS - MIN_DELAY_MS);
      const waitMs =
        (hit.includes('delay') ? Math.round(delay) : 0) + (hit.includes('reorder') ? ASIDE_MS : 0);
      return { done: hit, waitMs };
    },
  };
}

/** From 0 up to 1, always the same for the same text. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}
