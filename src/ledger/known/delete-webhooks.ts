// Deletes webhooks with everything that was forwarded of them. A webhook that a listener reads or forwards at this moment
// stays: the listener would write about it again.

import { sql, type Kysely } from 'kysely';
import { leaseClock } from '../../store/claim.js';
import { createOwner } from '../../store/owner.js';
import type { Engine, Store } from '../../store/store.js';
import type { AppRef } from '../payment-ref.js';
import type { DeskTables, KnownPaymentRow } from '../schema.js';

type Db = Kysely<DeskTables>;
type NamedPayment = Pick<KnownPaymentRow, 'payment_id' | 'reference_id'>;

interface DeletedWebhooks {
  deleted: number;
  /** Those that a listener works on. */
  inProgress: number;
  /** The payments that these are about. */
  busyPayments: ReadonlySet<string>;
}

/** Deletes all webhooks about these payments that nobody works on. The caller has locked the listener. */
export async function deleteWebhooksOf(
  tx: Db,
  engine: Engine,
  { appId }: AppRef,
  payments: readonly NamedPayment[],
): Promise<DeletedWebhooks> {
  const inProgress = new Set<number>();
  const busyPayments = new Set<string>();
  let deleted = 0;
  for (const payment of payments) {
    const ids = await deliveriesOf(tx, appId, payment);
    const busy = await findInProgress(tx, engine, ids);
    for (const id of busy) inProgress.add(id);
    if (busy.size > 0) busyPayments.add(payment.payment_id);
    deleted += await deleteDeliveries(
      tx,
      ids.filter((id) => !busy.has(id)),
    );
  }
  return { deleted, inProgress: inProgress.size, busyPayments };
}

/** Listeners lock this row before they add a webhook, a forward or the result of a read. */
export async function lockListener(store: Store<DeskTables>, tx: Db, { appId }: AppRef): Promise<void> {
  await store.forUpdate(tx.selectFrom('listeners').select('id').where('app_id', '=', appId)).execute();
}

async function deliveriesOf(tx: Db, appId: string, payment: NamedPayment): Promise<number[]> {
  const rows = await tx
    .selectFrom('deliveries')
    .innerJoin('listeners', 'listeners.id', 'deliveries.listener_id')
    .select('deliveries.id')
    .where('listeners.app_id', '=', appId)
    .where((eb) =>
      eb.or([
        eb('deliveries.payment_id', '=', payment.payment_id),
        ...(payment.reference_id === null ? [] : [eb('deliveries.reference_id', '=', payment.reference_id)]),
      ]),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** The deliveries that a listener reads or forwards now. The others are locked, so that no listener claims them. */
async function findInProgress(tx: Db, engine: Engine, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const owner = createOwner();
  const isFree = ({ leased, lease_owner }: { leased: unknown; lease_owner: string | null }) =>
    !leased || (lease_owner !== null && owner.isGone(lease_owner));
  const leased = sql`finished = 0 and lease_until > ${leaseClock(engine)}`.as('leased');
  // A row that somebody else has locked is not selected: somebody works on it.
  const lock = engine === 'postgres' ? sql` for update skip locked` : sql``;
  const deliveries = await tx
    .selectFrom('deliveries')
    .select(['id', 'lease_owner', leased])
    .where('id', 'in', ids)
    .modifyEnd(lock)
    .execute();
  const forwards = await tx
    .selectFrom('forwards')
    .select(['id', 'lease_owner', leased])
    .where('delivery_id', 'in', ids)
    .modifyEnd(lock)
    .execute();
  const freeForwards = new Set(forwards.filter(isFree).map(({ id }) => id));
  const all = await tx
    .selectFrom('forwards')
    .select(['id', 'delivery_id'])
    .where('delivery_id', 'in', ids)
    .execute();
  const freeDeliveries = new Set(deliveries.filter(isFree).map(({ id }) => id));
  return new Set([
    ...ids.filter((id) => !freeDeliveries.has(id)),
    ...all.filter(({ id }) => !freeForwards.has(id)).map(({ delivery_id }) => delivery_id),
  ]);
}

export async function deleteDeliveries(tx: Db, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  await sql`delete from forward_attempts where forward_id in
    (select id from forwards where delivery_id in (${sql.join(ids)}))`.execute(tx);
  await tx.deleteFrom('forwards').where('delivery_id', 'in', ids).execute();
  const { numDeletedRows } = await tx.deleteFrom('deliveries').where('id', 'in', ids).executeTakeFirst();
  return Number(numDeletedRows);
}
