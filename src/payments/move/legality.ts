import { paydesk } from '../../next-command.js';
import type { SettleOperation } from '../../contract/states.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import { isLegal, operationStates, states, type StateName } from '../../contract/states.js';
import { GuardError } from '../../errors.js';
import { idOf, labelOf, stateOf, stateText } from '../named-payments.js';
import { participles } from './words.js';

/** What serves the same purpose from another state. */
const instead: Readonly<Record<SettleOperation, SettleOperation>> = {
  capture: 'unhold',
  cancel: 'refund',
  refund: 'cancel',
  unhold: 'capture',
};

/** What can be done instead of an operation that the state forbids. */
export function legalInstead(
  operation: SettleOperation,
  { state }: PaymentRead,
): SettleOperation | undefined {
  const other = instead[operation];
  return state !== undefined && !isUnconfirmed(state) && isLegal(other, state) ? other : undefined;
}

/** Whether the customer was charged is known only to the provider: what is right to do shows after a recheck. */
const isUnconfirmed = (state: StateName): boolean => state === 'Processing';

/** Why the state that a payment is in forbids the operation, with the command that is right; undefined when it does not. */
export function forbidden(operation: SettleOperation, read: PaymentRead): GuardError | undefined {
  const { state } = read;
  if (state === undefined || isLegal(operation, state)) return undefined;
  const other = legalInstead(operation, read);
  const check = isUnconfirmed(state) ? ' Check with the provider first.' : '';
  const advice = other === undefined ? check : ` It can be ${participles[other]} instead.`;
  return new GuardError(
    `Payment ${labelOf(read)} cannot be ${participles[operation]}: it is ${shownState(read, state)}. ` +
      `${alreadyThere(operation, state) ?? states[state].meaning}${advice}`,
    {
      code: 'not-possible',
      saysNothingSent: false,
      next: [paydesk('payments', other ?? (isUnconfirmed(state) ? 'recheck' : 'explain'), idOf(read))],
    },
  );
}

function alreadyThere(operation: SettleOperation, state: StateName): string | undefined {
  if (operation === 'unhold') return undefined;
  const { during, end } = operationStates[operation];
  if (state === end) return 'There is nothing left to do.';
  return state === during ? 'It is already in progress.' : undefined;
}

/** Their name, and ours where that is another. */
function shownState(read: PaymentRead, state: StateName): string {
  const theirs = stateOf(read);
  return theirs === null || theirs === state ? state : `${stateText(read)} (${state})`;
}
