// The one follower: reads again and again, with growing pauses, until what is read will do.

import type { Clock } from '../client/clock.js';
import { InterruptedError, OutputError, PendingError, TemporaryError } from '../errors.js';
import type { NextStep } from '../next-command.js';

export interface WaitOptions {
  clock: Clock;
  signal: AbortSignal;
  /** Without it, only the value and the signal end the wait. */
  limitMs?: number;
  firstMs?: number;
  maxMs?: number;
  /** Pauses, and resolves with true when a webhook ended the pause early. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<boolean>;
  /** Called before each pause, with the milliseconds until the wait ends at the latest. */
  onPause?: (leftMs: number) => void;
  /** Pauses before the first read, because the caller has just read. */
  pauseFirst?: boolean;
  /** Whether a read that failed is made again; by default if the failure is temporary. */
  isTemporary?: (error: unknown) => boolean;
}

/** One read of several. */
export interface Turn {
  /** Whether a webhook led to it. */
  woken: boolean;
  /** Makes the pauses short again. */
  restart(): void;
}

const GROWTH = 1.5;

/** Ends when the value will do, the time is up or the signal fires. `last` is undefined when no read succeeded. */
export async function readUntil<T>(
  read: (turn: Turn) => Promise<T>,
  willDo: (value: T) => boolean,
  options: WaitOptions,
): Promise<{ reached: boolean; last: T | undefined }> {
  const { clock, signal, limitMs = Infinity, firstMs = 200, maxMs = 5_000 } = options;
  const { isTemporary = (error) => error instanceof TemporaryError } = options;
  const sleep = options.sleep ?? ((ms, stop) => clock.sleep(ms, stop).then(() => false));
  const deadline = clock.monotonic() + limitMs;
  let last: T | undefined;
  let pause = firstMs;
  let woken = false;
  const restart = () => void (pause = firstMs);
  for (let pauses = options.pauseFirst === true; ; pauses = false) {
    try {
      if (!pauses) {
        last = await read({ woken, restart });
        if (willDo(last)) return { reached: true, last };
      }
    } catch (error) {
      if (!signal.aborted && !isTemporary(error)) throw error;
    }
    const left = deadline - clock.monotonic();
    if (left <= 0 || signal.aborted) return { reached: false, last };
    options.onPause?.(left);
    woken = await sleep(Math.min(pause, left), signal);
    if (woken) restart();
    pause = Math.min(maxMs, pause * GROWTH);
  }
}

/**
 * How a wait ends that did not reach what it waited for. `stands` is a sentence; `reason` is that of the signal. Throws
 * when the output was lost: then nobody is left to tell.
 */
export function waitEnded(
  reason: unknown,
  stands: string,
  next: NextStep[],
): InterruptedError | PendingError {
  if (reason instanceof OutputError) throw reason;
  return reason instanceof InterruptedError
    ? new InterruptedError(`Stopped waiting. ${stands}`, { code: 'stopped-waiting', next })
    : new PendingError(`Time is up. ${stands}`, { code: 'time-up', next });
}
