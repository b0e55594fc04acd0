import type { PaymentMethod } from '../../contract/customer.js';
import type { MethodRow, PaymentRow } from '../schema.js';
import { testCard } from './cards.js';
import { expiryOf } from './payer.js';
import { profileOf } from './providers.js';
import { Refusal } from './refusal.js';
import type { Work } from './work.js';

const REGISTRATION_OFFSET = 4000;

/** The registration's own number; a method and its registration are one row. */
export function registrationOf(method: Pick<MethodRow, 'payment_method_id'>): number {
  return method.payment_method_id + REGISTRATION_OFFSET;
}

/** The method that a registration belongs to. */
export const methodOf = (registrationId: number): number => registrationId - REGISTRATION_OFFSET;

/** Stores the method that a payment was made with, once the provider accepted it. */
export async function storeMethod(work: Work, payment: PaymentRow): Promise<number> {
  const profile = await profileOf(work, payment);
  const card = testCard(payment.card ?? 'approved');
  const isCard = profile?.method_type === 'CreditCard';
  const expiry = isCard ? expiryOf(payment, work.now) : undefined;
  const { payment_method_id } = await work.tx
    .insertInto('methods')
    .values({
      app_id: payment.app_id,
      customer_id: payment.customer_id,
      method_type: profile?.method_type ?? 'CreditCard',
      card: payment.card ?? 'approved',
      brand: isCard ? card.brand : null,
      card_type: isCard ? card.type : null,
      expiry_month: expiry?.month ?? null,
      expiry_year: expiry?.year ?? null,
      payment_profile_id: payment.payment_profile_id ?? 0,
      currency: payment.currency,
      registered_by: payment.payment_id,
      is_stopped: 0,
      is_removed: 0,
      created_time: work.now,
      last_payment_id: payment.payment_id,
    })
    .returning('payment_method_id')
    .executeTakeFirstOrThrow();
  return payment_method_id;
}

/** A customer's stored methods, removed ones left out, the newest last. */
export async function listMethods(
  work: Pick<Work, 'tx'>,
  appId: string,
  customerId: string,
): Promise<MethodRow[]> {
  return work.tx
    .selectFrom('methods')
    .selectAll()
    .where('app_id', '=', appId)
    .where('customer_id', '=', customerId)
    .where('is_removed', '=', 0)
    .orderBy('payment_method_id')
    .execute();
}

/** The payments that stored methods came from and were used for last, by the id of the payment. */
export async function usesOf(
  work: Pick<Work, 'tx'>,
  methods: readonly MethodRow[],
): Promise<Map<number, PaymentRow>> {
  const ids = methods.flatMap(({ registered_by, last_payment_id }) =>
    [registered_by, last_payment_id ?? []].flat(),
  );
  if (ids.length === 0) return new Map();
  const payments = await work.tx.selectFrom('payments').selectAll().where('payment_id', 'in', ids).execute();
  return new Map(payments.map((payment) => [payment.payment_id, payment]));
}

/** One of a customer's methods, removed or not. */
export async function readMethod(
  work: Pick<Work, 'tx'>,
  appId: string,
  customerId: string,
  methodId: number,
): Promise<MethodRow | undefined> {
  return work.tx
    .selectFrom('methods')
    .selectAll()
    .where('app_id', '=', appId)
    .where('customer_id', '=', customerId)
    .where('payment_method_id', '=', methodId)
    .executeTakeFirst();
}

/** Why the stored method of a payment cannot be charged any more; undefined when it can, or when there is none. */
export async function endedMethod(
  work: Work,
  { method_id }: Pick<PaymentRow, 'method_id'>,
): Promise<string | undefined> {
  if (method_id === null) return undefined;
  const method = await work.tx
    .selectFrom('methods')
    .select(['is_removed', 'is_stopped'])
    .where('payment_method_id', '=', method_id)
    .executeTakeFirst();
  if (method?.is_removed === 1) return 'the stored method was removed';
  return method?.is_stopped === 1 ? 'the auto-payment was stopped' : undefined;
}

export async function deleteMethod(
  work: Work,
  appId: string,
  customerId: string,
  methodId: number,
): Promise<void> {
  await endMethod(
    work,
    appId,
    customerId,
    methodId,
    { is_removed: 1, is_stopped: 1 },
    `stored method ${methodId}`,
  );
}

export async function stopRegistration(
  work: Work,
  appId: string,
  customerId: string,
  registrationId: number,
): Promise<void> {
  const methodId = methodOf(registrationId);
  await endMethod(
    work,
    appId,
    customerId,
    methodId,
    { is_stopped: 1 },
    `auto-payment registration ${registrationId}`,
  );
}

async function endMethod(
  work: Work,
  appId: string,
  customerId: string,
  methodId: number,
  end: { is_stopped: 1; is_removed?: 1 },
  what: string,
): Promise<void> {
  const { numUpdatedRows } = await work.tx
    .updateTable('methods')
    .set(end)
    .where('app_id', '=', appId)
    .where('customer_id', '=', customerId)
    .where('payment_method_id', '=', methodId)
    .where('is_removed', '=', 0)
    .$if(end.is_removed === undefined, (query) => query.where('is_stopped', '=', 0))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Refusal('not-found', `Customer ${customerId} has no ${what}.`);
}

export function showMethod(method: MethodRow): PaymentMethod {
  return {
    paymentMethodId: method.payment_method_id,
    paymentMethodType: method.method_type,
    ...(method.brand !== null && {
      card: {
        cardBrand: method.brand,
        ...(method.card_type !== null && { cardType: method.card_type }),
        ...(method.expiry_month !== null && { cardExpiryMonth: method.expiry_month }),
        ...(method.expiry_year !== null && { cardExpiryYear: method.expiry_year }),
      },
    }),
    paymentProfileId: method.payment_profile_id,
    customerAutomaticProfileId: registrationOf(method),
    isActive: method.is_stopped === 0,
    createdTime: new Date(method.created_time).toISOString(),
  };
}
