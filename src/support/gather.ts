// Puts together what is known about a payment. Everything that the support room takes from the ledger is read here.

import type { Client } from '../client/client.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { sameAmount } from '../contract/exact.js';
import { numberText } from '../contract/json.js';
import { isPositive, takenAmount } from '../contract/money.js';
import {
  isSettleOperation,
  isStateName,
  operationStates,
  type SettleOperation,
  states,
} from '../contract/states.js';
import { isMove, outcomeOf } from '../ledger/moves/entries.js';
import type { PaymentRecord, RecordedIntent } from '../ledger/moves/payment-record.js';
import { quietLeft } from '../ledger/moves/quiet-period.js';
import { databaseTimeIn, steadyNow, type SteadyTime } from '../ledger/steady-clock.js';
import type { KnownPaymentRow } from '../ledger/schema.js';
import { quietOf } from '../payments/desk.js';
import { failureReason } from '../payments/failure-reason.js';
import { isAsBefore } from '../payments/move/proof.js';
import { idOf, stateOf } from '../payments/named-payments.js';
import { createdTimeOf } from '../payments/seen-payment.js';
import { formatAmount } from '../contract/amount-format.js';
import { safeText } from '../output/text.js';
import type { Zone } from '../output/time.js';
import { textAt } from '../output/values.js';
import type { Sources } from './records.js';
import type { Age, LastOperation, Situation } from './situation.js';

export interface GatherOptions {
  now: number;
  /** The quiet period of the profile, and that of a paydesk sandbox where nobody set one. */
  quietMs: number;
  sandboxQuietMs?: number | undefined;
  /** In place of the steady clock of this machine. */
  steady?: SteadyTime | undefined;
  /** Of the times in sentences; UTC when absent. */
  zone?: Zone | undefined;
}

type Canonical = (name: string) => string;

/** Of a payment that was just read. */
export function gatherSituation(
  client: Pick<Client, 'canonicalState'>,
  read: PaymentRead,
  { record, webhooks }: Sources,
  options: GatherOptions,
): Situation {
  const { fields } = read;
  const canonical: Canonical = (name) => client.canonicalState(name) ?? name;
  const shown = fields.paymentState ?? '';
  const state = canonical(shown);
  const createdTime = createdTimeOf(read);
  const last = webhooks.findLast(({ said, late }) => said !== undefined && !late);
  const earlier = webhooks.findLast(({ said }) => said !== undefined && canonical(said) !== state)?.said;
  // A row that could not be updated is about another state.
  const known = record?.known?.state === state ? record.known : undefined;
  return {
    paymentId: idOf(read),
    referenceId: fields.referenceId,
    state: read.state,
    shown,
    ...amountTexts(read.state, fields),
    captured: capturedText(read),
    autoCapture: fields.autoCapture,
    isCharge: fields.paymentFlow === 'AutoPayment',
    reason: failureReason(read),
    wasAuthorised: textAt(read.object, 'payInfo', 'authorizeId') !== '',
    createdTime,
    age: ageOf({ state, createdTime, known }, options.now),
    ...seenFailing(known, quietOf(options, read)),
    suspectedFailure: earlier === undefined ? undefined : failedBetween(canonical(earlier), state),
    ...fromLedger(record, { ...options, read, state, canonical, since: known?.since_time ?? 0 }),
    lastWebhook: last && { time: last.time, state: canonical(last.said as string) },
    now: options.now,
    zone: options.zone ?? 'UTC',
  };
}

