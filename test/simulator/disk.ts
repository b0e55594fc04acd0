// The ledger's database as one process sees it: it may be full, and the process may be killed at any write.

import type { DeskTables } from '../../src/ledger/schema.js';
import type { Store } from '../../src/store/store.js';
import type { FaultKind } from './faults.ts';
import type { Life } from './life.ts';
import { StoreError } from './program.ts';
import type { Random } from './random.ts';

export interface DiskOptions {
  random: Random;
  /** The share of writes that fail. */
  share: () => number;
  now: () => number;
  /** Leases are times of the wall clock; where that jumps, they run out when it does. */
  clocksJump: boolean;
  count(kind: FaultKind): void;
  violate(text: string): void;
}

export function storeOf(store: Store<DeskTables>, life: Life, options: DiskOptions): Store<DeskTables> {
  const { random, share, now, clocksJump, count, violate } = options;

  async function write<T>(work: () => Promise<T>): Promise<T> {
    if (!random.chance(share())) return work();
    // On a shared database the answer to a commit can be lost like any other.
    if (random.chance(0.3)) {
      await work();
      count('commit-unknown');
      throw new StoreError('store-unavailable', 'The connection to the database was lost.');
    }
    count('disk-full');
    throw new StoreError('store-unavailable', 'The database cannot grow: the disk is full.');
  }

  /** A row that somebody has a live lease on is nobody else's. */
  const claimDue: Store<DeskTables>['claimDue'] = async (claim) => {
    const leased = await store.db
      .selectFrom('batch_rows')
      .select(['id', 'lease_owner'])
      .where('finished', '=', 0)
      .where('lease_until', '>', now())
      .execute();
    const claimed = await store.claimDue(claim);
    if (clocksJump) return claimed;
    for (const { id } of claimed as Array<{ id: number }>) {
      const other = leased.find((row) => row.id === id);
      if (other) violate(`row ${id} was claimed by ${life.name} while ${other.lease_owner} had it`);
    }
    return claimed;
  };

  return {
    ...store,
    transaction: (work) => life.gate(() => write(() => store.transaction(work))),
    claimDue: (claim) => life.gate(() => write(() => claimDue(claim))),
  };
}
