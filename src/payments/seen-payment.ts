import type { PaymentRead } from '../client/payment-calls.js';
import { numberText } from '../contract/json.js';
import { wasCaptured } from '../contract/states.js';
import type { AppRef } from '../ledger/payment-ref.js';
import type { OrderDetails, ProviderDetails, SeenPayment } from '../ledger/known/seen-payment.js';
import { storablePayment } from '../ledger/known/storable-payment.js';
import { textAt } from '../output/values.js';
import type { DeskApp } from './desk.js';
import { idOf } from './named-payments.js';

/** A read as the desk remembers it. */
export function seenPayment(app: AppRef, read: PaymentRead): SeenPayment {
  const { amount, currency, customerId, referenceId, webhookUrl, paymentState } = read.fields;
  const state = read.state ?? paymentState;
  return storablePayment({
    appId: app.appId,
    paymentId: idOf(read),
    generation: read.generation,
    state,
    referenceId,
    customerId,
    amount: amount === undefined ? undefined : numberText(amount),
    currency,
    capturedAmount: state !== undefined && wasCaptured(state) ? capturedText(read) : undefined,
    webhookUrl,
    createdTime: createdTimeOf(read),
    provider: providerDetails(read),
    order: orderDetails(read),
  });
}

/** When the service says that it was created, in milliseconds; undefined where that is no time. */
export function createdTimeOf({ fields: { createdTime } }: PaymentRead): number | undefined {
  const time = Date.parse(createdTime ?? '');
  return Number.isNaN(time) ? undefined : time;
}

const capturedText = ({ fields: { capturedAmount } }: PaymentRead): string =>
  capturedAmount === undefined ? '' : numberText(capturedAmount);

/** A read as the ledger has it beside an instruction: with the place where it was made. */
export function ledgerFacts(app: DeskApp, read: PaymentRead) {
  const { kind, profile, baseUrl } = app;
  return { ...seenPayment(app, read), kind, profile, baseUrl };
}

function providerDetails({ fields: { payInfo } }: PaymentRead): ProviderDetails | undefined {
  if (payInfo === undefined) return undefined;
  const { providerReferenceId, authorizeId, captureId, providerFee, paymentProfile, payer } = payInfo;
  return {
    reference: providerReferenceId,
    authorizeId,
    captureId,
    fee: providerFee === undefined ? undefined : numberText(providerFee),
    profile: paymentProfile?.paymentProfileId?.toString(),
    payerName: payer?.fullName,
    payerEmail: payer?.email,
    brand: payer?.card?.cardBrand,
  };
}

/** The contract does not say that a payment shows its order, and a service may. */
function orderDetails({ object }: PaymentRead): OrderDetails | undefined {
  const orderId =
    textAt(object, 'orderId') ||
    textAt(object, 'customerOrder', 'orderId') ||
    textAt(object, 'order', 'orderId');
  return orderId === '' ? undefined : { orderId };
}
