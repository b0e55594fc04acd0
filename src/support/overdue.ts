import type { StateName } from '../contract/states.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long a payment may be in a state before it needs attention; in the states that are not listed it may stay. */
export const OVERDUE_AFTER_MS: Readonly<Partial<Record<StateName, number>>> = {
  // Banks give customers about 15 minutes to confirm.
  ActionRequired: 30 * MINUTE,
  // Providers confirm within a minute; after ten the answer was usually lost.
  Processing: 10 * MINUTE,
  Capturing: 10 * MINUTE,
  Cancelling: 10 * MINUTE,
  // Some providers confirm refunds in batches.
  Refunding: HOUR,
  // Only a person can end a hold, and a customer is waiting.
  Held: HOUR,
  // A reservation usually ends after seven days.
  Authorised: 6 * DAY,
};

/** How long a reservation usually lasts. The service does not name the provider's own limit. */
export const RESERVATION_MS = 7 * DAY;

/** A checkout that is not paid after this time was probably abandoned. */
export const ABANDONED_MS = DAY;

export function isOverdue(state: StateName, ageMs: number): boolean {
  const limit = OVERDUE_AFTER_MS[state];
  return limit !== undefined && ageMs >= limit;
}

/** The states in which a payment can be overdue, the most pressing first. */
export const overdueStates: readonly StateName[] = [
  'Authorised',
  'Processing',
  'Capturing',
  'Refunding',
  'Cancelling',
  'Held',
  'ActionRequired',
];
