import type { PaymentRead } from '../client/payment-calls.js';
import { numberText } from '../contract/json.js';
import type { SeenPayment } from '../ledger/known-payments.js';
import { idOf } from './named-payments.js';

/** A read as the desk remembers it. */
export function seenPayment(place: { baseUrl: string; appId: string }, read: PaymentRead): SeenPayment {
  const { amount, currency, customerId, referenceId, webhookUrl, createdTime, paymentState } = read.fields;
  const created = createdTime === undefined ? NaN : Date.parse(createdTime);
  return {
    baseUrl: place.baseUrl,
    appId: place.appId,
    paymentId: idOf(read),
    state: read.state ?? paymentState,
    referenceId,
    customerId,
    amount: amount === undefined ? undefined : numberText(amount),
    currency,
    webhookUrl,
    createdTime: Number.isNaN(created) ? undefined : created,
  };
}
