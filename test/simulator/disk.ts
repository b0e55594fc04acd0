// The ledger's database as one process sees it: it may be full, and the process may be killed at any write.

import type { Store } from '../../src/store/store.js';
import type { FaultKind } from './faults.ts';
import type { Life } from './life.ts';
import { StoreError } from './program.ts';
import type { Random } from './random.ts';

export function storeOf<DB>(
  store: Store<DB>,
  life: Life,
  { random, share, count }: { random: Random; share: () => number; count(kind: FaultKind): void },
): Store<DB> {
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
  return {
    ...store,
    transaction: (work) => life.gate(() => write(() => store.transaction(work))),
    claimDue: (options) => life.gate(() => write(() => store.claimDue(options))),
  };
}
