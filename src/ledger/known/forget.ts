// Removes what this desk keeps about people: from the known payments with their search index, and from the inbox. The
// ledger of money moves stays as it is; it has the customer's ID alone.

import { sql, type Kysely } from 'kysely';
import { leaseClock } from '../../store/claim.js';
import type { Engine, Store } from '../../store/store.js';
import type { AppRef } from '../payment-ref.js';
import type { DeskTables, KnownPaymentRow } from '../schema.js';
import { deleteDeliveries, deleteWebhooksOf, lockListener } from './delete-webhooks.js';
import { digestsOf, type ForgottenNames } from './forgotten.js';
import { searchWords } from './search-words.js';

type Db = Kysely<DeskTables>;

export interface Forgotten {
  payments: number;
  webhooks: number;
  /** Webhooks that stay because a listener reads or forwards them now. */
  webhooksInProgress: number;
}

const nothingPersonal = {
  payer_name: null,
  payer_email: null,
  brand: null,
  order_id: null,
  order_name: null,
  order_email: null,
  order_note: null,
} satisfies Partial<KnownPaymentRow>;

export async function forgetCustomer(
  store: Store<DeskTables>,
  app: AppRef,
  customerId: string,
): Promise<Forgotten> {
  return store.transaction(async (tx) => {
    await lockListener(store, tx, app);
    const { known, moved } = await paymentsOf(tx, app, customerId);
    const payments = [...known, ...moved];
    const paymentIds = payments.map(({ payment_id }) => payment_id);
    await noteForgotten(tx, store.engine, app, { customerId, paymentIds });
    const webhooks = await deleteWebhooksOf(tx, store.engine, app, payments);
    for (const row of known) {
      // By the customer ID, the next run finds the webhooks that stay now.
      const customer_id = webhooks.busyPayments.has(row.payment_id) ? customerId : null;
      const kept = { ...nothingPersonal, customer_id };
      await tx
        .updateTable('known_payments')
        .set({ ...kept, words: searchWords({ ...row, ...kept }) })
        .where('id', '=', row.id)
        .execute();
    }
    if (known.length > 0) await dropDeletedWords(tx, store.engine);
    return { payments: known.length, webhooks: webhooks.deleted, webhooksInProgress: webhooks.inProgress };
  });
}

/** SQLite's index only marks words as deleted until its parts are merged. PostgreSQL keeps them until its next vacuum. */
async function dropDeletedWords(tx: Db, engine: Engine): Promise<void> {
  if (engine === 'sqlite')
    await sql`insert into payment_words (payment_words) values ('optimize')`.execute(tx);
}

/** A customer's payments: those that are known, and those that money was moved for. */
async function paymentsOf(db: Db, { appId }: AppRef, customerId: string) {
  const known = await db
    .selectFrom('known_payments')
    .selectAll()
    .where('app_id', '=', appId)
    .where('customer_id', '=', customerId)
    .execute();
  const moved = await db
    .selectFrom('intents')
    .select(['payment_id', 'reference_id'])
    .distinct()
    .where('app_id', '=', appId)
    .where('customer_id', '=', customerId)
    .execute();
  return { known, moved };
}

/** How many payments of a customer there is something to remove of, and how many of them are known. */
export async function countOf(
  { db }: Store<DeskTables>,
  app: AppRef,
  customerId: string,
): Promise<{ payments: number; known: number }> {
  const { known, moved } = await paymentsOf(db, app, customerId);
  return { payments: known.length + moved.length, known: known.length };
}

/** The customers whose known payments show this name or e-mail address. */
export async function customersNamed(
  { db }: Store<DeskTables>,
  { appId }: AppRef,
  name: string,
): Promise<string[]> {
  const typed = name.toLowerCase();
  const rows = await db
    .selectFrom('known_payments')
    .select('customer_id')
    .distinct()
    .where('app_id', '=', appId)
    .where('customer_id', 'is not', null)
    .where((eb) =>
      eb.or(
        (['payer_email', 'order_email', 'payer_name', 'order_name'] as const).map((column) =>
          eb(eb.fn('lower', [column]), '=', typed),
        ),
      ),
    )
    .orderBy('customer_id')
    .execute();
  return rows.flatMap(({ customer_id }) => customer_id ?? []);
}

/** As many as are removed at a time, so that no command waits for long. */
const CHUNK_SIZE = 1_000;

/**
 * Removes known payments that were not seen since, and webhooks that came before: a page at each call. A payment with
 * an open instruction stays known.
 */
export async function forgetBefore(store: Store<DeskTables>, time: number): Promise<void> {
  const { rows: old } = await sql<{ id: number }>`select id from known_payments
    where known_time < ${time} and seen_time < ${time} and not exists (
      select 1 from holds where holds.app_id = known_payments.app_id
        and holds.payment_id = known_payments.payment_id)
    limit ${sql.lit(CHUNK_SIZE)}`.execute(store.db);
  const oldest = await store.db
    .selectFrom('deliveries')
    .select(['id', 'time', 'finished'])
    .orderBy('id')
    .limit(CHUNK_SIZE)
    .execute();
  const ids = old.map(({ id }) => id);
  const deliveries = oldest.filter((row) => row.finished === 1 && row.time < time).map(({ id }) => id);
  if (ids.length === 0 && deliveries.length === 0) return;
  await store.transaction(async (tx) => {
    if (ids.length > 0) await tx.deleteFrom('known_payments').where('id', 'in', ids).execute();
    await deleteDeliveries(tx, await withoutOpenForwards(tx, deliveries));
  });
}

/** What was not forwarded yet is kept for longer. */
async function withoutOpenForwards(tx: Db, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const open = await tx
    .selectFrom('forwards')
    .select('delivery_id')
    .where('delivery_id', 'in', ids)
    .where('finished', '=', sql.lit(0))
    .execute();
  const waiting = new Set(open.map(({ delivery_id }) => delivery_id));
  return ids.filter((id) => !waiting.has(id));
}

/** Notes that a customer was forgotten now, with these payments. */
async function noteForgotten(
  tx: Db,
  engine: Engine,
  { appId }: AppRef,
  names: ForgottenNames,
): Promise<void> {
  const time = leaseClock(engine);
  for (const digest of new Set(digestsOf(names))) {
    await tx
      .insertInto('forgotten')
      .values({ app_id: appId, digest, time })
      .onConflict((conflict) => conflict.columns(['app_id', 'digest']).doUpdateSet({ time }))
      .execute();
  }
}
