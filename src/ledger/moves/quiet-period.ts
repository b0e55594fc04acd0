// The quiet period: how long the service may take to show what it did. Until it has passed since the last that is
// known of an instruction, the same instruction is not sent again.

import type { IntentRow, OutcomeRow } from '../schema.js';
import { elapsedSince, type SteadyTime } from '../steady-clock.js';

/** The longest that an instruction may be written after its intent was written or renewed. */
const MAX_FENCE_MS = 15_000;

/** How fresh an intent must be when the first byte leaves: far less than the quiet period. */
export function fenceOf(quietMs: number): number {
  return Math.min(quietMs / 4, MAX_FENCE_MS);
}

interface Quiet {
  quiet_ms: IntentRow['quiet_ms'];
  boot: IntentRow['boot'];
  steady_ms: IntentRow['steady_ms'];
  last: Pick<OutcomeRow, 'boot' | 'steady_ms'> | undefined;
  /** While it is open, its process may renew it and send until its fence closes, whatever others have noted. */
  renewed?: SteadyTime | undefined;
}

/** Milliseconds until the same instruction may be sent again; 0 once it may. */
export function quietLeft(intent: Quiet, quietMs: number, now: SteadyTime): number {
  const { last, renewed } = intent;
  const length = Math.max(intent.quiet_ms, quietMs);
  const since = ({ boot, steady_ms }: { boot: string; steady_ms: number }) =>
    elapsedSince({ boot, ms: steady_ms }, now);
  const left = length - since(last ?? intent);
  const leftOpen = renewed ? length + fenceOf(length) - elapsedSince(renewed, now) : 0;
  return Math.max(0, left, leftOpen);
}
