import type { PaymentRead } from '../../client/payment-calls.js';
import { sameAmount } from '../../contract/exact.js';
import { takenAmount } from '../../contract/money.js';
import { operationStates, states } from '../../contract/states.js';
import { forbidden, legalInstead } from '../../payments/move/legality.js';
import { idOf, stateOf } from '../../payments/named-payments.js';
import type { SourceRow } from './csv-rows.js';
import type { Assessment, PaymentAction } from './plan-row.js';

/** What is to become of a row, given the payment as the service shows it. */
export function assess(action: PaymentAction, row: SourceRow, read: PaymentRead): Assessment {
  const { currency, referenceId } = read.fields;
  const facts = {
    line: row.line,
    payment: idOf(read),
    reference: referenceId,
    state: stateOf(read) ?? undefined,
    amount: movedBy(action, read),
    currency,
  };
  const difference = differenceOf(row, facts);
  if (difference !== undefined) return { ...facts, verdict: 'changed', why: difference };
  if (action === 'recheck') return { ...facts, verdict: 'act' };
  const before = doneBefore(action, read);
  if (before !== undefined) return { ...facts, verdict: 'done', why: before };
  const refusal = forbidden(action, read);
  if (refusal) {
    const [next] = refusal.next;
    const other = legalInstead(action, read);
    const advice = other === undefined ? read.state && states[read.state].meaning : `${other} instead`;
    const why = `${facts.state}: ${advice}`;
    return { ...facts, verdict: 'not-possible', why, ...(next && { next }) };
  }
  if (read.state !== undefined) return { ...facts, verdict: 'act' };
  return { ...facts, verdict: 'act', why: 'paydesk does not know this state: the service will decide' };
}

/** A refund returns what was captured, which may be less than the amount. */
export const movedBy = (action: PaymentAction, { state, fields }: PaymentRead): string | undefined =>
  takenAmount(action === 'refund' ? state : undefined, fields);

function differenceOf(
  row: SourceRow,
  facts: { amount: string | undefined; currency: string | undefined },
): string | undefined {
  const amount =
    row.amount !== undefined && (facts.amount === undefined || !sameAmount(row.amount, facts.amount));
  const currency = row.currency !== undefined && row.currency !== facts.currency;
  if (amount && currency) return 'amount and currency differ';
  if (amount) return 'amount differs';
  return currency ? 'currency differs' : undefined;
}

function doneBefore(action: Exclude<PaymentAction, 'recheck'>, read: PaymentRead): string | undefined {
  if (action === 'unhold') return undefined;
  const { during, end } = operationStates[action];
  if (read.state === end) return `${stateOf(read)} before`;
  return read.state === during ? `${stateOf(read)}: on its way already` : undefined;
}
