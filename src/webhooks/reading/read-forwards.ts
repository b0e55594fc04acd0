// Forwards to targets whose filters need a read of the payment. While the read fails, each of them is recorded as one
// that was not sent, so that it is listed and can be replayed; the next read that succeeds replaces it.

import type { Kysely } from 'kysely';
import type { ForwardRow } from '../../ledger/inbox-schema.js';
import type { DeskTables } from '../../ledger/schema.js';
import { prepared } from '../../store/prepared.js';
import type { Engine } from '../../store/store.js';
import { insertForward, type PlannedForward } from '../inbox/insert-forward.js';
import { targetPlace } from '../inbox/target-place.js';
import type { DeliveryFacts, UnreadDelivery } from './unread-delivery.js';

export interface ReadForwardsOptions {
  listenerId: number;
  /** The targets whose filters need a read. */
  filteredKeys: readonly string[];
  /** The forwards of a delivery to those targets. */
  forwardsOf(delivery: DeliveryFacts): PlannedForward[];
  /** Those that may or may not follow, depending on what a read shows. */
  undecidedOf(delivery: UnreadDelivery): PlannedForward[];
  /** Whom a forward belongs to from the start, where nothing is before it. */
  lease: () => string | undefined;
}

export interface WrittenForwards {
  forwards: ForwardRow[];
  /** The ids of forwards that were replaced. */
  removed: number[];
}

interface ReadForwards {
  /** Whether only a read can tell where a delivery is forwarded to. */
  isUndecided(delivery: UnreadDelivery): boolean;
  /** After a read. */
  write(tx: Kysely<DeskTables>, delivery: DeliveryFacts): Promise<WrittenForwards>;
  /** After a read that failed, or was not made. */
  hold(tx: Kysely<DeskTables>, delivery: UnreadDelivery): Promise<WrittenForwards>;
}

type EarlierForward = Pick<ForwardRow, 'id' | 'target' | 'target_key' | 'replay' | 'outcome' | 'attempts'>;

/** Short: the delivery itself says why. */
const NOT_READ = 'payment not read';

const earlierForwards = prepared<DeskTables, EarlierForward, 'delivery_id'>((db, value) =>
  db
    .selectFrom('forwards')
    .select(['id', 'target', 'target_key', 'replay', 'outcome', 'attempts'])
    .where('delivery_id', '=', value('delivery_id')),
);

export function createReadForwards(engine: Engine, options: ReadForwardsOptions): ReadForwards {
  const { listenerId, filteredKeys, forwardsOf, undecidedOf, lease } = options;

  const earlierOf = async (tx: Kysely<DeskTables>, { id }: UnreadDelivery) =>
    filteredKeys.length === 0 ? [] : earlierForwards(tx, engine, { delivery_id: id });

  async function insert(
    tx: Kysely<DeskTables>,
    delivery: DeliveryFacts,
    earlier: readonly EarlierForward[],
  ): Promise<ForwardRow[]> {
    const forwards: ForwardRow[] = [];
    for (const forward of forwardsOf(delivery)) {
      if (earlier.some((other) => isSame(other, forward))) continue;
      forwards.push(
        await insertForward(tx, engine, { listenerId, deliveryId: delivery.id }, forward, lease()),
      );
    }
    return forwards;
  }

  async function insertUnsent(
    tx: Kysely<DeskTables>,
    { id }: UnreadDelivery,
    planned: PlannedForward,
  ): Promise<ForwardRow> {
    const ids = { listenerId, deliveryId: id };
    const forward = await insertForward(tx, engine, ids, { ...planned, dropped: true }, undefined);
    const failure = { outcome: 'failed', error: NOT_READ } as const;
    await tx.updateTable('forwards').set(failure).where('id', '=', forward.id).execute();
    return { ...forward, ...failure };
  }

  return {
    isUndecided: (delivery) => undecidedOf(delivery).length > 0,

    async write(tx, delivery) {
      const earlier = await earlierOf(tx, delivery);
      const unsent = earlier.filter((other) => isUnsent(other) && filteredKeys.includes(other.target_key));
      const removed = unsent.map(({ id }) => id);
      if (removed.length > 0) await tx.deleteFrom('forwards').where('id', 'in', removed).execute();
      const others = earlier.filter((other) => !isUnsent(other));
      return { forwards: await insert(tx, delivery, others), removed };
    },

    async hold(tx, delivery) {
      const earlier = await earlierOf(tx, delivery);
      const forwards = await insert(tx, { ...delivery, state: null }, earlier);
      for (const planned of undecidedOf(delivery)) {
        if (earlier.some((other) => isSame(other, planned))) continue;
        forwards.push(await insertUnsent(tx, delivery, planned));
      }
      return { forwards, removed: [] };
    },
  };
}

/** Whether a target has a forward already, or has accepted a replay. */
const isSame = (earlier: EarlierForward, { target }: PlannedForward): boolean =>
  earlier.replay === 1
    ? earlier.outcome === 'delivered' &&
      targetPlace(earlier) === targetPlace({ target: target.url, target_key: target.key })
    : earlier.target_key === target.key;

/** A forward that failed after attempts is sent again by the next listener; this one needs a read first. */
const isUnsent = ({ outcome, attempts }: EarlierForward): boolean => outcome === 'failed' && attempts === 0;
