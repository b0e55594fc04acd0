import { statesAwaitingProvider, type StateName } from '../contract/states.js';
import { DAY_MS } from '../day.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a payment may be in a state before it needs attention; in the states that are not listed it may stay. */
export const OVERDUE_AFTER_MS: Readonly<Partial<Record<StateName, number>>> = {
  // Banks give customers about 15 minutes to confirm.
  ActionRequired: 30 * MINUTE_MS,
  // Providers confirm within a minute; after ten the answer was usually lost.
  Processing: 10 * MINUTE_MS,
  Capturing: 10 * MINUTE_MS,
  Cancelling: 10 * MINUTE_MS,
  // Some providers confirm refunds in batches.
  Refunding: HOUR_MS,
  // Only a person can end a hold, and a customer is waiting.
  Held: HOUR_MS,
  // A reservation usually ends after seven days.
  Authorised: 6 * DAY_MS,
};

/** How long a reservation usually lasts. The service does not name the provider's own limit. */
export const RESERVATION_MS = 7 * DAY_MS;

/** A checkout that is not paid after this time was probably abandoned. */
export const ABANDONED_MS = DAY_MS;

export function isOverdue(state: StateName, ageMs: number): boolean {
  const limit = OVERDUE_AFTER_MS[state];
  return limit !== undefined && ageMs >= limit;
}

/** The states in which a payment can be overdue, the most pressing first. */
export const overdueStates: readonly StateName[] = [
  'Authorised',
  ...statesAwaitingProvider,
  'Held',
  'ActionRequired',
];
