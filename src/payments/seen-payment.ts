import type { PaymentRead } from '../client/payment-calls.js';
import { numberText } from '../contract/json.js';
import type { AppRef } from '../ledger/payment-ref.js';
import type { SeenPayment } from '../ledger/known-payments.js';
import { idOf } from './named-payments.js';

/** A read as the desk remembers it. */
export function seenPayment(app: AppRef, read: PaymentRead): SeenPayment {
  const { amount, currency, customerId, referenceId, webhookUrl, createdTime, paymentState } = read.fields;
  const created = createdTime === undefined ? NaN : Date.parse(createdTime);
  return {
    appId: app.appId,
    paymentId: idOf(read),
    generation: read.generation,
    state: read.state ?? paymentState,
    referenceId,
    customerId,
    amount: amount === undefined ? undefined : numberText(amount),
    currency,
    webhookUrl,
    createdTime: Number.isNaN(created) ? undefined : created,
  };
}
