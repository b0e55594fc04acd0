// Where a payment stands while an instruction of this desk is not settled.

import { operationStates } from '../contract/states.js';
import { safeText } from '../output/text.js';
import type { Facts, OpenInstruction } from './facts.js';
import { isOverdue } from './patience.js';
import { since } from './phrases.js';
import type { Verdict } from './severity.js';

export const nouns = {
  capture: 'capture',
  cancel: 'cancellation',
  refund: 'refund',
  unhold: 'release',
} as const;

/** Where the payment shows an open instruction to be. */
export function shownBy(
  open: OpenInstruction,
  { state }: Facts,
): 'before' | 'on-its-way' | 'at-its-end' | 'elsewhere' {
  if (state === undefined) return 'elsewhere';
  if (open.operation === 'unhold') return state === 'Held' ? 'before' : 'at-its-end';
  const { during, end } = operationStates[open.operation];
  if (state === during) return 'on-its-way';
  if (state === end) return 'at-its-end';
  return state === open.before ? 'before' : 'elsewhere';
}

export function openVerdict(facts: Facts): Verdict | undefined {
  const { open } = facts;
  if (open === undefined) return undefined;
  const what = `${nouns[open.operation]} of ${facts.amount}`;
  const who = [safeText(open.operator), ...(open.ticket === undefined ? [] : [safeText(open.ticket)])].join(
    ', ',
  );
  const stands = facts.shown === '' ? 'shows no state' : `shows ${safeText(facts.shown)}`;
  const place = shownBy(open, facts);
  if (place === 'at-its-end') {
    return {
      text: `The payment is ${safeText(facts.shown)}. This desk sent the ${what} ${since(open.time, facts)} (${who}) and has not settled it.`,
      severity: 'attention',
      stuck: false,
    };
  }
  if (open.outcome === 'unknown' && place !== 'on-its-way') {
    return {
      text: `This desk sent the ${what} ${since(open.time, facts)} (${who}), and the answer was lost: it may have been carried out or not. The payment ${stands}.`,
      severity: 'urgent',
      stuck: true,
    };
  }
  const elapsed = Math.max(0, facts.now - open.time);
  const during = open.operation === 'unhold' ? 'Held' : operationStates[open.operation].during;
  const stuck = isOverdue(during, elapsed);
  const asked =
    stuck && facts.recheckedTime !== undefined
      ? ` The provider was asked again ${since(facts.recheckedTime, facts)}, and nothing changed.`
      : '';
  const took = `The ${what} was ${open.outcome === 'accepted' ? 'accepted' : 'sent'} ${since(open.time, facts)} (${who})`;
  const text =
    place === 'on-its-way' && !stuck ? `${took} and is on its way.` : `${took}, and the payment ${stands}.`;
  return { text: `${text}${asked}`, severity: stuck ? 'urgent' : 'waiting', stuck };
}
