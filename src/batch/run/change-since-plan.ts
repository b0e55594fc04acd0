import type { PaymentRead } from '../../client/payment-calls.js';
import { formatAmount } from '../../contract/amount-format.js';
import { sameAmount } from '../../contract/exact.js';
import type { SettleOperation } from '../../contract/states.js';
import { safeText } from '../../output/text.js';
import { hasOtherReference, stateOf } from '../../payments/named-payments.js';
import { movedBy } from '../plan/assess.js';

/** A payment as the plan saw it; empty where the service did not show something. */
interface PlannedPayment {
  reference: string | null;
  state: string;
  amount: string;
  currency: string;
}

/** Why a row is not sent: its payment is not as the plan saw it. */
export function changeSincePlan(
  planned: PlannedPayment,
  operation: SettleOperation,
  read: PaymentRead,
): string | undefined {
  if (hasOtherReference(planned.reference, read)) {
    const [before, shown] = [planned.reference, read.fields.referenceId].map((text) => safeText(text ?? ''));
    return `read by its ID, its reference is ${shown} and not ${before}`;
  }
  const state = stateOf(read) ?? '';
  if (state !== planned.state) return `changed since the plan: ${planned.state || '?'} → ${state || '?'}`;
  const { currency = '' } = read.fields;
  const amount = movedBy(operation, read) ?? '';
  if (currency === planned.currency && sameAmount(amount, planned.amount)) return undefined;
  const [before, shown] = [formatAmount(planned.amount, planned.currency), formatAmount(amount, currency)];
  return `changed since the plan: ${before} → ${shown}`;
}
