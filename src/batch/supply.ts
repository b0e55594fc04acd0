import type { Clock } from '../client/clock.js';
import type { Claimed, Claims } from './claims.js';

/** Hands out claimed rows one by one; undefined when there is nothing left for this run. */
export interface Supply {
  next(): Promise<Claimed | undefined>;
}

const LOOK_AGAIN_MS = 300;

export function createSupply(
  claims: Claims,
  { chunk, before, clock, signal }: { chunk: number; before: number; clock: Clock; signal: AbortSignal },
): Supply {
  let rows: Claimed[] = [];
  let fetching: Promise<void> | undefined;
  let over = false;

  async function fetch(): Promise<void> {
    while (!signal.aborted) {
      rows = await claims.claim(chunk, before);
      if (rows.length > 0) return;
      await claims.freeAbandoned();
      rows = await claims.claim(chunk, before);
      if (rows.length > 0) return;
      // Those of others come free when their runner ends before its time.
      if (!(await claims.othersAtWork(before))) break;
      await clock.sleep(LOOK_AGAIN_MS, signal);
    }
    over = true;
  }

  return {
    async next() {
      while (rows.length === 0 && !over) {
        fetching ??= fetch().finally(() => {
          fetching = undefined;
        });
        await fetching;
      }
      return signal.aborted ? undefined : rows.shift();
    },
  };
}
