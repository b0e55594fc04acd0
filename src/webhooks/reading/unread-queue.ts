// Deliveries that were saved and not read yet belong to the process that received them, until it ends.

import { type RawBuilder, sql } from 'kysely';
import type { DeliveryRow } from '../../ledger/inbox-schema.js';
import type { DeskTables } from '../../ledger/schema.js';
import { leaseClock, releaseAbandoned } from '../../store/claim.js';
import type { Owner } from '../../store/owner.js';
import type { Store } from '../../store/store.js';
import { DELIVERY_LEASE_MS } from '../inbox/inbox-writer.js';
import { neverDelivered } from '../inbox/never-delivered.js';

interface UnreadQueue {
  /** Takes over what others left behind. */
  adopt(now: number): Promise<DeliveryRow[]>;
  /** Deliveries that were not forwarded to these targets, since their payment could not be read, are read again. */
  reopen(targetKeys: readonly string[]): Promise<void>;
  renew(): Promise<void>;
  release(): Promise<void>;
}

const PAGE_SIZE = 50;

export function createUnreadQueue(store: Store<DeskTables>, listenerId: number, owner: Owner): UnreadQueue {
  const ofListener = sql<boolean>`due.listener_id = ${listenerId}`;
  const setLease = (values: { lease_until: RawBuilder<number> | null; lease_owner?: null }) =>
    store.transaction((tx) =>
      tx
        .updateTable('deliveries')
        .set(values)
        .where('finished', '=', sql.lit(0))
        .where('listener_id', '=', listenerId)
        .where('lease_owner', '=', owner.name)
        .execute(),
    );

  return {
    async adopt(now) {
      await releaseAbandoned(store, { table: 'deliveries', owner, where: ofListener });
      return store.claimDue({
        table: 'deliveries',
        now,
        leaseMs: DELIVERY_LEASE_MS,
        limit: PAGE_SIZE,
        owner: owner.name,
        where: ofListener,
      });
    },
    async reopen(targetKeys) {
      if (targetKeys.length === 0) return;
      await store.transaction((tx) =>
        tx
          .updateTable('deliveries')
          .set({ finished: 0, verdict: null })
          .where('listener_id', '=', listenerId)
          .where('finished', '=', 1)
          .where('id', 'in', (eb) =>
            eb
              .selectFrom('forwards')
              .select('delivery_id')
              .where('forwards.listener_id', '=', listenerId)
              .where('outcome', '=', 'failed')
              .where('attempts', '=', 0)
              .where('target_key', 'in', targetKeys)
              .where(neverDelivered(store.engine)),
          )
          .execute(),
      );
    },
    async renew() {
      const until = sql<number>`${leaseClock(store.engine)} + ${sql.lit(DELIVERY_LEASE_MS)}`;
      await setLease({ lease_until: until });
    },
    async release() {
      await setLease({ lease_until: null, lease_owner: null });
    },
  };
}
