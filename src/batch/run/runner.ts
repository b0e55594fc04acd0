// The workers of one run: each takes a row, works on it and writes down what became of it, until nothing is left.

import { PaydeskError } from '../../errors.js';
import { StoreError } from '../../store/errors.js';
import type { Claimed } from '../rows/claims.js';
import { createPace, type Slot } from '../../pace/pace.js';
import { createRowRunner, type RunnerTools, type RunReport } from './row-runner.js';
import { isLedgerLost } from './not-done.js';
import type { Supply } from './supply.js';

export interface Runner {
  readonly inFlight: number;
  readonly report: Readonly<RunReport>;
  /** The first rows one by one; stops the run unless each is done or accepted. */
  canary(supply: Supply, count: number): Promise<void>;
  /** All workers, until the supply is empty or the run is stopped. */
  workThrough(supply: Supply): Promise<void>;
}

export function createRunner(tools: RunnerTools): Runner {
  const { desk, claims, stopping, options, reportProgress } = tools;
  const { signal, stop } = stopping;
  const { concurrency, rate } = options;
  const pace = createPace({ concurrency, rate, clock: desk.clock, signal });
  const rows = createRowRunner(tools, pace);
  const running = createRunning();

  /** Undefined when nothing is left, or the run is stopped before the row was begun. */
  async function next(supply: Supply, slot: Slot): Promise<Claimed | undefined> {
    for (;;) {
      const claimed = await supply.next();
      if (claimed) await pace.turn(slot);
      if (!claimed || signal.aborted) return undefined;
      const confirmed = await claims.confirm(claimed);
      if (confirmed) return confirmed;
    }
  }

  async function withSlot<T>(body: (slot: Slot) => Promise<T>): Promise<T | undefined> {
    const slot = await pace.enter();
    if (!slot) return undefined;
    try {
      return await body(slot);
    } catch (error) {
      endBy(error, stopping);
      return undefined;
    } finally {
      pace.leave(slot);
      reportProgress();
    }
  }

  async function workOnNext(supply: Supply): Promise<boolean | undefined> {
    return withSlot(async (slot) => {
      const claimed = await next(supply, slot);
      if (claimed) await running.during(rows.run(claimed, slot));
      return claimed !== undefined;
    });
  }

  return {
    get inFlight() {
      return running.count;
    },
    report: rows.report,

    async canary(supply, count) {
      for (let number = 0; number < count && !signal.aborted; number += 1) {
        const isMore = await withSlot(async (slot) => {
          const claimed = await next(supply, slot);
          if (!claimed) return false;
          const result = await running.during(rows.run(claimed, slot));
          if (result.outcome === 'done' || result.outcome === 'accepted') return true;
          const { line, typed } = claimed.row;
          stop({ kind: 'canary', row: { line, typed, result } });
          return false;
        });
        if (!isMore) return;
      }
    },

    async workThrough(supply) {
      const worker = async () => {
        while (await workOnNext(supply));
      };
      const workers = Array.from({ length: options.concurrency }, worker);
      for (const end of await Promise.allSettled(workers)) {
        if (end.status === 'rejected') throw end.reason;
      }
    },
  };
}

/** Counts the rows that are worked on, without those that wait for their turn. */
function createRunning() {
  let count = 0;
  return {
    get count() {
      return count;
    },
    async during<T>(work: Promise<T>): Promise<T> {
      count += 1;
      try {
        return await work;
      } finally {
        count -= 1;
      }
    },
  };
}

/** Ends the run for the others too; rows in flight are still brought to their end. */
function endBy(error: unknown, { stop, abort }: RunnerTools['stopping']): void {
  if (error instanceof StoreError || isLedgerLost(error)) stop({ kind: 'ledger', error });
  else if (error instanceof PaydeskError) stop({ kind: 'hopeless', error });
  else {
    abort();
    throw error;
  }
}
