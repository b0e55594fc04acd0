import type { SettleOperation } from '../../contract/states.js';
import type { StateName } from '../../contract/states.js';
import type { Outcome } from '../../ledger/moves/operations.js';

/** What a text may mention, written for its language. */
interface ReplyDetails {
  /** Follows "your payment": amount, date and reference, as far as they are known. */
  payment: string;
  /** The day by which the customer hears from us again. */
  by: string;
}

interface PaidTwice {
  /** As `payment` names each: `of EUR 10.50 and of EUR 10.50`. */
  payments: string;
  count: number;
  by: string;
}

export type ReplyText = (details: ReplyDetails) => string;

/** Everything that can be said to a customer, in one language. What is missing does not compile. */
export interface ReplyTexts {
  /** For amounts and dates. */
  locale: string;
  greeting(firstName: string | undefined): string;
  /** `of EUR 10.50 from 15 November 2026 (reference inv-2041)`. */
  payment(parts: {
    amount: string | undefined;
    date: string | undefined;
    reference: string | undefined;
  }): string;
  /** Where nothing but the state matters. */
  states: Readonly<Record<StateName, ReplyText>>;
  /** A charge of a stored method that was declined: the customer has no link to try again with. */
  declinedCharge: ReplyText;
  /** Expired after the money was reserved. */
  expiredReservation: ReplyText;
  /** A cancellation that was not carried out before the customer was charged. */
  cancelledTooLate: ReplyText;
  /** The customer has paid more than once, and nobody has decided what becomes of it. */
  paidTwice(details: PaidTwice): string;
  /** The customer has paid with another payment, and not with this one. */
  paidAlready(details: { payment: string; paid: string }): string;
  /** Ends a list of payments: `of EUR 10.50, of EUR 10.50 and 2 more`. */
  more(count: number): string;
  /** Follows the text about a payment that was refunded: another one was not. */
  alsoReceived: ReplyText;
  /** Follows it where another one was refunded too. */
  alsoRefunded: ReplyText;
  /** Nobody can say for certain where the payment stands. */
  unclear: ReplyText;
  /** An instruction of ours that the payment does not show as done. */
  operations: Readonly<Record<SettleOperation, Readonly<Record<Exclude<Outcome, 'done'>, ReplyText>>>>;
}

/** The parts that are known, with spaces between. */
export const joined = (...parts: Array<string | undefined>): string =>
  parts.filter((part) => part !== undefined).join(' ');
