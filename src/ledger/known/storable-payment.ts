// A service may send text of any length and kind. What the desk remembers of a payment fits the database and its indexes.

import type { SeenPayment } from './seen-payment.js';

/** In UTF-8. PostgreSQL refuses an index entry of more than 2,704 bytes, and some have an app, a customer and a state. */
const MAX_NAME_BYTES = 1_000;
const MAX_STATE_LENGTH = 200;

export function storablePayment(seen: SeenPayment): SeenPayment {
  const { provider, order, state } = seen;
  return {
    ...seen,
    state: state === undefined ? undefined : storableState(state),
    referenceId: exactName(seen.referenceId),
    customerId: exactName(seen.customerId),
    currency: exactName(seen.currency),
    provider: provider && {
      ...provider,
      reference: exactName(provider.reference),
      authorizeId: exactName(provider.authorizeId),
      captureId: exactName(provider.captureId),
      payerEmail: exactName(provider.payerEmail),
    },
    order: order && { ...order, orderId: exactName(order.orderId), email: exactName(order.email) },
  };
}

/** Payments are found and matched by it: a part of it, or a replaced character, could match another payment. */
function exactName(text: string | undefined): string | undefined {
  return text !== undefined && isExact(text) && fits(text) ? text : undefined;
}

/** Every payment has a state. One that is cut ends with `…`, so it is not taken for another one. */
export function storableState(state: string): string {
  if (state.length <= MAX_STATE_LENGTH && isExact(state)) return state;
  const cut = state.length <= MAX_STATE_LENGTH ? state : `${state.slice(0, MAX_STATE_LENGTH)}…`;
  return cut.replaceAll('\0', '\uFFFD').toWellFormed();
}

const isExact = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

// A UTF-16 unit has at most three bytes in UTF-8.
const fits = (text: string): boolean =>
  text.length * 3 <= MAX_NAME_BYTES ||
  (text.length <= MAX_NAME_BYTES && Buffer.byteLength(text) <= MAX_NAME_BYTES);
