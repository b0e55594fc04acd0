// What can be done to a payment now, the recommended thing first.

import type { SettleOperation } from '../client/outcome.js';
import { isLegal, type StateName } from '../contract/states.js';
import { type Action, actionOf, type ActionOperation, type CommandOf } from './action.js';
import type { Facts } from './facts.js';
import { openActions } from './open-actions.js';
import { ABANDONED_MS, WINDOW_MS } from './patience.js';
import { contradictionOf, isStuck } from './verdict.js';

export function actionsFor(facts: Facts, commandOf: CommandOf): Action[] {
  const actions = facts.open
    ? openActions(facts, facts.open, commandOf)
    : offered(facts).map((offer) => actionOf(facts, offer, commandOf));
  const recommended = facts.open ? actions[0]?.operation : recommendedOf(facts);
  const first = actions.filter(({ operation }) => operation === recommended);
  const rest = actions.filter(({ operation }) => operation !== recommended);
  return [...first, ...rest].map((action, index) => ({
    ...action,
    recommended: index === 0 && first.length > 0,
  }));
}

const money: readonly SettleOperation[] = ['unhold', 'capture', 'refund', 'cancel'];
const over: readonly StateName[] = ['Captured', 'Refunded', 'Cancelled'];
/** Where something happens without anybody at this desk. */
const moving: readonly StateName[] = [
  'Created',
  'ActionRequired',
  'Processing',
  'Capturing',
  'Refunding',
  'Cancelling',
];

function offered(facts: Facts): ActionOperation[] {
  const { state, ended } = facts;
  if (state === undefined) return ['recheck', 'watch'];
  const legal = money.filter((operation) => isLegal(operation, state) && ended[operation] !== 'done');
  const asks = !over.includes(state) || contradictionOf(facts) !== undefined;
  return [
    ...legal,
    ...(asks ? (['recheck'] as const) : []),
    ...(moving.includes(state) ? (['watch'] as const) : []),
  ];
}

/** What is best done now; undefined where nothing needs to be. */
function recommendedOf(facts: Facts): ActionOperation | undefined {
  const { state, bounced, ended, recheckedTime } = facts;
  const asked = recheckedTime !== undefined;
  if (state === undefined) return asked ? 'watch' : 'recheck';
  if (contradictionOf(facts) !== undefined && !asked) return 'recheck';
  if (bounced === 'cancel' && isLegal('cancel', state)) return 'cancel';
  switch (state) {
    case 'Created':
      return facts.age !== undefined && facts.age.ms >= ABANDONED_MS ? 'cancel' : 'watch';
    case 'ActionRequired':
      if (!isStuck(facts)) return 'watch';
      return asked ? 'cancel' : 'recheck';
    case 'Held':
      return 'unhold';
    case 'Authorised':
      // Where the money is probably released already, the provider tells.
      if (facts.age !== undefined && facts.age.ms >= WINDOW_MS && !asked) return 'recheck';
      // What the provider would not capture twice is better paid anew.
      return ended.capture === 'failed' ? 'cancel' : 'capture';
    case 'Captured':
      return bounced === 'refund' && ended.refund !== 'failed' ? 'refund' : undefined;
    case 'Processing':
    case 'Capturing':
    case 'Refunding':
    case 'Cancelling':
      return isStuck(facts) ? 'recheck' : 'watch';
    default:
      return undefined;
  }
}
