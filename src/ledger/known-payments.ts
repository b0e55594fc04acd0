import { sql, type Kysely, type RawBuilder } from 'kysely';
import { canReach, operationStates, stateNames, states } from '../contract/states.js';
import { prepared } from '../store/prepared.js';
import type { Engine } from '../store/types.js';
import { startGeneration } from './generations.js';
import { ofPayment, type PaymentRef } from './payment-ref.js';
import type { DeskTables, KnownPaymentRow } from './schema.js';

// The service has no list of payments. This is what the desk knows of them: those that it created, changed, read or
// received webhooks for, each as it was last seen.

export const sources = ['created', 'changed', 'heard', 'read'] as const;
/** How the desk came to know of a payment. */
export type Source = (typeof sources)[number];

/** A payment as a read showed it. */
export interface SeenPayment extends PaymentRef {
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

const changesBetween = (from: string, to: readonly string[]) =>
  sql`known_payments.state = ${sql.lit(from)} and excluded.state in (${sql.join(to.map((state) => sql.lit(state)))})`;

/** The changes that show an operation not to have got to its end, such as Refunding → Captured, or Refunded → Captured. */
const failures: RawBuilder<unknown>[] = [
  ...Object.entries(operationStates).flatMap(([operation, { during, end }]) => {
    const back = states[during].next.filter((state) => state !== end);
    const lost = stateNames.filter((state) => state !== end && !canReach(end, state));
    return [changesBetween(during, back), changesBetween(end, lost)].map(
      (change) => sql`when ${change} then ${sql.lit(operation)}`,
    );
  }),
  sql`when ${changesBetween('Authorised', ['Held'])} then 'unhold'`,
];

/** `isChange`: a state that is new here came about just now, and not at some time since the payment was last seen. */
const upsertWhere = (isChange: boolean) =>
  prepared<DeskTables, unknown, keyof KnownPaymentRow>((db, value) =>
    db
      .insertInto('known_payments')
      .values({
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
        since_time: value('since_time'),
        failed_operation: value('failed_operation'),
        seen_time: value('seen_time'),
      })
      .onConflict((conflict) =>
        conflict.columns(['app_id', 'payment_id']).doUpdateSet((eb) => ({
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
          since_time: eb
            .case()
            .when('known_payments.state', '=', eb.ref('excluded.state'))
            .then(eb.ref('known_payments.since_time'))
            .else(eb.ref(isChange ? 'excluded.seen_time' : 'known_payments.seen_time'))
            .end(),
          failed_operation: sql<string | null>`case when known_payments.state = excluded.state
          then known_payments.failed_operation ${sql.join(failures, sql` `)} end`,
          seen_time: eb.ref('excluded.seen_time'),
        })),
      ),
  );

const upserts = { change: upsertWhere(true), read: upsertWhere(false) };

/** Records how a payment was seen. A state that is new here is a change of just now, unless it was only read. */
export async function remember(
  db: Kysely<DeskTables>,
  engine: Engine,
  {
    seen,
    source,
    now,
    isChange = source !== 'read',
  }: { seen: SeenPayment; source: Source; now: number; isChange?: boolean },
): Promise<void> {
  await startGeneration(db, seen);
  await upserts[isChange ? 'change' : 'read'](db, engine, {
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
    since_time: source === 'heard' ? now : Math.min(now, seen.createdTime ?? now),
    failed_operation: null,
    seen_time: now,
  });
}

export async function findKnown(
  db: Kysely<DeskTables>,
  ref: PaymentRef,
): Promise<KnownPaymentRow | undefined> {
  return db.selectFrom('known_payments').selectAll().where(ofPayment(ref)).executeTakeFirst();
}
