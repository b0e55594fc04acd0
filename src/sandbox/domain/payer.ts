import type { PaymentRow } from '../schema.js';
import { cardExpiry, testCard, type Expiry } from './cards.js';

/** What the customer typed of themselves while paying. Kept with the payment; a card's number never is. */
export interface Payer {
  name: string;
  expiry?: Expiry;
}

/** A name does not have this many digits: somebody may have typed a real card number into the wrong field. */
export const hasCardNumber = (text: string): boolean => (text.match(/\p{Nd}/gu)?.length ?? 0) >= 12;

export function payerOf(payment: PaymentRow): Payer | undefined {
  return payment.payer === null ? undefined : (JSON.parse(payment.payer) as Payer);
}

/** When the card expires that a payment is made with: as it was typed, or as the test card has it. */
export function expiryOf(payment: PaymentRow, now: number): Expiry {
  return payerOf(payment)?.expiry ?? cardExpiry(testCard(payment.card ?? 'approved'), now);
}
