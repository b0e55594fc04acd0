// What a line of the file says, against what the service shows of the payment.

import { wasCaptured } from '../contract/states.js';
import { isExact, toUnits } from '../contract/exact.js';
import type { SettlementLine } from './line.js';
import { idWithoutQuotes } from './id-without-quotes.js';

/** Why a line needs attention. */
export type ExceptionName =
  | 'not-captured'
  | 'refunded-at-provider'
  | 'captured-twice'
  | 'duplicate-line'
  | 'refunded-twice'
  | 'amount-differs'
  | 'currency-differs'
  | 'fee-differs'
  | 'capture-id-differs'
  | 'chargeback'
  | 'other-kind'
  | 'not-at-service'
  | 'not-known'
  | 'not-in-file'
  | 'unreadable';

/** What is known about a payment, from the ledger or from a read. */
export interface PaymentFacts {
  /** Our name of the state where there is one, otherwise the service's. */
  state: string;
  amount: string | undefined;
  /** What was captured, where the service shows it. */
  capturedAmount?: string | undefined;
  currency: string | undefined;
  fee: string | undefined;
  captureId: string | undefined;
  authorizeId: string | undefined;
}

/**
 * Undefined where the line and the payment agree. `firstLine` is an earlier line with the same kind and payment, and
 * `firstCapture` that line of a capture, where it may have the ID of another one.
 */
export function exceptionName(
  line: SettlementLine,
  facts: PaymentFacts,
  firstLine: number | undefined,
  firstCapture?: SettlementLine,
): ExceptionName | undefined {
  switch (line.kind) {
    case 'capture':
      if (firstLine !== undefined) {
        const hasOther = [line, firstCapture].some(
          (each) => each !== undefined && isOtherCapture(each, facts),
        );
        return hasOther ? 'captured-twice' : 'duplicate-line';
      }
      if (!wasCaptured(facts.state)) return 'not-captured';
      return differenceOf(line, facts, line.amount) ?? feeDifference(line, facts);
    case 'refund':
      if (firstLine !== undefined) return 'refunded-twice';
      if (facts.state !== 'Refunded') return 'refunded-at-provider';
      return differenceOf(line, facts, line.amount.replace('-', ''));
    case 'chargeback':
      return 'chargeback';
    default:
      return 'other-kind';
  }
}

/** Only the ID of another capture proves one: the same line may simply be there twice. */
export function isOtherCapture(
  { operationId }: SettlementLine,
  { captureId, authorizeId }: PaymentFacts,
): boolean {
  if (operationId === undefined || captureId === undefined) return false;
  const own = [captureId, ...(authorizeId === undefined ? [] : [authorizeId])].map(idWithoutQuotes);
  return !own.includes(idWithoutQuotes(operationId));
}

/** The line has the ID of the payment's own capture or authorisation. */
export const isOwnCapture = (
  { operationId }: SettlementLine,
  { captureId, authorizeId }: PaymentFacts,
): boolean => operationId !== undefined && (operationId === captureId || operationId === authorizeId);

/** A capture of the whole payment, and of nothing but it: what a refund returns is what the line has. */
export const isExactly = (
  { amount, currency }: SettlementLine,
  { amount: shown, capturedAmount = shown, currency: shownCurrency }: PaymentFacts,
): boolean =>
  currency === shownCurrency && matchesShown(amount, shown) && matchesShown(amount, capturedAmount);

function differenceOf(
  { currency }: SettlementLine,
  facts: PaymentFacts,
  amount: string,
): ExceptionName | undefined {
  if (currency !== facts.currency) return 'currency-differs';
  return matchesShown(amount, settledAmount(facts)) ? undefined : 'amount-differs';
}

/** What the provider should have booked: nothing captured means that nothing is captured yet or any more. */
export const settledAmount = ({ amount, capturedAmount }: PaymentFacts): string | undefined =>
  capturedAmount !== undefined && /[1-9]/.test(capturedAmount) ? capturedAmount : amount;

function feeDifference({ fee }: SettlementLine, facts: PaymentFacts): ExceptionName | undefined {
  if (fee === undefined || facts.fee === undefined) return undefined;
  return matchesShown(fee, facts.fee) ? undefined : 'fee-differs';
}

function matchesShown(amount: string, shown: string | undefined): boolean {
  if (shown === undefined || shown === '') return false;
  if (amount === shown) return true;
  return isExact(shown) && toUnits(amount) === toUnits(shown);
}
