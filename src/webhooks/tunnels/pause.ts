/** Ends when the time is up, when a signal says so, or, with true, when the machine slept meanwhile. */
export type Pause = (ms: number, signals: readonly AbortSignal[]) => Promise<boolean>;

const JUMP_MS = 5_000;

/** Timers stand still while a laptop sleeps, the wall clock does not: a jump of it is the waking. */
export function createPause(options: { tickMs: number; now: () => number }): Pause {
  const { tickMs, now } = options;
  return (ms, signals) =>
    new Promise((resolve) => {
      let seen = now();
      const done = (woke: boolean) => {
        clearInterval(ticker);
        clearTimeout(timer);
        for (const signal of signals) signal.removeEventListener('abort', leave);
        resolve(woke);
      };
      const leave = () => done(false);
      const timer = setTimeout(leave, ms);
      const ticker = setInterval(() => {
        const woke = now() - seen > tickMs + JUMP_MS;
        seen = now();
        if (woke) done(true);
      }, tickMs);
      for (const signal of signals) signal.addEventListener('abort', leave, { once: true });
      if (signals.some(({ aborted }) => aborted)) leave();
    });
}
