// Virtual time: the clock and the timers of this process, driven by one queue, so that hours pass in milliseconds and
// the same seed gives the same order of everything. Only the simulator's own processes are run like this.

const realImmediate = globalThis.setImmediate;

/** What setTimeout gives out here. */
class Timer {
  readonly time: number;
  readonly order: number;
  run: (() => void) | undefined;

  constructor(time: number, order: number, run: () => void) {
    this.time = time;
    this.order = order;
    this.run = run;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return this.run !== undefined;
  }
}

export interface Timeline {
  now(): number;
  at(time: number, run: () => void): Timer;
  cancel(timer: Timer): void;
  soon(run: () => void): Timer;
  /** Work that touches real files: time stands still while the machine is busy with them. */
  withFiles<T>(work: () => Promise<T>): Promise<T>;
  /** Drives everything until the work is over, however long that takes by the virtual clock. */
  run<T>(work: Promise<T>): Promise<T>;
}

/** When nothing at all is left to happen, whoever still waits waits for ever. */
const TURNS_BEFORE_STUCK = 1_000;

export function createTimeline(start: number): Timeline {
  let now = start;
  let order = 0;
  let files = 0;
  const queue = createQueue();
  const immediates: Timer[] = [];

  function step(): boolean {
    for (let next = immediates.shift() ?? queue.pop(); next; next = immediates.shift() ?? queue.pop()) {
      const { run } = next;
      if (run === undefined) continue;
      now = Math.max(now, next.time);
      next.run = undefined;
      run();
      return true;
    }
    return false;
  }

  const timeline: Timeline = {
    now: () => now,
    at(time, run) {
      const timer = new Timer(Math.max(time, now), (order += 1), run);
      queue.push(timer);
      return timer;
    },
    cancel(timer) {
      timer.run = undefined;
    },
    soon(run) {
      const timer = new Timer(now, (order += 1), run);
      immediates.push(timer);
      return timer;
    },
    async withFiles(work) {
      files += 1;
      try {
        return await work();
      } finally {
        files -= 1;
      }
    },
    async run(work) {
      let over = false;
      const settled = work.finally(() => (over = true));
      settled.catch(() => undefined);
      let idle = 0;
      for (;;) {
        // A turn of the real event loop: every promise that can go on has gone on after it.
        await new Promise((resolve) => realImmediate(resolve));
        if (over) return settled;
        if (files > 0 && isBusyWithFiles()) continue;
        idle = step() ? 0 : idle + 1;
        if (idle > TURNS_BEFORE_STUCK)
          throw new Error('Nothing is left to happen, and the work is not over.');
      }
    },
  };
  return timeline;
}

const isBusyWithFiles = (): boolean =>
  process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));

let current: Timeline | undefined;

/** From now on the process lives by this timeline. */
export function liveBy(timeline: Timeline, random: () => number, wall: () => number): void {
  current = timeline;
  Math.random = random;
  Date.now = wall;
  performance.now = () => timeline.now();
  const later = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    timeline.at(timeline.now() + Math.max(1, ms), () => run(...args));
  const soon = (run: (...args: unknown[]) => void, ...args: unknown[]) => timeline.soon(() => run(...args));
  const cancel = (timer: unknown) => {
    if (timer instanceof Timer) current?.cancel(timer);
  };
  Object.assign(globalThis, {
    setTimeout: later,
    clearTimeout: cancel,
    setImmediate: soon,
    clearImmediate: cancel,
  });
}

/** A binary heap, the earliest first; of two at the same time, the one that was put in first. */
function createQueue() {
  const heap: Timer[] = [];
  const before = (a: Timer, b: Timer) => a.time < b.time || (a.time === b.time && a.order < b.order);

  function swap(a: number, b: number): void {
    [heap[a], heap[b]] = [heap[b] as Timer, heap[a] as Timer];
  }

  return {
    push(timer: Timer): void {
      let at = heap.push(timer) - 1;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (!before(timer, heap[parent] as Timer)) return;
        swap(at, parent);
        at = parent;
      }
    },
    pop(): Timer | undefined {
      const first = heap[0];
      const last = heap.pop();
      if (first === undefined || last === undefined || heap.length === 0) return first;
      heap[0] = last;
      for (let at = 0; ;) {
        let least = at;
        for (const child of [2 * at + 1, 2 * at + 2]) {
          if (child < heap.length && before(heap[child] as Timer, heap[least] as Timer)) least = child;
        }
        if (least === at) return first;
        swap(at, least);
        at = least;
      }
    },
  };
}
