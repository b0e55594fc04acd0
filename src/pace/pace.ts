// How many rows at once, and how fast: more while all goes well, half as many when the service asks for less or slows down.

import type { Clock } from '../client/clock.js';

interface PaceOptions {
  /** At most this many at once. */
  concurrency: number;
  /** At most this many per second. */
  rate?: number | undefined;
  clock: Clock;
  /** Once it has fired nobody is let in any more. */
  signal: AbortSignal;
}

/** Room for one row, which is left again. */
export interface Slot {
  /** When its work began, or was begun again. */
  at: number;
}

export interface Pace {
  /** How often in succession the service asked to wait. */
  readonly throttles: number;
  /** Waits for a slot; undefined when the signal has fired. */
  enter(): Promise<Slot | undefined>;
  /** A worker that has a row waits for its turn by the rate. One that has no row does not wait. */
  turn(slot: Slot): Promise<void>;
  leave(slot: Slot): void;
  /** An answer came, after so long where that is known. */
  answered(slot: Slot, tookMs?: number): void;
  /** The service asked to wait. */
  throttled(slot: Slot, retryAfterMs?: number): void;
  /** Until the service may be asked again, or the signal fires. */
  pause(): Promise<void>;
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
/** Slower than usual by this much, and it is taken as a sign of too much work. */
const SLOW_FACTOR = 4;
const SLACK_MS = 100;

export function createPace({ concurrency, rate, clock, signal }: PaceOptions): Pace {
  // It begins with one alone: an outage from the start is met with one request.
  let limit = 1;
  let widening = true;
  let inside = 0;
  let throttles = 0;
  let pausedUntil = 0;
  let lastCut = -Infinity;
  const takeTurn = createTurns(rate, clock, signal);
  const isSlowing = createSlowness();
  const waiting: Array<() => void> = [];

  const wake = (count: number) => {
    for (const each of waiting.splice(0, count)) each();
  };
  signal.addEventListener('abort', () => wake(Infinity), { once: true });

  /** Once for all that were on their way at the same time. */
  function cut({ at }: Slot): void {
    if (at <= lastCut) return;
    lastCut = clock.monotonic();
    widening = false;
    limit = Math.max(1, limit / 2);
  }

  const pause = () => clock.sleep(Math.max(0, pausedUntil - clock.monotonic()), signal);

  return {
    get throttles() {
      return throttles;
    },

    async enter() {
      while (!signal.aborted) {
        if (pausedUntil > clock.monotonic()) await pause();
        else if (inside < Math.floor(limit)) {
          inside += 1;
          return { at: clock.monotonic() };
        } else await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return undefined;
    },

    async turn(slot) {
      if (await takeTurn()) slot.at = clock.monotonic();
    },

    leave() {
      inside -= 1;
      wake(Math.max(0, Math.floor(limit) - inside));
    },

    answered(slot, tookMs) {
      throttles = 0;
      limit = Math.min(concurrency, limit + (widening ? 1 : 1 / limit));
      if (tookMs !== undefined && isSlowing(tookMs)) cut(slot);
    },

    pause,

    throttled(slot, retryAfterMs) {
      // Those that were on their way together are told the same thing.
      if (slot.at > lastCut) throttles += 1;
      cut(slot);
      const wait = retryAfterMs ?? Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(throttles - 1, 10));
      pausedUntil = Math.max(pausedUntil, clock.monotonic() + wait);
      slot.at = Math.max(pausedUntil, clock.monotonic() + 1);
    },
  };
}

/** Spreads the rows evenly over each second; false where there is no rate. */
function createTurns(rate: number | undefined, clock: Clock, signal: AbortSignal): () => Promise<boolean> {
  let nextTurn = 0;
  return async () => {
    if (rate === undefined) return false;
    const now = clock.monotonic();
    const mine = Math.max(now, nextTurn);
    nextTurn = mine + 1000 / rate;
    if (mine > now) await clock.sleep(mine - now, signal);
    return true;
  };
}

/** Whether answers take much longer of late than they usually do. */
function createSlowness(): (tookMs: number) => boolean {
  let usualMs: number | undefined;
  let recentMs = 0;
  return (tookMs) => {
    usualMs ??= tookMs;
    usualMs += (tookMs - usualMs) * (tookMs < usualMs ? 0.1 : 0.002);
    recentMs = recentMs === 0 ? tookMs : recentMs + (tookMs - recentMs) * 0.2;
    if (recentMs <= usualMs * SLOW_FACTOR + SLACK_MS) return false;
    recentMs = 0;
    return true;
  };
}