/** Of a known payment as it was last seen, without asking the service. */
export function gatherKnown(
  known: KnownPaymentRow,
  record: PaymentRecord | undefined,
  client: Pick<Client, 'canonicalState'>,
  options: GatherOptions,
): Situation {
  const { state } = known;
  const canonical: Canonical = (name) => client.canonicalState(name) ?? name;
  const createdTime = known.created_time ?? undefined;
  return {
    paymentId: known.payment_id,
    referenceId: known.reference_id ?? undefined,
    state: isStateName(state) ? state : undefined,
    shown: state,
    ...amountTexts(state, {
      amount: known.amount,
      capturedAmount: known.captured_amount,
      currency: known.currency ?? undefined,
    }),
    captured: undefined,
    autoCapture: undefined,
    isCharge: undefined,
    reason: '',
    wasAuthorised: undefined,
    createdTime,
    age: ageOf({ state, createdTime, known }, options.now),
    ...seenFailing(known, options.quietMs),
    suspectedFailure: undefined,
    ...fromLedger(record, { ...options, state, canonical, since: known.since_time }),
    lastWebhook: undefined,
    now: options.now,
    zone: options.zone ?? 'UTC',
  };
}

function capturedText({ fields: { capturedAmount, currency } }: PaymentRead): string | undefined {
  if (capturedAmount === undefined || !isPositive(capturedAmount)) return undefined;
  return amountText(numberText(capturedAmount), currency);
}

function amountTexts(
  state: string | undefined,
  payment: Parameters<typeof takenAmount>[1] & { currency?: string | undefined },
): Pick<Situation, 'amount' | 'taken'> {
  const { currency } = payment;
  const whole = takenAmount(undefined, payment);
  const taken = takenAmount(state, payment);
  const isWhole = whole !== undefined && taken !== undefined && sameAmount(whole, taken);
  return { amount: amountText(whole, currency), taken: amountText(isWhole ? whole : taken, currency) };
}

function amountText(amount: string | undefined, currency: string | undefined): string {
  return amount === undefined ? 'the amount' : safeText(formatAmount(amount, currency));
}

// Two reads this close to each other date the change between them well enough.
const CLOSE_MS = 60_000;

function ageOf(
  payment: { state: string; createdTime: number | undefined; known: KnownPaymentRow | undefined },
  now: number,
): Age | undefined {
  const { state, createdTime, known } = payment;
  const since = (time: number) => Math.max(0, now - time);
  if (state === 'Created' && createdTime !== undefined) return { ms: since(createdTime), certainty: 'exact' };
  if (known === undefined) {
    return createdTime === undefined ? undefined : { ms: since(createdTime), certainty: 'up-to' };
  }
  return { ms: since(known.since_time), certainty: certaintyOf(known) };
}

function certaintyOf(known: KnownPaymentRow): Age['certainty'] {
  const { source, state_time, since_time, known_time, created_time } = known;
  // A read that says nothing about the creation, and nothing seen before it.
  if (source !== 'heard' && created_time === null && known_time === state_time) return 'at-least';
  return state_time - since_time <= CLOSE_MS ? 'exact' : 'up-to';
}

/** A read that shows it may come from a replica that is behind: nothing is certain before the quiet period has passed. */
function seenFailing(
  known: KnownPaymentRow | undefined,
  quietMs: number,
): Pick<Situation, 'seenFailing' | 'failedFrom'> {
  const operation = known?.failed_operation ?? undefined;
  return { seenFailing: operation, failedFrom: operation && known && known.state_time + quietMs };
}

/** The operation that was in progress in the first state and has not got to its end in the second. */
function failedBetween(before: string, current: string): SettleOperation | undefined {
  const failed = Object.entries(operationStates).find(
    ([, { during, end }]) => before === during && current !== end && states[during].next.includes(current),
  );
  const operation = failed?.[0];
  return operation !== undefined && isSettleOperation(operation) ? operation : undefined;
}

type SentIntent = RecordedIntent & { operation: SettleOperation };

interface LedgerOptions extends GatherOptions {
  /** The payment as it was just read. */
  read?: PaymentRead | undefined;
  state: string;
  canonical: Canonical;
  /** The earliest time at which the payment may have come to be in its state. */
  since: number;
}

