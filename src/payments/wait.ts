import type { Clock } from '../client/clock.js';
import { TemporaryError } from '../errors.js';

export interface WaitOptions {
  clock: Clock;
  signal: AbortSignal;
  limitMs: number;
  firstMs?: number;
  longestMs?: number;
}

const GROWTH = 1.5;

/**
 * Reads with growing pauses until the value will do, the time is up or the signal fires. `last` is undefined when
 * no read went through; one that failed for now is made again.
 */
export async function readUntil<T>(
  read: () => Promise<T>,
  willDo: (value: T) => boolean,
  options: WaitOptions,
): Promise<{ reached: boolean; last: T | undefined }> {
  const { clock, signal, limitMs, firstMs = 200, longestMs = 5_000 } = options;
  const deadline = clock.now() + limitMs;
  let last: T | undefined;
  for (let pause = firstMs; ; pause = Math.min(longestMs, pause * GROWTH)) {
    try {
      last = await read();
      if (willDo(last)) return { reached: true, last };
    } catch (error) {
      if (!signal.aborted && !(error instanceof TemporaryError)) throw error;
    }
    const left = deadline - clock.now();
    if (left <= 0 || signal.aborted) return { reached: false, last };
    await clock.sleep(Math.min(pause, left), signal);
  }
}
