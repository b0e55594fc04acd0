import type { Kysely } from 'kysely';
import { prepared } from '../store/prepared.js';
import type { Engine } from '../store/types.js';
import { at, type PaymentPlace } from './payment-place.js';
import type { DeskTables, KnownPaymentRow } from './schema.js';

// The service has no list of payments. This is what the desk knows of them: those that it created, changed or heard
// of, each as it was last seen.

export const sources = ['created', 'changed', 'heard', 'read'] as const;
/** How the desk came to know of a payment. */
export type Source = (typeof sources)[number];

/** A payment as a read showed it. */
export interface SeenPayment extends PaymentPlace {
  /** Our name for the state where there is one, otherwise the service's. */
  state?: string | undefined;
  referenceId?: string | undefined;
  customerId?: string | undefined;
  amount?: string | undefined;
  currency?: string | undefined;
  webhookUrl?: string | undefined;
  /** When the service says that it was created, in milliseconds. */
  createdTime?: number | undefined;
}

const upsert = prepared<DeskTables, unknown, keyof KnownPaymentRow>((db, value) =>
  db
    .insertInto('known_payments')
    .values({
      base_url: value('base_url'),
      app_id: value('app_id'),
      payment_id: value('payment_id'),
      reference_id: value('reference_id'),
      customer_id: value('customer_id'),
      amount: value('amount'),
      currency: value('currency'),
      state: value('state'),
      webhook_url: value('webhook_url'),
      created_time: value('created_time'),
      source: value('source'),
      known_time: value('known_time'),
      state_time: value('state_time'),
      seen_time: value('seen_time'),
    })
    .onConflict((conflict) =>
      conflict.columns(['base_url', 'app_id', 'payment_id']).doUpdateSet((eb) => ({
        reference_id: eb.fn.coalesce('excluded.reference_id', 'known_payments.reference_id'),
        customer_id: eb.fn.coalesce('excluded.customer_id', 'known_payments.customer_id'),
        amount: eb.fn.coalesce('excluded.amount', 'known_payments.amount'),
        currency: eb.fn.coalesce('excluded.currency', 'known_payments.currency'),
        webhook_url: eb.fn.coalesce('excluded.webhook_url', 'known_payments.webhook_url'),
        created_time: eb.fn.coalesce('excluded.created_time', 'known_payments.created_time'),
        state: eb.ref('excluded.state'),
        state_time: eb
          .case()
          .when('known_payments.state', '=', eb.ref('excluded.state'))
          .then(eb.ref('known_payments.state_time'))
          .else(eb.ref('excluded.state_time'))
          .end(),
        seen_time: eb.ref('excluded.seen_time'),
      })),
    ),
);

/** Notes how a payment was seen; the time of its state is when that state was first seen. */
export async function remember(
  db: Kysely<DeskTables>,
  engine: Engine,
  { seen, source, now }: { seen: SeenPayment; source: Source; now: number },
): Promise<void> {
  await upsert(db, engine, {
    base_url: seen.baseUrl,
    app_id: seen.appId,
    payment_id: seen.paymentId,
    reference_id: seen.referenceId ?? null,
    customer_id: seen.customerId ?? null,
    amount: seen.amount ?? null,
    currency: seen.currency ?? null,
    state: seen.state ?? '',
    webhook_url: seen.webhookUrl ?? null,
    created_time: seen.createdTime ?? null,
    source,
    known_time: now,
    state_time: now,
    seen_time: now,
  });
}

/** Notes how a payment was seen, if the desk knows it at all. */
export async function rememberIfKnown(db: Kysely<DeskTables>, seen: SeenPayment, now: number): Promise<void> {
  const state = seen.state ?? '';
  await db
    .updateTable('known_payments')
    .set((eb) => ({
      reference_id: eb.fn.coalesce(eb.val(seen.referenceId ?? null), 'reference_id'),
      customer_id: eb.fn.coalesce(eb.val(seen.customerId ?? null), 'customer_id'),
      amount: eb.fn.coalesce(eb.val(seen.amount ?? null), 'amount'),
      currency: eb.fn.coalesce(eb.val(seen.currency ?? null), 'currency'),
      webhook_url: eb.fn.coalesce(eb.val(seen.webhookUrl ?? null), 'webhook_url'),
      created_time: eb.fn.coalesce(eb.val(seen.createdTime ?? null), 'created_time'),
      state,
      state_time: eb.case().when('state', '=', state).then(eb.ref('state_time')).else(now).end(),
      seen_time: now,
    }))
    .where(at(seen))
    .execute();
}

export async function findKnown(
  db: Kysely<DeskTables>,
  place: PaymentPlace,
): Promise<KnownPaymentRow | undefined> {
  return db.selectFrom('known_payments').selectAll().where(at(place)).executeTakeFirst();
}
