// What must not be done to a payment now, why, and what is right instead.

import type { SettleOperation } from '../client/outcome.js';
import { isLegal, type StateName } from '../contract/states.js';
import type { CommandOf } from './action.js';
import type { Facts } from './facts.js';
import { nouns } from './open-verdict.js';

export interface NotPossible {
  operation: SettleOperation;
  why: string;
  /** The command that serves the purpose. */
  instead?: string;
}

/** Something that no rule forbids and that would cost money. */
export interface MustNot {
  what: string;
  why: string;
}

// To release what is not held would mean nothing to anybody.
const asked = ['capture', 'cancel', 'refund'] as const;
type Asked = (typeof asked)[number];

export function notPossibleFor(facts: Facts, commandOf: CommandOf): NotPossible[] {
  const { state, open, ended } = facts;
  if (open !== undefined) {
    const why = `the ${nouns[open.operation]} that this desk sent is not settled`;
    const others = (['unhold', ...asked] as const).filter(
      (operation) => operation !== open.operation && (operation !== 'unhold' || state === 'Held'),
    );
    return others.map((operation) => ({ operation, why, instead: commandOf(open.operation) }));
  }
  if (state === undefined) return [];
  return asked.flatMap((operation): NotPossible[] => {
    if (!isLegal(operation, state)) return [{ operation, ...reasonAgainst(operation, state, commandOf) }];
    return ended[operation] === 'done' ? [{ operation, why: 'the ledger has it as done already' }] : [];
  });
}

const notPaid = 'the customer has not paid yet';
const nothing = 'nothing is reserved';

const reasons: Readonly<Record<Asked, Partial<Record<StateName, string>>>> = {
  capture: {
    Created: notPaid,
    ActionRequired: notPaid,
    Processing: 'the provider has not confirmed yet',
    Held: 'it is held; release it first',
    Capturing: 'it is on its way already',
    Captured: 'it is captured already',
    Refunding: 'it was captured, and is being refunded',
    Refunded: 'it was refunded',
    Cancelling: 'it is being cancelled',
    Cancelled: 'it was cancelled',
  },
  cancel: {
    Capturing: 'the capture is on its way',
    Captured: 'it is captured; refund it instead',
    Refunding: 'it is being refunded',
    Refunded: 'it was refunded',
    Cancelling: 'it is on its way already',
    Cancelled: 'it is cancelled already',
  },
  refund: {
    Capturing: 'the capture is not confirmed yet',
    Refunding: 'it is on its way already',
    Refunded: 'it is refunded already',
  },
};

function reasonAgainst(
  operation: Asked,
  state: StateName,
  commandOf: CommandOf,
): Pick<NotPossible, 'why' | 'instead'> {
  const why = reasons[operation][state] ?? (operation === 'refund' ? 'nothing was captured' : nothing);
  const other = ({ capture: 'unhold', cancel: 'refund', refund: 'cancel' } as const)[operation];
  return isLegal(other, state) ? { why, instead: commandOf(other) } : { why };
}

export function mustNotFor({ state }: Facts): MustNot[] {
  if (state === 'Processing') {
    return [
      {
        what: 'ask the customer to pay again',
        why: 'they may have been charged already',
      },
    ];
  }
  if (state === 'Refunding') {
    return [{ what: 'give the money back another way', why: 'this refund may still arrive' }];
  }
  return [];
}
