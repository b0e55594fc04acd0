export interface Clock {
  /** The time of day. Anybody may set it, so nothing is measured by it. */
  now(): number;
  /** Milliseconds on a clock that nobody can set, for limits and durations. */
  monotonic(): number;
  /** Resolves early, without an error, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // `performance` would be loaded for it, which takes a millisecond.
  monotonic: () => Number(process.hrtime.bigint() / 1_000_000n),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end);
    }),
};
