import { canReach, comesBefore, isStateName, states } from '../../contract/states.js';
import type { DeliveryVerdict } from '../../ledger/inbox-schema.js';

interface ReadFacts {
  /** The state that the webhook claims, by our name for it where there is one. */
  said: string | null;
  /** What the service shows, and what it showed at the read before. */
  state: string;
  previous: string | null;
  /** The same webhook came before. */
  repeated: boolean;
}

/** What a read says about a delivery. */
export function judgeDelivery({ said, state, previous, repeated }: ReadFacts): DeliveryVerdict {
  if (repeated) return 'duplicate';
  const differs = said !== null && said !== state;
  if (differs && (isAhead(said, state) || !mayFollow(said, state))) return 'unconfirmed';
  if (previous !== state) return isOneStep(previous, state) ? 'changed' : 'several';
  return differs ? 'stale' : 'same';
}

/** Whether a webhook says a state that the payment has still before it: the service may be about to show it. */
export function isAhead(said: string, state: string): boolean {
  if (!isStateName(said) || !isStateName(state)) return false;
  return comesBefore(state, said) || (canReach(state, said) && !canReach(said, state));
}

/** Whether a payment that was in `earlier` can be in `later` now. Of names that we do not know anything may be true. */
function mayFollow(earlier: string, later: string): boolean {
  return !isStateName(earlier) || !isStateName(later) || canReach(earlier, later);
}

function isOneStep(from: string | null, to: string): boolean {
  return from === null || !isStateName(from) || !isStateName(to) || states[from].next.includes(to);
}
