// What may be told to the customer: no internals, and never the opposite of the verdict.

import type { PaymentRead } from '../client/payment-calls.js';
import { isStateName, type StateName, wasCaptured } from '../contract/states.js';
import { MAX_ALSO_PAID } from '../ledger/known/also-paid.js';
import type { KnownPaymentRow } from '../ledger/schema.js';
import { isDecimal, takenAmount, writtenOut } from '../contract/money.js';
import { formatAmount, localAmount } from '../contract/amount-format.js';
import { safeText } from '../output/text.js';
import { textAt } from '../output/values.js';
import { conditionOf, isDoubtful, isLate, isOverdueNow, type PaymentCondition } from './condition.js';
import { de } from './replies/de.js';
import { en } from './replies/en.js';
import { es } from './replies/es.js';
import { fr } from './replies/fr.js';
import type { ReplyText, ReplyTexts } from './replies/texts.js';
import type { Situation } from './situation.js';
import { DAY_MS } from '../day.js';

export const languages = ['en', 'de', 'es', 'fr'] as const;
export type Language = (typeof languages)[number];

const replies: Readonly<Record<Language, ReplyTexts>> = { en, de, es, fr };

/** What a reply mentions of a payment; what is undefined is left out. */
interface ReplyPayment {
  amount: string | undefined;
  currency: string | undefined;
  payerName: string | undefined;
}

export function replyPayment({ object, fields, state }: PaymentRead): ReplyPayment {
  return {
    amount: takenAmount(state, fields),
    currency: fields.currency,
    payerName: textAt(object, 'payInfo', 'payer', 'fullName') || undefined,
  };
}

/** Another payment of the same customer and amount. */
interface OtherPayment extends Omit<ReplyPayment, 'payerName'> {
  state: string;
  referenceId: string | undefined;
  createdTime: number | undefined;
}

export const otherPaid = (row: KnownPaymentRow): OtherPayment => ({
  state: row.state,
  amount: takenAmount(row.state, { amount: row.amount, capturedAmount: row.captured_amount }),
  currency: row.currency ?? undefined,
  referenceId: row.reference_id ?? undefined,
  createdTime: row.created_time ?? undefined,
});

/** A text that can be sent to the customer as it is. `others` were paid by the same customer. */
export function replyOf(
  situation: Situation,
  payment: ReplyPayment,
  others: readonly OtherPayment[],
  language: Language,
): string {
  const texts = replies[language];
  const { createdTime, referenceId, now } = situation;
  const dates = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'long', timeZone: 'UTC' });
  const named = (one: Omit<OtherPayment, 'state'>) =>
    texts.payment({
      amount: one.amount && amountIn(one.amount, one.currency, texts.locale),
      date: one.createdTime === undefined ? undefined : dates.format(one.createdTime),
      reference: one.referenceId === undefined ? undefined : safeText(one.referenceId),
    });
  const details = {
    payment: named({ amount: payment.amount, currency: payment.currency, createdTime, referenceId }),
    by: dates.format(nextWorkday(now)),
  };
  const detailsOf = (one: OtherPayment) => ({ ...details, payment: named(one) });
  const kept = others.filter(({ state }) => isKept(state));
  const own = textFor(situation, texts);
  const isSure = isKept(situation.state) && [texts.states.Captured, texts.states.Capturing].includes(own);
  const isRepeated = isSure && kept.length > 0;
  const told = isRepeated ? others.filter(({ state }) => !isKept(state)) : others;
  const [paid] = kept;
  const body = isRepeated
    ? texts.paidTwice({
        payments: listOf([details.payment, ...kept.map(named)], texts),
        count: kept.length + 1,
        by: details.by,
      })
    : paid && invitesToPay(own, texts)
      ? texts.paidAlready({ payment: details.payment, paid: named(paid) })
      : own(details);
  const rest = aboutOthers(situation, told.slice(0, MAX_ALSO_PAID), texts, detailsOf);
  return `${texts.greeting(firstName(payment.payerName))}\n\n${[body, ...rest].join(' ')}`;
}

/** The payment that was asked about and the closest others; how many more there are ends the list. */
function listOf(names: readonly string[], texts: ReplyTexts): string {
  const shown = names.slice(0, MAX_ALSO_PAID + 1);
  const more = names.length - shown.length;
  return new Intl.ListFormat(texts.locale).format([...shown, ...(more === 0 ? [] : [texts.more(more)])]);
}

