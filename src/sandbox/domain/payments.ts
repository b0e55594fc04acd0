import {
  numberFromText,
  numberText,
  parseJson,
  type JsonObject,
  type JsonValue,
  isJsonNumber,
  isJsonObject,
} from '../../contract/json.js';
import { sameAmount } from '../../contract/exact.js';
import type { CustomerOrder } from '../../contract/order.js';
import type { Payment } from '../../contract/payment.js';
import type {
  HostedPaymentBody,
  PlainPaymentBody,
  ProviderHostedPaymentBody,
} from '../../contract/payment-request.js';
import { states } from '../../contract/states.js';
import type { NewPayment, PaymentRow } from '../schema.js';
import type { App } from './apps.js';
import { enrolCustomer } from './customers.js';
import {
  insertPaymentRow,
  lockedPayment,
  shownPayment,
  wholePayment,
  type PaymentStatements,
  type ShownPaymentRow,
} from './statements.js';
import { addJob, recordEvent } from './transitions.js';
import { invalidRequest, referenceErrors } from './references.js';
import { Refusal } from './refusal.js';
import type { Work } from './work.js';

export type CreateBody = HostedPaymentBody | PlainPaymentBody | ProviderHostedPaymentBody;
export type CreateFlow = 'HostedPage' | 'Direct' | 'ProviderHostedPage';

export interface InsertedPayment {
  payment: PaymentRow;
  created: boolean;
}

/** Creates a payment, or finds the one that this reference already made. */
export async function createOrFindPayment(
  work: Work,
  app: App,
  flow: CreateFlow,
  body: CreateBody,
): Promise<InsertedPayment> {
  const seen = await checkReferences(work, app, body);
  if (seen) return { payment: seen, created: false };
  const expires = 'expirationTime' in body ? body.expirationTime : undefined;
  const expiration = expires === undefined ? null : Date.parse(expires);
  const result = await insertPayment(work, app, body, {
    flow,
    currency: body.currency,
    auto_capture: Number(body.autoCapture),
    return_url: body.returnUrl ?? null,
    expiration_time: expiration,
    payment_profile_id: 'paymentProfileId' in body ? body.paymentProfileId : null,
    save_method: Number(body.registerAutoPayment ?? false),
  });
  if (result.created && expiration !== null) {
    await addJob(work, result.payment, 'expire-link', expiration);
  }
  return result;
}

type Variable =
  | 'flow'
  | 'currency'
  | 'auto_capture'
  | 'return_url'
  | 'expiration_time'
  | 'payment_profile_id'
  | 'save_method';

/** The part that every way of creating shares: one row, its customer, and the first webhook. */
export async function insertPayment(
  work: Work,
  app: App,
  body: {
    referenceId: string;
    amount: CreateBody['amount'];
    customerOrder: CustomerOrder;
    webhookUrl?: string | undefined;
  },
  fields: Pick<PaymentRow, Variable>,
): Promise<InsertedPayment> {
  const row = {
    ...fields,
    app_id: app.app_id,
    reference_id: body.referenceId,
    state: 'Created',
    amount: numberText(body.amount),
    captured_amount: '0',
    auto_payment: 'None',
    fraud_status: 'Unknown',
    customer_id: body.customerOrder.customer.customerId,
    webhook_url: body.webhookUrl ?? null,
    payer_ip: null,
    payer: null,
    created_time: work.now,
    changed_time: work.now,
    authorised_until: null,
    request: JSON.stringify(body),
    card: null,
    method_id: null,
    pay_info: null,
    failure: null,
    provider_knows: null,
    version: 1,
  } satisfies NewPayment;
  const [inserted] = await insertPaymentRow(work.tx, work.store.engine, row);
  if (!inserted) {
    const seen = await lockPayment(work, { appId: app.app_id, referenceId: body.referenceId });
    if (!seen) throw new Refusal('unavailable', 'The reference is being used by another request; try again.');
    return { payment: seen, created: false };
  }
  const payment: PaymentRow = { ...row, payment_id: inserted.payment_id };
  await enrolCustomer(work, app.app_id, body.customerOrder.customer);
  await recordEvent(work, payment, null, 'created');
  return { payment, created: true };
}

