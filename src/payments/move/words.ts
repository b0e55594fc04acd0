// How operations are called in a sentence.

import type { SettleOperation } from '../../contract/states.js';

/** What a payment has been once an operation on it is done. */
export const participles: Readonly<Record<SettleOperation | 'recheck', string>> = {
  capture: 'captured',
  cancel: 'cancelled',
  refund: 'refunded',
  unhold: 'approved',
  recheck: 'rechecked',
};

const nouns: Readonly<Record<string, string>> = { cancel: 'cancellation', unhold: 'approval' };

/** `refund`, `cancellation`: what the ledger has of another kind is its own noun. */
export const nounOf = (operation: string): string => nouns[operation] ?? operation;

/** `a refund`, `an approval`. */
export function withArticle(operation: string): string {
  const noun = nounOf(operation);
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
