// Pieces of sentences that verdicts, actions and warnings share.

import type { SettleOperation } from '../contract/states.js';
import { safeText } from '../output/text.js';
import { moment, roughDuration } from '../output/time.js';
import { nounOf } from '../payments/move/words.js';
import { RESERVATION_MS } from './overdue.js';
import type { LastOperation, Situation } from './situation.js';

/** `refund of EUR 20.00`: a refund returns what was taken, everything else is about the whole amount. */
export const instructed = (operation: SettleOperation, { amount, taken }: Situation): string =>
  `${nounOf(operation)} of ${operation === 'refund' ? taken : amount}`;

const bounds = { exact: '', 'at-least': ' at the latest', 'up-to': ' at the earliest' } as const;

/** ` since 07:49 UTC at the earliest`; nothing where nothing is known. */
export function since({ age, now, zone }: Situation): string {
  return age === undefined ? '' : ` since ${moment(now - age.ms, now, zone)}${bounds[age.certainty]}`;
}

/**
 * When the provider stops reserving the money: usually after 7 days. Where the payment may be older than this desk knows,
 * the text says that the end may come sooner.
 */
export function reservationEnd(situation: Situation): string {
  const { age, now, zone } = situation;
  if (age === undefined) return 'A reservation usually ends after 7 days.';
  if (isBackFromFailure(situation)) return endAfterFailure(situation);
  const end = now - age.ms + RESERVATION_MS;
  if (end <= now) return 'The reservation has probably ended by now.';
  const latest = age.certainty === 'at-least' ? bounds['at-least'] : '';
  return `The reservation usually ends after 7 days: ${moment(end, now, zone)}${latest} (in ${roughDuration(end - now)}).`;
}

/** The payment was reserved before, so the age of its state says nothing about the reservation. */
const isBackFromFailure = ({ seenFailing, outcomes }: Situation): boolean =>
  (['capture', 'cancel'] as const).some(
    (operation) => seenFailing === operation || outcomes[operation] === 'failed',
  );

function endAfterFailure({ createdTime, now, zone }: Situation): string {
  const usual = 'The reservation usually ends 7 days after the authorisation';
  if (createdTime === undefined) return `${usual}.`;
  const end = createdTime + RESERVATION_MS;
  if (end <= now) return `${usual}, and may have ended by now.`;
  return `${usual}: ${moment(end, now, zone)} at the earliest (in ${roughDuration(end - now)}).`;
}

/** `5 minutes ago`, `just now`. */
export const ago = (time: number, now: number): string =>
  now - time < 1_000 ? 'just now' : `${roughDuration(now - time)} ago`;

/** `ada@desk-1 sent the refund 5 minutes ago (T-1932)`. */
export function sentBy({ operation, operator, ticket, time, outcome }: LastOperation, now: number): string {
  const note = ticket === undefined ? '' : ` (${safeText(ticket)})`;
  const did = outcome === 'unsent' ? 'tried to send' : 'sent';
  return `${safeText(operator)} ${did} the ${nounOf(operation)} ${ago(time, now)}${note}`;
}