/** Whether a repeated create asks for the same as the first one did; amounts compare as money. */
export function sameRequest(payment: PaymentRow, body: object, flow: string): boolean {
  const [before, now] = [payment.request, JSON.stringify(body)].map(parseRequest);
  return payment.flow === flow && sameJson(before, now);
}

/** With the one default that the spec names: who leaves it out asks for the same. */
function parseRequest(text: string): JsonValue {
  const request = parseJson(text);
  return isJsonObject(request) ? { registerAutoPayment: false, ...request } : request;
}

function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (isJsonNumber(a) && isJsonNumber(b)) return sameAmount(a, b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, index) => sameJson(value, b[index]));
  }
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].every((key) => sameJson(a[key], b[key]));
  }
  return a === b;
}

/** A payment id may be asked for within one app, or across all of them. */
export type PaymentRowKey = { paymentId: number; appId?: string } | { appId: string; referenceId: string };

export type FindPayment<Row = PaymentRow> = (
  work: Pick<Work, 'tx' | 'store'>,
  key: PaymentRowKey,
) => Promise<Row | undefined>;

export const readPayment: FindPayment = findBy(wholePayment);

/** Only what an answer shows, which takes a third less to read. */
export const readShownPayment: FindPayment<ShownPaymentRow> = findBy(shownPayment);

/** For a change: all that follows in the transaction rests on the state read here. */
export const lockPayment: FindPayment = findBy(lockedPayment);

function findBy<Row extends ShownPaymentRow>({
  byId,
  byReference,
}: PaymentStatements<Row>): FindPayment<Row> {
  return async ({ tx, store }, key) => {
    if ('referenceId' in key) {
      const [payment] = await byReference(tx, store.engine, { app: key.appId, reference: key.referenceId });
      return payment;
    }
    const [payment] = await byId(tx, store.engine, { id: key.paymentId });
    return key.appId === undefined || payment?.app_id === key.appId ? payment : undefined;
  };
}

/** Where the customer was last sent back to. */
export async function lastReturnUrl(
  { tx }: Pick<Work, 'tx'>,
  appId: string,
  customerId: string,
): Promise<string | undefined> {
  const newest = await tx
    .selectFrom('payments')
    .select('return_url')
    .where('app_id', '=', appId)
    .where('customer_id', '=', customerId)
    .where('return_url', 'is not', null)
    .orderBy('payment_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.return_url ?? undefined;
}

/** The payment as the service shows it. */
export function showPayment(
  payment: ShownPaymentRow,
  addresses: { checkout(payment: ShownPaymentRow): string },
): Payment {
  const hosted = payment.flow === 'HostedPage' || payment.flow === 'ProviderHostedPage';
  // What is undefined here is absent from the answer.
  return {
    appId: payment.app_id,
    paymentId: payment.payment_id,
    paymentState: payment.state,
    paymentStateId: states[payment.state].id,
    amount: numberFromText(payment.amount),
    capturedAmount: numberFromText(payment.captured_amount),
    referenceId: payment.reference_id,
    currency: payment.currency,
    autoCapture: payment.auto_capture === 1,
    paymentFlow: payment.flow,
    autoPayment: payment.auto_payment,
    fraudStatus: payment.fraud_status,
    redirectUrl: hosted ? addresses.checkout(payment) : undefined,
    returnUrl: payment.return_url ?? undefined,
    webhookUrl: payment.webhook_url ?? undefined,
    customerId: payment.customer_id,
    payerIp: payment.payer_ip ?? undefined,
    createdTime: new Date(payment.created_time).toISOString(),
    failureReason: payment.failure ?? undefined,
    payInfo: payment.pay_info === null ? undefined : (parseJson(payment.pay_info) as JsonObject),
  };
}

/**
 * Refuses a body that names what the app does not have; but a request that comes again is answered with its payment,
 * even when a link has expired or a profile was switched off meanwhile.
 */
export async function checkReferences(
  work: Work,
  app: App,
  body: { referenceId: string },
): Promise<PaymentRow | undefined> {
  const errors = referenceErrors(app, body, work.now);
  if (errors.length === 0) return undefined;
  const seen = await lockPayment(work, { appId: app.app_id, referenceId: body.referenceId });
  if (!seen) throw invalidRequest(errors);
  return seen;
}
