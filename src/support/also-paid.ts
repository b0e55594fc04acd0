// The answer to "I paid twice": other payments of the same customer and amount.

import { madeTime, paidStates } from '../ledger/known/also-paid.js';
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
  /** Explain the other payment, and refund the later of the two where that is possible. */
  commands: Command[];
}

export function alsoPaidOf(
  known: KnownPaymentRow,
  { alsoPaid, uncertain }: Pick<Sources, 'alsoPaid' | 'uncertain'>,
  { profile, readOnly = false }: { profile: string | undefined; readOnly?: boolean },
): AlsoPaid[] {
  const isPaid = (paidStates as readonly string[]).includes(known.state);
  return alsoPaid.map((other) => {
    const apart = madeTime(other) - madeTime(known);
    const both = [known, other];
    const isClear = both.every(({ state, payment_id }) => state === 'Captured' && !uncertain.has(payment_id));
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
        ...(isClear && !readOnly ? [command('refund', laterOf(known, other).payment_id)] : []),
      ],
    };
  });
}

/** The same one, whichever of the two is asked about: of two at the same time, the one with the higher ID. */
function laterOf(one: KnownPaymentRow, other: KnownPaymentRow): KnownPaymentRow {
  const apart = madeTime(other) - madeTime(one);
  const byId = other.payment_id.localeCompare(one.payment_id, 'en', { numeric: true });
  return (apart || byId) > 0 ? other : one;
}
