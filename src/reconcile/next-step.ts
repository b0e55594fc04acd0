// What is best done about an exception. The file is evidence too: nothing is recommended that it shows to be done.

import { type Action, actionOf, commandsFor, movesMoney } from '../support/action.js';
import type { Explanation } from '../support/explain.js';
import type { Situation } from '../support/situation.js';
import type { ExceptionName } from './verdict.js';

/**
 * Where the provider and the service do not agree on what happened, the service is to ask the provider first. That goes
 * for a refund that failed as well: the file has no capture, so the money may never have come in.
 */
const askFirst: ReadonlySet<ExceptionName> = new Set([
  'not-captured',
  'refunded-at-provider',
  'capture-id-differs',
  'not-in-file',
] as const);

const recheckOf = (situation: Situation, profile: string | undefined): Action =>
  actionOf(situation, 'recheck', commandsFor(situation.paymentId, profile));

/** What to do first where there is a reason not to move money. */
export const checkFirst = (
  { actions, situation }: Pick<Explanation, 'actions' | 'situation'>,
  profile: string | undefined,
): Action => actions.find(({ operation }) => operation === 'check') ?? recheckOf(situation, profile);

/** Undefined where nothing can be recommended: a person decides, at the provider. */
export function nextStepFor(
  exception: ExceptionName,
  { actions, situation }: Pick<Explanation, 'actions' | 'situation'>,
  profile: string | undefined,
): Action | undefined {
  const recommended = actions.find((action) => action.recommended);
  // One of the two charges goes back. The service returns whole payments, and the provider has two.
  if (exception === 'captured-twice')
    return recommended ?? actions.find(({ operation }) => operation === 'refund');
  if (askFirst.has(exception)) {
    if (recommended?.operation === 'check' || recommended?.operation === 'recheck') return recommended;
    return recheckOf(situation, profile);
  }
  return recommended !== undefined && movesMoney(recommended) ? undefined : recommended;
}
