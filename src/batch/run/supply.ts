import type { Clock } from '../../client/clock.js';
import type { Claimed, Claims } from '../rows/claims.js';

/** Hands out claimed rows one by one; undefined when there is nothing left for this round. */
export interface Supply {
  /** No row was handed out yet. */
  readonly isUnused: boolean;
  next(): Promise<Claimed | undefined>;
}

interface SupplyOptions {
  chunk: number;
  dueBy: number;
  onlyWaiting: boolean;
  clock: Clock;
  signal: AbortSignal;
}

const LOOK_AGAIN_MS = 300;

export function createSupply(
  claims: Claims,
  { chunk, dueBy, onlyWaiting, clock, signal }: SupplyOptions,
): Supply {
  let rows: Claimed[] = [];
  let fetching: Promise<void> | undefined;
  let over = false;
  let isUnused = true;
  const claim = () => claims.claim(chunk, dueBy, onlyWaiting);

  async function fetch(): Promise<void> {
    while (!signal.aborted) {
      rows = await claim();
      if (rows.length > 0) return;
      await claims.freeAbandoned();
      rows = await claim();
      if (rows.length > 0) return;
      // The rows of other processes come free when one ends early.
      if (!(await claims.othersAtWork(dueBy))) break;
      await clock.sleep(LOOK_AGAIN_MS, signal);
    }
    over = true;
  }

  return {
    get isUnused() {
      return isUnused;
    },
    async next() {
      while (rows.length === 0 && !over) {
        fetching ??= fetch().finally(() => {
          fetching = undefined;
        });
        await fetching;
      }
      const row = signal.aborted ? undefined : rows.shift();
      if (row) isUnused = false;
      return row;
    },
  };
}
