import type { StateName } from '../contract/states.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long a payment may be in a state before somebody should look; in the others it may stay. */
export const patience: Readonly<Partial<Record<StateName, number>>> = {
  // A bank's own page for the confirmation gives up after a quarter of an hour or so.
  ActionRequired: 30 * MINUTE,
  // Providers confirm within a minute; what takes ten has usually been lost on the way.
  Processing: 10 * MINUTE,
  Capturing: 10 * MINUTE,
  Cancelling: 10 * MINUTE,
  // Some providers collect refunds before they confirm them.
  Refunding: HOUR,
  // A hold ends only when a person decides, and a customer waits for that.
  Held: HOUR,
  // Less than a day is left of the usual window.
  Authorised: 6 * DAY,
};

/** The usual window of an authorisation. The service does not tell the provider's own. */
export const WINDOW_MS = 7 * DAY;

/** A checkout that nobody has paid for so long was probably left. */
export const ABANDONED_MS = DAY;

export function isOverdue(state: StateName, ageMs: number): boolean {
  const limit = patience[state];
  return limit !== undefined && ageMs >= limit;
}

/** The states in which a payment can be stuck, the most pressing first. */
export const stuckStates: readonly StateName[] = [
  'Authorised',
  'Processing',
  'Capturing',
  'Refunding',
  'Cancelling',
  'Held',
  'ActionRequired',
];
