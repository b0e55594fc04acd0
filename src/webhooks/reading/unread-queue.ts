// Deliveries that were saved and not read yet belong to the process that received them, until it ends.

import { sql } from 'kysely';
import type { DeliveryRow } from '../../ledger/inbox-schema.js';
import type { DeskTables } from '../../ledger/schema.js';
import { leaseClock } from '../../store/claim.js';
import type { Owner } from '../../store/owner.js';
import type { Store } from '../../store/store.js';
import { DELIVERY_LEASE_MS } from '../inbox/inbox-writer.js';

interface UnreadQueue {
  /** Takes over what others left behind. */
  adopt(now: number): Promise<DeliveryRow[]>;
  renew(): Promise<void>;
  release(): Promise<void>;
}

const PAGE_SIZE = 50;

export function createUnreadQueue(store: Store<DeskTables>, listenerId: number, owner: Owner): UnreadQueue {
  const setLease = (name: string, values: { lease_until: unknown; lease_owner?: null }) =>
    store.transaction((tx) =>
      tx
        .updateTable('deliveries')
        .set(values as { lease_until: null })
        .where('finished', '=', 0)
        .where('listener_id', '=', listenerId)
        .where('lease_owner', '=', name)
        .execute(),
    );

  return {
    async adopt(now) {
      const held = await store.db
        .selectFrom('deliveries')
        .select('lease_owner')
        .distinct()
        .where('finished', '=', 0)
        .where('listener_id', '=', listenerId)
        .execute();
      for (const { lease_owner: name } of held) {
        if (name !== null && owner.isGone(name))
          await setLease(name, { lease_until: null, lease_owner: null });
      }
      return store.claimDue({
        table: 'deliveries',
        now,
        leaseMs: DELIVERY_LEASE_MS,
        limit: PAGE_SIZE,
        owner: owner.name,
        where: sql<boolean>`due.listener_id = ${listenerId}`,
      });
    },
    async renew() {
      const until = sql`${leaseClock(store.engine)} + ${sql.lit(DELIVERY_LEASE_MS)}`;
      await setLease(owner.name, { lease_until: until });
    },
    async release() {
      await setLease(owner.name, { lease_until: null, lease_owner: null });
    },
  };
}
