// The answer to "I paid twice": other payments of the same customer and amount.

import { madeTime, MAX_ALSO_PAID, paidStates } from '../ledger/known/also-paid.js';
import type { KnownPaymentRow } from '../ledger/schema.js';
import type { Sources } from './records.js';
import { type Command, paydesk, withProfile } from '../next-command.js';
import { formatAmount } from '../contract/amount-format.js';
import { takenAmount } from '../contract/money.js';
import { safeText } from '../output/text.js';
import { roughDuration } from '../output/time.js';

export interface AlsoPaid {
  paymentId: string;
  referenceId: string | null;
  state: string;
  amount: string;
  currency: string | null;
  createdTime: number | null;
  /** For a person. */
  text: string;
  /** Explain the other payment; and together they refund all payments but the first, where that is possible. */
  commands: Command[];
}

export function alsoPaidOf(
  known: KnownPaymentRow,
  { alsoPaid, uncertain }: Pick<Sources, 'alsoPaid' | 'uncertain'>,
  { profile, readOnly = false }: { profile: string | undefined; readOnly?: boolean },
): AlsoPaid[] {
  const isPaid = (paidStates as readonly string[]).includes(known.state);
  const others = alsoPaid.slice(0, MAX_ALSO_PAID);
  const isClear = ({ state, payment_id }: KnownPaymentRow) =>
    state === 'Captured' && !uncertain.has(payment_id);
  const first = [known, ...others].filter(isClear).toSorted(byTime)[0];
  return others.map((other) => {
    const apart = madeTime(other) - madeTime(known);
    const when =
      Math.abs(apart) < 1_000
        ? 'at the same time'
        : `${roughDuration(Math.abs(apart))} ${apart > 0 ? 'later' : 'earlier'}`;
    const taken = takenAmount(other.state, { amount: other.amount, capturedAmount: other.captured_amount });
    const amount = formatAmount(taken ?? '', other.currency ?? undefined);
    const command = (verb: string, payment: string) =>
      withProfile(paydesk('payments', verb, payment), profile);
    return {
      paymentId: other.payment_id,
      referenceId: other.reference_id,
      state: other.state,
      amount: other.amount ?? '',
      currency: other.currency,
      createdTime: other.created_time,
      text: `This customer ${isPaid ? 'also ' : ''}paid ${safeText(amount)} ${when} (${other.payment_id}, ${safeText(other.state)}).`,
      commands: [
        command('explain', other.payment_id),
        // Where one of the two went back already, or may have, the other is the one that was meant.
        ...([known, other].every(isClear) && !readOnly
          ? [command('refund', (other === first ? known : other).payment_id)]
          : []),
      ],
    };
  });
}

/** The same order, whichever of them is asked about: of two at the same time, the one with the lower ID is first. */
const byTime = (one: KnownPaymentRow, other: KnownPaymentRow): number =>
  madeTime(one) - madeTime(other) || one.payment_id.localeCompare(other.payment_id, 'en', { numeric: true });