function fromLedger(
  record: PaymentRecord | undefined,
  options: LedgerOptions,
): Pick<Situation, 'last' | 'outcomes' | 'recheckedTime' | 'confirmedTime'> {
  const intents = record?.intents ?? [];
  const sent = withoutUnsentRepeats(intents.filter(isMove));
  const outcomes: Situation['outcomes'] = {};
  for (const intent of sent) outcomes[intent.operation] = outcomeOf(intent);
  // The intent that holds the payment is the one that matters, whatever was written after it.
  const last = sent.find(({ id }) => id === record?.hold?.intent_id) ?? sent.at(-1);
  return {
    last: last && lastOperation(last, sent, { ...options, hold: record?.hold }),
    outcomes,
    ...recheckTimes(intents, options),
  };
}

/** An instruction that was repeated and never left stands as it did before. */
const withoutUnsentRepeats = (sent: readonly SentIntent[]): SentIntent[] =>
  sent.filter(
    ({ operation, last }, index) =>
      last?.may_have_left !== 0 ||
      !sent.slice(0, index).some((one) => one.operation === operation && one.last?.may_have_left !== 0),
  );

function lastOperation(
  intent: SentIntent,
  sent: readonly SentIntent[],
  options: LedgerOptions & Pick<PaymentRecord, 'hold'>,
): LastOperation {
  const { canonical, read } = options;
  const { operation, last } = intent;
  const outcome = outcomeOf(intent);
  const before = canonical(intent.before_state ?? '');
  const during = operation === 'unhold' ? undefined : operationStates[operation].during;
  const others = sent.filter((one) => one.operation === operation);
  const lastOther = others.findLastIndex((one) => outcomeOf(one) !== 'failed');
  const mayHaveLeft = last?.may_have_left !== 0;
  const { before_state: shown, before_fingerprint } = intent;
  const isSame =
    read === undefined ||
    stateOf(read) !== shown ||
    isAsBefore({ stateName: shown, fingerprint: before_fingerprint ?? undefined }, read);
  return {
    operation,
    outcome,
    time: intent.time,
    operator: intent.operator,
    ticket: intent.ticket ?? undefined,
    before: isStateName(before) ? before : undefined,
    why: last?.why ?? undefined,
    wasInProgress: intent.outcomes.some(({ after_state }) => canonical(after_state ?? '') === during),
    failures: others.length - 1 - lastOther,
    differs: mayHaveLeft && !isSame,
    mayHaveLeft,
    quietUntil: options.now + quietLeftOf(intent, options),
  };
}

/** Measured as the ledger does before it lets the same instruction be sent again. */
function quietLeftOf(
  intent: RecordedIntent,
  { now, quietMs, sandboxQuietMs, steady, hold }: GatherOptions & Pick<PaymentRecord, 'hold'>,
): number {
  const { last } = intent;
  if (last?.may_have_left === 0) return 0;
  const { quiet_ms, boot, steady_ms } = intent;
  const held = hold?.intent_id === intent.id ? hold : undefined;
  const renewed = held && { boot: held.boot, ms: held.steady_ms };
  const length = quiet_ms === sandboxQuietMs ? sandboxQuietMs : quietMs;
  const clock = databaseTimeIn(boot, now) ?? steady ?? steadyNow();
  return quietLeft({ quiet_ms, boot, steady_ms, last, renewed }, length, clock);
}

function recheckTimes(
  intents: readonly RecordedIntent[],
  { state, canonical, since }: LedgerOptions,
): Pick<Situation, 'recheckedTime' | 'confirmedTime'> {
  const confirming = intents.filter(
    ({ operation, last, time }) =>
      operation === 'recheck' &&
      last?.outcome === 'done' &&
      time >= since &&
      canonical(last.after_state ?? '') === state,
  );
  const unchanged = confirming.findLast(({ before_state }) => canonical(before_state ?? '') === state);
  return { recheckedTime: unchanged?.time, confirmedTime: confirming.at(-1)?.time };
}
