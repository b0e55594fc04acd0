// What one read proves about an instruction that was sent. "The state moved" is not proof by itself, a state that we
// do not know proves nothing, and "not there yet" is not "did not happen".

import type { PaymentRead } from '../../client/payment-calls.js';
import type { JsonNumber } from '../../contract/json.js';
import { isPositive } from '../../contract/money.js';
import {
  capturedStates,
  operationStates,
  type SettleOperation,
  type StateName,
  states,
  wasCaptured,
} from '../../contract/states.js';
import { fingerprintWithoutFailure, fingerprintOf } from './fingerprint.js';
import { stateOf } from '../named-payments.js';

/** The payment as it was before the instruction was sent. */
export interface Before {
  state: StateName | undefined;
  /** The state as the service names it. */
  stateName: string | null;
  /** Undefined where an intent has none: then only the state is compared. */
  fingerprint: string | undefined;
  capturedAmount?: JsonNumber | undefined;
}

/** What is known since then. */
export interface Since {
  /** Capturing, Refunding or Cancelling was read, and the payment was not so before. */
  underWay: boolean;
  /** The service answered with a success. */
  isTaken: boolean;
}

export const nothingSince: Readonly<Since> = { underWay: false, isTaken: false };

export type Standing =
  | 'done'
  /** Carried out, and the end state is still to come. */
  | 'under-way'
  /** Was under way, and shows a state from before that again. */
  | 'back'
  /** In a state that excludes it. */
  | 'excluded'
  /** Exactly as it was before. */
  | 'unchanged'
  /** Different, and the difference proves nothing. */
  | 'changed';

/** Shows that it was not carried out, if it stays so. */
export const suggestsFailure = (standing: Standing): boolean =>
  standing === 'back' || standing === 'excluded';

export function beforeOf(read: PaymentRead): Before {
  const { capturedAmount } = read.fields;
  return {
    state: read.state,
    stateName: stateOf(read),
    fingerprint: fingerprintOf(read),
    ...(capturedAmount === undefined ? {} : { capturedAmount }),
  };
}

const proofs: Readonly<
  Record<SettleOperation, { carriedOut: readonly StateName[]; excluded: readonly StateName[] }>
> = {
  capture: {
    carriedOut: ['Capturing', ...capturedStates],
    excluded: ['Cancelled', 'Expired', 'Declined', 'Failed'],
  },
  refund: { carriedOut: ['Refunding', 'Refunded'], excluded: [] },
  cancel: {
    carriedOut: ['Cancelling', 'Cancelled'],
    excluded: ['Capturing', ...capturedStates, 'Declined', 'Failed', 'Expired'],
  },
  unhold: { carriedOut: ['Authorised', 'Capturing', ...capturedStates], excluded: [] },
};

export function standingOf(
  operation: SettleOperation,
  before: Before,
  read: PaymentRead,
  since: Readonly<Since> = nothingSince,
): Standing {
  const { state } = read;
  const { carriedOut, excluded } = proofs[operation];
  const wasDone = before.state !== undefined && carriedOut.includes(before.state);
  const comparison = isAsBefore(before, read) ? 'unchanged' : 'changed';
  if (
    operation === 'capture' &&
    !wasDone &&
    comparison === 'changed' &&
    becamePositive(before.capturedAmount, read.fields.capturedAmount)
  ) {
    return isEnd(operation, state) ? 'done' : 'under-way';
  }
  if (state === undefined) return comparison;
  if (operation === 'unhold' && !wasHeld(before, since)) return comparison;
  if (carriedOut.includes(state)) {
    const end = isEnd(operation, state);
    // Where it was already so before it was sent, seeing it again says nothing.
    if (wasDone && !(end && wasUnderWay(operation, before))) return comparison;
    return end ? 'done' : 'under-way';
  }
  if (isBack(operation, before, read, since)) return 'back';
  if (excluded.includes(state) && state !== before.state) return 'excluded';
  return comparison;
}

function isBack(operation: SettleOperation, before: Before, read: PaymentRead, since: Since): boolean {
  if (operation === 'unhold' || read.state === undefined) return false;
  if (wasUnderWay(operation, before))
    return states[operationStates[operation].during].next.includes(read.state);
  return since.underWay && isAsBefore(before, read, { ignoreFailure: true });
}

/**
 * Sent with --force while the same was under way already. Nobody can tell the two apart, and nobody needs to: the payment
 * is captured, or it is not.
 */
export const wasUnderWay = (operation: SettleOperation, before: Before): boolean =>
  isUnderWay(operation, before.state);

/**
 * A payment that was not Held when the unhold was sent may have moved by itself. Where paydesk does not know the state, it
 * was held if the service accepted the unhold.
 */
function wasHeld({ state }: Before, { isTaken }: Since): boolean {
  return state === 'Held' || (state === undefined && isTaken);
}

/**
 * Whether a payment that has moved on shows, once the quiet period has passed, that the operation was not carried out:
 * a cancel leaves nothing that could still be approved or captured.
 */
export function hasPassed(operation: SettleOperation, before: Before, { state }: PaymentRead): boolean {
  if (operation !== 'cancel' || state === undefined || before.state === undefined) return false;
  return state !== before.state && !proofs.cancel.carriedOut.includes(state);
}

/**
 * Exactly as it was, as far as anybody can see. What failed may leave its reason (`ignoreFailure`); any other difference,
 * such as a refunded amount, may be the work of one that did not.
 */
export function isAsBefore(
  { stateName, fingerprint }: Pick<Before, 'stateName' | 'fingerprint'>,
  read: PaymentRead,
  { ignoreFailure = false } = {},
): boolean {
  if (stateOf(read) !== stateName) return false;
  if (fingerprint === undefined || fingerprint === fingerprintOf(read)) return true;
  return ignoreFailure && fingerprint === fingerprintWithoutFailure(read);
}

/**
 * Whether a payment in this state cannot have had the operation done to it. One that shows it in progress is read behind
 * its end, and one that was approved may have gone anywhere but back.
 */
export function contradictsDone(operation: SettleOperation, state: StateName | undefined): boolean {
  if (state === undefined) return false;
  return operation === 'unhold' ? state === 'Held' : !proofs[operation].carriedOut.includes(state);
}

/** The other operations that cannot have been done to a payment in this state. */
export const notShownBy = (operation: SettleOperation, state: StateName | undefined): SettleOperation[] =>
  (['capture', 'cancel', 'refund', 'unhold'] as const).filter(
    (other) => other !== operation && contradictsDone(other, state),
  );

function isEnd(operation: SettleOperation, state: StateName | undefined): boolean {
  if (state === undefined) return false;
  if (operation === 'unhold') return true;
  // Refunding and Refunded are reached by way of Captured.
  return operation === 'capture' ? wasCaptured(state) : state === operationStates[operation].end;
}

/** The state that an operation ends in, for "wait for Refunded"; unhold leads to wherever the payment was going. */
export function endStateOf(operation: SettleOperation): StateName | undefined {
  return operation === 'unhold' ? undefined : operationStates[operation].end;
}

/** Whether a state that was read after the operation was sent shows it under way, and the one before did not. */
export function cameUnderWay(
  operation: SettleOperation,
  before: StateName | undefined,
  now: StateName | undefined,
): boolean {
  return isUnderWay(operation, now) && !isUnderWay(operation, before);
}

function isUnderWay(operation: SettleOperation, state: StateName | undefined): boolean {
  return operation !== 'unhold' && state === operationStates[operation].during;
}

function becamePositive(before: JsonNumber | undefined, now: JsonNumber | undefined): boolean {
  return isPositive(now) && !isPositive(before);
}
