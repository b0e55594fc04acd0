// What matters most about a payment. Verdict, actions and reply are all derived from this, so that they agree.

import {
  canReach,
  capturedStates,
  isLegal,
  isStateName,
  operationStates,
  type SettleOperation,
  type StateName,
  wasCaptured,
} from '../contract/states.js';
import { isOpen } from '../ledger/moves/entries.js';
import { contradictsDone } from '../payments/move/proof.js';
import { isOverdue } from './overdue.js';
import type { LastOperation, Situation } from './situation.js';

/** The outcomes after which an instruction has not been carried out. */
export type NotDone = 'failed' | 'refused' | 'unsent';

export type PaymentCondition =
  /** Nothing but its state matters. */
  | { kind: 'state'; state: StateName }
  /** The service shows a state that paydesk does not know; `notDone` is an instruction that was not carried out. */
  | { kind: 'unknown-state'; notDone: (LastOperation & { outcome: NotDone }) | undefined }
  /** The service shows captured money in a state that is reached without a capture. */
  | { kind: 'captured-anyway'; state: StateName; captured: string }
  /** An instruction is recorded as done, and the payment contradicts it. */
  | { kind: 'conflict'; last: LastOperation; operation: SettleOperation }
  /** The payment shows the end of an instruction whose outcome is not recorded. */
  | { kind: 'not-recorded'; last: LastOperation; operation: SettleOperation; state: StateName }
  | { kind: 'in-progress'; last: LastOperation; operation: SettleOperation; state: StateName }
  /** The service accepted an instruction, and the payment does not show it yet. */
  | { kind: 'accepted'; last: LastOperation; operation: SettleOperation }
  /** An instruction was in progress, and the payment is back where it was; it may still be a stale read. */
  | { kind: 'came-back'; last: LastOperation; operation: SettleOperation }
  | { kind: 'unknown-outcome'; last: LastOperation; operation: SettleOperation }
  /** An instruction was not carried out, and still could be. */
  | { kind: 'not-done'; last: LastOperation; operation: SettleOperation; outcome: NotDone; state: StateName }
  /** A cancellation was not carried out, and the customer was charged. */
  | { kind: 'charged-anyway'; last: LastOperation; operation: 'cancel'; outcome: NotDone; state: StateName }
  /** Reads showed an instruction of somebody else in progress, and the payment is back where it was. */
  | { kind: 'seen-failing'; operation: SettleOperation; state: StateName; isCertain: boolean };

export function conditionOf(situation: Situation): PaymentCondition {
  const { state, last, seenFailing, captured } = situation;
  if (last && isOpen(last.outcome)) return openCondition(situation, last);
  const notDone = last && isNotDone(last) ? last : undefined;
  if (state === undefined) return { kind: 'unknown-state', notDone };
  if (last?.outcome === 'done' && contradictsDone(last.operation, state)) {
    return { kind: 'conflict', last, operation: last.operation };
  }
  if (captured !== undefined && state !== 'Capturing' && !wasCaptured(state)) {
    return { kind: 'captured-anyway', state, captured };
  }
  if (notDone) {
    const { operation, outcome } = notDone;
    if (isLegal(operation, state)) return { kind: 'not-done', last: notDone, operation, outcome, state };
    if (operation === 'cancel' && (state === 'Capturing' || state === 'Captured')) {
      return { kind: 'charged-anyway', last: notDone, operation, outcome, state };
    }
  }
  if (seenFailing && isLegal(seenFailing, state)) {
    const { confirmedTime = -Infinity, failedFrom = Infinity } = situation;
    return { kind: 'seen-failing', operation: seenFailing, state, isCertain: confirmedTime >= failedFrom };
  }
  return { kind: 'state', state };
}

const isNotDone = (last: LastOperation): last is LastOperation & { outcome: NotDone } =>
  last.outcome === 'failed' || last.outcome === 'refused' || last.outcome === 'unsent';

function openCondition(situation: Situation, last: LastOperation): PaymentCondition {
  const { operation, outcome } = last;
  const { state } = situation;
  const place = placeOf(last, state);
  if (state !== undefined && place === 'end') return { kind: 'not-recorded', last, operation, state };
  if (state !== undefined && place === 'in-progress') return { kind: 'in-progress', last, operation, state };
  if (place === 'before') {
    if (last.wasInProgress || situation.seenFailing === operation)
      return { kind: 'came-back', last, operation };
    if (outcome === 'accepted') return { kind: 'accepted', last, operation };
  }
  return { kind: 'unknown-outcome', last, operation };
}

const afterUnhold: readonly StateName[] = ['Authorised', 'Capturing', ...capturedStates];

/** Where the payment shows an open instruction to be. */
export function placeOf(
  { operation, before }: LastOperation,
  state: StateName | undefined,
): 'before' | 'in-progress' | 'end' | 'elsewhere' {
  if (state === undefined) return 'elsewhere';
  if (operation === 'unhold') {
    if (state === 'Held') return 'before';
    if (state === 'Processing') return 'in-progress';
    return afterUnhold.includes(state) ? 'end' : 'elsewhere';
  }
  const { during, end } = operationStates[operation];
  if (state === during) return 'in-progress';
  if (state === end || (operation === 'capture' && wasCaptured(state))) return 'end';
  return state === before ? 'before' : 'elsewhere';
}

/** Whether it has been in its state for too long, as far as is known. */
export function isOverdueNow({ state, age }: Pick<Situation, 'state' | 'age'>): boolean {
  return state !== undefined && age !== undefined && isOverdue(state, age.ms);
}

/** A refund or cancellation that the payment shows as done: only its outcome is not recorded yet. */
export const isEnded = (condition: PaymentCondition): boolean =>
  condition.kind === 'not-recorded' &&
  (condition.operation === 'refund' || condition.operation === 'cancel') &&
  operationStates[condition.operation].end === condition.state;

/** Sending it once more will hardly help: the provider has to say why it fails. */
export const hasFailedAgain = ({ failures }: LastOperation): boolean => failures > 1;

/** Whether an instruction that is in progress takes too long. */
export function isLate({ operation, time }: LastOperation, now: number): boolean {
  return isOverdue(operation === 'unhold' ? 'Processing' : operationStates[operation].during, now - time);
}

/** Webhooks contradict what the service shows, or report a failure that no read has shown. */
export function isDoubtful(situation: Situation): boolean {
  return contradictingWebhook(situation) !== undefined || hasSuspectedFailure(situation);
}

export function hasSuspectedFailure(
  situation: Situation,
): situation is Situation & { suspectedFailure: SettleOperation } {
  return situation.suspectedFailure !== undefined && conditionOf(situation).kind === 'state';
}

/**
 * The last webhook, where it reported a state from which the payment cannot have come to where it is. A webhook that was
 * missed is no contradiction: the payment has simply moved on.
 */
export function contradictingWebhook({ state, lastWebhook }: Situation): Situation['lastWebhook'] {
  if (state === undefined || lastWebhook === undefined) return undefined;
  const said = lastWebhook.state;
  if (!isStateName(said) || said === state || canReach(said, state)) return undefined;
  return lastWebhook;
}
