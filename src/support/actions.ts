// What can be done to a payment now, the recommended action first.

import {
  isSettleOperation,
  states,
  statesAwaitingProvider,
  type SettleOperation,
  type StateName,
} from '../contract/states.js';
import { type Action, actionOf, type ActionOperation, type CommandOf } from './action.js';
import {
  conditionOf,
  contradictingWebhook,
  hasFailedAgain,
  isEnded,
  isLate,
  isOverdueNow,
  placeOf,
} from './condition.js';
import { ABANDONED_MS, RESERVATION_MS } from './overdue.js';
import type { LastOperation, Situation } from './situation.js';

type Offer = ActionOperation | 'resend';

interface Offers {
  offers: Offer[];
  recommended: Offer | undefined;
}

export function actionsFor(situation: Situation, commandOf: CommandOf): Action[] {
  const { offers, recommended } = offersFor(situation);
  const first = offers.filter((offer) => offer === recommended);
  const rest = offers.filter((offer) => offer !== recommended);
  return [...first, ...rest].map((offer, index) => ({
    ...actionOf(situation, offer, commandOf),
    recommended: index === 0 && first.length > 0,
  }));
}

function offersFor(situation: Situation): Offers {
  const condition = conditionOf(situation);
  const asked = situation.recheckedTime !== undefined;
  const possible = possibleFor(situation);
  const recommend = (recommended: Offer | undefined): Offers => ({ offers: possible, recommended });
  switch (condition.kind) {
    case 'unknown-state':
      return { offers: ['recheck', 'watch'], recommended: asked ? 'watch' : 'recheck' };
    case 'captured-anyway':
    case 'conflict':
      return { offers: ['recheck'], recommended: 'recheck' };
    case 'not-recorded':
      return { offers: ['check'], recommended: isEnded(condition) ? undefined : 'check' };
    case 'in-progress':
      return isLate(condition.last, situation.now)
        ? { offers: ['recheck', 'check'], recommended: 'recheck' }
        : { offers: ['watch', 'check', 'recheck'], recommended: 'watch' };
    case 'accepted':
    case 'came-back':
    case 'unknown-outcome':
      return mayResend(situation, condition.last, condition.kind)
        ? { offers: ['resend', 'check'], recommended: 'resend' }
        : { offers: ['check', 'recheck'], recommended: 'check' };
    case 'not-done':
      if (hasFailedAgain(condition.last)) return recommend(undefined);
      return recommend(possible.includes(condition.operation) ? condition.operation : 'recheck');
    case 'charged-anyway':
      return recommend(condition.state === 'Captured' ? 'refund' : 'watch');
    case 'seen-failing':
      return recommend(condition.isCertain ? condition.operation : 'recheck');
    default:
      return recommend(recommendedFor(situation, condition.state));
  }
}

/** What was accepted is more likely late than lost, and what came back has probably failed: both are checked first. */
function mayResend(
  { now, state, recheckedTime }: Situation,
  last: LastOperation,
  kind: 'accepted' | 'came-back' | 'unknown-outcome',
): boolean {
  if (now < last.quietUntil || placeOf(last, state) !== 'before' || last.differs || kind === 'came-back')
    return false;
  return kind === 'unknown-outcome' || recheckedTime !== undefined;
}

const finished: readonly StateName[] = ['Captured', 'Refunded', 'Cancelled'];
/** Where the payment may change without anybody at this desk. */
const changing: readonly StateName[] = ['Created', 'ActionRequired', ...statesAwaitingProvider];

function possibleFor(situation: Situation): ActionOperation[] {
  const { state } = situation;
  if (state === undefined) return ['recheck', 'watch'];
  const legal = states[state].legal
    .filter(isSettleOperation)
    .filter((operation) => !isBlocked(situation, operation));
  const { kind } = conditionOf(situation);
  // After one check with the provider, an instruction that failed stays as it is until it is sent again.
  const staysSo = kind === 'state' || (kind === 'not-done' && situation.recheckedTime !== undefined);
  const isOver = finished.includes(state) && contradictingWebhook(situation) === undefined && staysSo;
  return [
    ...legal,
    ...(isOver ? [] : (['recheck'] as const)),
    ...(changing.includes(state) ? (['watch'] as const) : []),
  ];
}

/** Done already, or not to be sent again: not before the quiet period has passed, or not while the payment differs. */
export function isBlocked(situation: Situation, operation: SettleOperation): boolean {
  const { last, outcomes, now, seenFailing, failedFrom = 0 } = situation;
  if (outcomes[operation] === 'done') return true;
  if (outcomes[operation] === undefined && seenFailing === operation) return now < failedFrom;
  const waits = last?.outcome === 'refused' || last?.outcome === 'unsent';
  return waits && last.operation === operation && (now < last.quietUntil || last.differs);
}

/**
 * What is best done now in this state. Undefined where nothing needs to be, and where it would charge the customer: only
 * the merchant knows whether a held payment is safe, and whether an authorised order was shipped.
 */
function recommendedFor(situation: Situation, state: StateName): ActionOperation | undefined {
  const { age, recheckedTime } = situation;
  const asked = recheckedTime !== undefined;
  if (contradictingWebhook(situation) !== undefined && !asked) return 'recheck';
  switch (state) {
    case 'Created':
      return age !== undefined && age.ms >= ABANDONED_MS ? 'cancel' : 'watch';
    case 'ActionRequired':
      if (!isOverdueNow(situation)) return 'watch';
      return asked ? 'cancel' : 'recheck';
    case 'Authorised':
      // The provider knows whether the money is still reserved.
      return age !== undefined && age.ms >= RESERVATION_MS && !asked ? 'recheck' : undefined;
    case 'Processing':
    case 'Capturing':
    case 'Refunding':
    case 'Cancelling':
      return isOverdueNow(situation) ? 'recheck' : 'watch';
    default:
      return undefined;
  }
}
