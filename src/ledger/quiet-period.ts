import type { IntentRow, OutcomeRow } from './schema.js';
import { elapsedSince, type SteadyTime } from './steady-clock.js';

// The quiet period: how long the service may take to show what it did. Until it has passed since the last that is
// known of an instruction, the same instruction is not sent again.

/** The longest that an instruction may be written after its intent was written or renewed. */
const LONGEST_FENCE_MS = 15_000;

/** How fresh an intent must be when the first byte leaves: far less than the quiet period. */
export function fenceOf(quietMs: number): number {
  return Math.min(quietMs / 4, LONGEST_FENCE_MS);
}

export interface Quiet {
  intent: Pick<IntentRow, 'quiet_ms'>;
  /** Undefined while nothing is known of it: it may leave until its fence closes. */
  last: Pick<OutcomeRow, 'boot' | 'steady_ms'> | undefined;
  renewed: SteadyTime;
}

/** Milliseconds until the same instruction may be sent again; 0 once it may. */
export function quietLeft({ intent, last, renewed }: Quiet, quietMs: number, now: SteadyTime): number {
  const length = Math.max(intent.quiet_ms, quietMs);
  const left = last
    ? length - elapsedSince({ boot: last.boot, ms: last.steady_ms }, now)
    : length + fenceOf(length) - elapsedSince(renewed, now);
  return Math.max(0, left);
}
