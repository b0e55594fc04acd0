import type { AutoPaymentBody } from '../../contract/payment-request.js';
import type { MethodRow, PaymentRow } from '../schema.js';
import type { App } from './apps.js';
import { listMethods } from './methods.js';
import { authorise } from './instructions.js';
import { blockPayment, fraudVerdict } from './paying.js';
import { checkReferences, insertPayment, lockPayment, type InsertedPayment } from './payments.js';
import { Refusal } from './refusal.js';
import { changeState } from './transitions.js';
import type { Work } from './work.js';

/** Charges a stored method of a customer who is not there. The state of the payment is the result. */
export async function charge(work: Work, app: App, body: AutoPaymentBody): Promise<InsertedPayment> {
  await checkReferences(work, app, body);
  const forced = body.paymentMethodProviderProfileId;
  const seen = await lockPayment(work, { appId: app.app_id, referenceId: body.referenceId });
  if (seen) return { payment: seen, created: false };
  const method = await chooseMethod(work, app, body);
  const result = await insertPayment(work, app, body, {
    flow: 'AutoPayment',
    currency: method.currency,
    auto_capture: Number(body.autoCapture),
    return_url: null,
    expiration_time: null,
    payment_profile_id: forced ?? method.payment_profile_id,
    save_method: 0,
  });
  if (!result.created) return result;
  const chosen = { card: method.card, method_id: method.payment_method_id };
  await work.tx
    .updateTable('payments')
    .set(chosen)
    .where('payment_id', '=', result.payment.payment_id)
    .execute();
  await work.tx
    .updateTable('methods')
    .set({ last_payment_id: result.payment.payment_id })
    .where('payment_method_id', '=', method.payment_method_id)
    .execute();
  return { payment: await carryOut(work, app, { ...result.payment, ...chosen }), created: true };
}

async function carryOut(work: Work, app: App, payment: PaymentRow): Promise<PaymentRow> {
  const verdict = await fraudVerdict(work, app, payment);
  if (verdict === 'block') return blockPayment(work, payment);
  if (verdict === 'hold') return changeState(work, payment, 'Held', 'held by a fraud rule');
  return authorise(work, payment, { cause: 'charged to a stored method', capture: 'inline' });
}

async function chooseMethod(work: Work, app: App, body: AutoPaymentBody): Promise<MethodRow> {
  const { customerId } = body.customerOrder.customer;
  const forced = body.paymentMethodProviderProfileId;
  const methods = await listMethods(work, app.app_id, customerId);
  const active = methods.filter((method) => method.is_stopped === 0);
  // A provider can charge only the kind of method that it takes.
  const taken = active.filter((method) => forced === undefined || isSameKind(app, method, forced));
  const toProfile = forced === undefined ? '' : ` that provider profile ${forced} takes`;
  if (body.paymentMethodId !== undefined) {
    const named = taken.find((method) => method.payment_method_id === body.paymentMethodId);
    if (named) return named;
    throw refuse(`Customer ${customerId} has no active stored method ${body.paymentMethodId}${toProfile}.`);
  }
  const ofProfile = taken.filter((method) => method.payment_profile_id === forced);
  const method = (ofProfile.length > 0 ? ofProfile : taken).at(-1);
  if (!method) throw refuse(`Customer ${customerId} has no active stored method${toProfile}.`);
  return method;
}

function isSameKind(app: App, { payment_profile_id }: MethodRow, forced: number): boolean {
  const kindOf = (id: number) =>
    app.profiles.find((profile) => profile.payment_profile_id === id)?.method_type;
  return kindOf(payment_profile_id) === kindOf(forced);
}

function refuse(detail: string): Refusal {
  return new Refusal('method-not-chargeable', detail);
}
