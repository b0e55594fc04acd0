// The status of the answer says nothing about a charge: its state does.

import { paydesk } from '../next-command.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { isPositive } from '../contract/money.js';
import { canReach, type StateName } from '../contract/states.js';
import { NotReachedError, PaydeskError, UnknownOutcomeError } from '../errors.js';
import type { Outcome } from '../ledger/moves/operations.js';
import { safeText } from '../output/text.js';
import { aliasHint } from './alias-hint.js';
import type { Desk } from './desk.js';
import { failureReason } from './failure-reason.js';
import { type FollowedPayment, followReads, lastSeenText } from './follow-payment.js';
import { idOf, labelOf, stateOf, stateText } from './named-payments.js';
import { waitEnded } from './wait.js';

const refundedStates: readonly StateName[] = ['Refunding', 'Refunded'];

/** A cancel or a refund can bounce. Declined is open at a checkout only: a stored method is not tried again. */
const canBeCaptured = (state: StateName): boolean => state !== 'Declined' && canReach(state, 'Captured');

/**
 * What the state of a charge says of it. It has failed only when it can no longer be captured: after a failure, people
 * charge again. One that shows captured money where there can be none is not known to have failed.
 */
export function chargeOutcome(read: PaymentRead, autoCapture: boolean): Outcome {
  const { state, fields } = read;
  if (state === undefined) return 'unknown';
  if (state === 'Captured' || (state === 'Authorised' && !autoCapture)) return 'done';
  const isOpen = canBeCaptured(state);
  const isUncaptured = state === 'Cancelling' || (!isOpen && !wasRefunded(read));
  if (isUncaptured && isPositive(fields.capturedAmount)) return 'unknown';
  return isOpen ? 'accepted' : 'failed';
}

/** The charge succeeded, and was refunded since, or is being refunded. */
export const wasRefunded = ({ state }: PaymentRead): boolean =>
  state !== undefined && refundedStates.includes(state);

/** The service has accepted the charge, so a read that fails, for whatever reason, says nothing about it. */
const isReadFailure = (error: unknown): boolean => error instanceof PaydeskError;

/** The result of a charge, followed to its end if requested. */
export async function followCharge(
  desk: Desk,
  start: PaymentRead,
  { autoCapture, wait }: { autoCapture: boolean; wait: boolean },
): Promise<{ read: PaymentRead; outcome: Outcome; error?: PaydeskError }> {
  const isOver = (read: PaymentRead) => ['done', 'failed'].includes(chargeOutcome(read, autoCapture));
  const followed: FollowedPayment = wait
    ? await followReads(desk, start, isOver, { isTemporary: isReadFailure })
    : { read: start };
  const { read } = followed;
  const outcome = chargeOutcome(read, autoCapture);
  const error = errorOf(desk, followed, outcome, wait);
  return { read, outcome, ...(error === undefined ? {} : { error }) };
}

function errorOf(
  desk: Desk,
  { read, failure }: FollowedPayment,
  outcome: Outcome,
  wait: boolean,
): PaydeskError | undefined {
  const label = `The charge, payment ${labelOf(read)},`;
  const next = [paydesk('payments', 'explain', idOf(read))];
  const keepWatching = [paydesk('payments', 'watch', idOf(read))];
  switch (outcome) {
    case 'done':
      return undefined;
    case 'failed': {
      const why = failureReason(read);
      const refunded = wasRefunded(read);
      return new NotReachedError(
        `${label} ${refunded ? 'succeeded and was refunded: it is' : 'failed: it is'} ${stateText(read)}${why === '' ? '' : ` (${safeText(why)})`}.\n` +
          'To try again, use a new --reference.',
        {
          code: 'charge-failed',
          details: { state: stateOf(read), ...(why === '' ? {} : { reason: why }) },
          next,
        },
      );
    }
    case 'unknown': {
      if (read.state !== undefined) {
        return new UnknownOutcomeError(
          `${label} is ${stateText(read)} and shows captured money. The customer may have been charged.`,
          { code: 'captured-anyway', next },
        );
      }
      const hint = aliasHint(read);
      return new UnknownOutcomeError(
        `${label} is ${stateText(read)}, a state that paydesk does not know. ` +
          'The customer may or may not have been charged.',
        { code: 'unknown-state', details: hint.details, next: [...next, ...hint.next] },
      );
    }
    default: {
      if (!wait) return undefined;
      const stands = failure ? lastSeenText(read, failure) : `is still ${stateText(read)}.`;
      return waitEnded(desk.signal.reason, `${label} ${stands}`, keepWatching);
    }
  }
}
