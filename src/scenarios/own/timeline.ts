import type { Clock } from '../../client/clock.js';

/** The one clock of a scenario. The desk waits by it and the sandbox works by it, and no real time passes. */
export interface Timeline extends Clock {
  /** Moves the clock forward; everything due on the way happens at its time. */
  advanceTo(instant: number): Promise<void>;
  /** Runs something once the clock gets there. The clock waits for it. */
  at(instant: number, run: () => Promise<void>): void;
}

interface Planned {
  instant: number;
  run: () => Promise<void>;
}

/** `moveSandbox` moves the clock of the sandbox to the same instant. */
export function createTimeline(start: number, moveSandbox: (instant: number) => Promise<void>): Timeline {
  const planned: Planned[] = [];
  let now = start;
  let moving: Promise<void> = Promise.resolve();

  function takeUntil(instant: number): Planned | undefined {
    const [first] = planned
      .filter((each) => each.instant <= instant)
      .sort((one, other) => one.instant - other.instant);
    if (first) planned.splice(planned.indexOf(first), 1);
    return first;
  }

  async function move(instant: number): Promise<void> {
    for (;;) {
      const next = takeUntil(instant);
      const target = next?.instant ?? instant;
      if (target > now) {
        await moveSandbox(target);
        now = target;
      }
      if (!next) return;
      await next.run();
    }
  }

  function advanceTo(instant: number): Promise<void> {
    const turn = moving.then(() => move(instant));
    moving = turn.catch(() => undefined);
    return turn;
  }

  return {
    now: () => now,
    monotonic: () => now,
    // Nothing else happens meanwhile, so the time passes at once.
    sleep: async (ms, signal) => {
      if (!signal?.aborted) await advanceTo(now + ms);
    },
    advanceTo,
    at: (instant, run) => void planned.push({ instant, run }),
  };
}