/** Who has paid already must not be asked to pay. */
const invitesToPay = (text: ReplyText, { states, declinedCharge }: ReplyTexts): boolean =>
  [
    states.Created,
    states.ActionRequired,
    states.Declined,
    states.Failed,
    states.Expired,
    declinedCharge,
  ].includes(text);

const isKept = (state: string | undefined): boolean => state === 'Captured' || state === 'Capturing';

/** One of the payments was refunded, or is to be: what became of the others. */
function aboutOthers(
  { state }: Situation,
  others: readonly OtherPayment[],
  texts: ReplyTexts,
  detailsOf: (other: OtherPayment) => Parameters<ReplyText>[0],
): string[] {
  if (state === undefined || !(isPaid(state) || isReserved(state))) return [];
  let isRefundTold = state === 'Refunded';
  return others.flatMap((other) => {
    if (!isStateName(other.state)) return [];
    const isRefunded = other.state === 'Refunded';
    const text =
      other.state === 'Captured'
        ? texts.alsoReceived
        : isRefunded && isRefundTold
          ? texts.alsoRefunded
          : texts.states[other.state];
    isRefundTold ||= isRefunded;
    return [text(detailsOf(other))];
  });
}

const isReserved = (state: StateName): boolean => state === 'Authorised' || state === 'Held';

const isPaid = (state: StateName): boolean => state === 'Capturing' || wasCaptured(state);

function textFor(situation: Situation, texts: ReplyTexts): ReplyText {
  const condition = conditionOf(situation);
  switch (condition.kind) {
    case 'unknown-state':
    case 'captured-anyway':
      return texts.unclear;
    case 'conflict':
    case 'came-back':
    case 'unknown-outcome':
      return texts.operations[condition.operation].unknown;
    case 'accepted':
      return texts.operations[condition.operation].accepted;
    case 'charged-anyway':
      return texts.cancelledTooLate;
    case 'not-done':
      return texts.operations[condition.operation][condition.outcome];
    case 'seen-failing':
      return texts.operations[condition.operation][condition.isCertain ? 'failed' : 'unknown'];
    default:
      if (isDoubtful(situation)) return texts.unclear;
      if (condition.state === 'Declined' && situation.isCharge) return texts.declinedCharge;
      if (condition.state === 'Expired' && situation.wasAuthorised) return texts.expiredReservation;
      return (
        (isStuck(situation, condition) && stuckText(condition.state, texts)) || texts.states[condition.state]
      );
  }
}

/** Whether what is in progress takes longer than it should: then nobody can promise when it ends. */
const isStuck = (situation: Situation, condition: PaymentCondition): boolean =>
  condition.kind === 'in-progress' ? isLate(condition.last, situation.now) : isOverdueNow(situation);

/** Money that is on its way back to the customer, and does not arrive. */
function stuckText(state: StateName, { operations }: ReplyTexts): ReplyText | undefined {
  if (state === 'Refunding') return operations.refund.unknown;
  return state === 'Cancelling' ? operations.cancel.unknown : undefined;
}

/** `EUR 1,234.50` in English, `1.234,50 €` in German. What is no amount stays as it is. */
function amountIn(amount: string, currency: string | undefined, locale: string): string {
  const isCode = currency !== undefined && /^[A-Z]{3}$/.test(currency);
  const decimal = writtenOut(amount);
  return locale.startsWith('en') || !isCode || !isDecimal(decimal)
    ? safeText(formatAmount(amount, currency))
    : localAmount(decimal, currency, locale);
}

/** The next day that is no Saturday or Sunday. */
function nextWorkday(now: number): number {
  const next = now + DAY_MS;
  return [0, 6].includes(new Date(next).getUTCDay()) ? nextWorkday(next) : next;
}

/** The first of several names, where it looks like one; `ADA LOVELACE` and `ada lovelace` become `Ada`. */
function firstName(fullName: string | undefined): string | undefined {
  const [first = '', ...others] = fullName?.trim().split(/\s+/) ?? [];
  if (others.length === 0 || !/^\p{L}[\p{L}\p{M}'’-]+$/u.test(first)) return undefined;
  const isOneCase = first === first.toUpperCase() || first === first.toLowerCase();
  return isOneCase ? first.charAt(0).toUpperCase() + first.slice(1).toLowerCase() : first;
}
