// One thing that can be done to a payment: its exact command, and what it does to the money.

import type { SettleOperation } from '../client/outcome.js';
import { operationStates } from '../contract/states.js';
import { shellLine } from '../output/shell.js';
import type { Facts } from './facts.js';

export type ActionOperation = SettleOperation | 'recheck' | 'watch';

export interface Action {
  operation: ActionOperation;
  /** In two or three words. */
  title: string;
  command: string;
  /** What the command has besides the payment. */
  flags: string[];
  consequence: string;
  recommended: boolean;
}

/** Makes the command of an action, for the payment and the profile that it is about. */
export type CommandOf = (operation: ActionOperation, ...more: string[]) => string;

export function commandsFor(paymentId: string, profile: string | undefined): CommandOf {
  const chosen = profile === undefined ? [] : ['--profile', profile];
  return (operation, ...more) => shellLine('paydesk', 'payments', operation, paymentId, ...more, ...chosen);
}

const titles: Readonly<Record<ActionOperation, string>> = {
  capture: 'Capture it',
  cancel: 'Cancel it',
  refund: 'Refund it',
  unhold: 'Release it',
  recheck: 'Ask the provider',
  watch: 'Follow it',
};

export function actionOf(facts: Facts, operation: ActionOperation, commandOf: CommandOf): Action {
  if (operation === 'recheck') return recheckAction(facts, commandOf);
  if (operation === 'watch') return watchAction(facts, commandOf);
  const again = facts.ended[operation] === 'failed';
  const flags = again ? ['--again'] : [];
  return {
    operation,
    title: again ? `${titles[operation]} again` : titles[operation],
    command: commandOf(operation, ...flags),
    flags,
    consequence: consequences[operation](facts),
    recommended: false,
  };
}

function recheckAction(facts: Facts, commandOf: CommandOf): Action {
  const asked = facts.recheckedTime !== undefined;
  const flags = asked ? ['--watch'] : [];
  return {
    operation: 'recheck',
    title: asked ? 'Keep asking' : titles.recheck,
    command: commandOf('recheck', ...flags),
    flags,
    consequence: asked
      ? 'Asks the provider again and again, until something changes.'
      : 'Asks the provider what became of it, and brings in what it knows.',
    recommended: false,
  };
}

function watchAction({ state }: Facts, commandOf: CommandOf): Action {
  const way = Object.values(operationStates).find(({ during }) => during === state);
  const flags = way === undefined ? [] : ['--until', way.end];
  return {
    operation: 'watch',
    title: titles.watch,
    command: commandOf('watch', ...flags),
    flags,
    consequence: 'Only looks, and tells every change.',
    recommended: false,
  };
}

const consequences: Readonly<Record<SettleOperation, (facts: Facts) => string>> = {
  capture: ({ amount }) => `The customer is charged ${amount}.`,
  refund: ({ amount }) => `${amount} goes back to the customer.`,
  unhold: ({ amount, autoCapture }) =>
    autoCapture === false
      ? `The provider then authorises ${amount}, and it is captured when you say so.`
      : `The provider then authorises ${amount} and it is captured at once.`,
  cancel({ state, amount }) {
    if (state === 'Authorised') return `The provider releases ${amount}. The customer is not charged.`;
    if (state === 'Processing')
      return 'The provider releases what it may have reserved. The customer is not charged.';
    return state === 'Held'
      ? 'The customer is not charged.'
      : 'The customer can no longer pay it, and is not charged.';
  },
};
