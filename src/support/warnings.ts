// What cannot or must not be done to a payment now, why, and what to do instead.

import { isLegal, type StateName } from '../contract/states.js';
import type { Command } from '../next-command.js';
import { type Action, actionOf, type ActionOperation, type CommandOf, onlyReads } from './action.js';
import { isBlocked } from './actions.js';
import { conditionOf, isEnded } from './condition.js';
import { nounOf } from '../payments/move/words.js';
import { moment } from '../output/time.js';
import type { Situation } from './situation.js';

export interface NotPossible {
  operation: ActionOperation;
  why: string;
  /** The command to use instead. */
  instead?: Command;
}

/** Something that no rule forbids and that could cost money. */
export interface RiskWarning {
  what: string;
  why: string;
}

// Nobody tries to approve a payment that is not held.
const explained = ['capture', 'cancel', 'refund'] as const;
type ExplainedOperation = (typeof explained)[number];

export function notPossibleFor(situation: Situation, commandOf: CommandOf): NotPossible[] {
  const { state, last, now, zone } = situation;
  const condition = conditionOf(situation);
  const isOpen = (last?.outcome === 'accepted' || last?.outcome === 'unknown') && !isEnded(condition);
  if (last && (isOpen || condition.kind === 'conflict')) {
    const { operation } = last;
    const noun = nounOf(operation);
    const why = isOpen ? `the outcome of the ${noun} is not known yet` : `the ${noun} is recorded as done`;
    const instead = isOpen ? commandOf('check') : commandOf('recheck');
    const others = (['unhold', ...explained] as const).filter(
      (other) => (!isOpen || other !== operation) && (other !== 'unhold' || state === 'Held'),
    );
    return others.map((other) => ({ operation: other, why, instead }));
  }
  if (state === undefined) return [];
  if (condition.kind === 'captured-anyway') {
    const why = `the service shows ${state} and captured money`;
    return explained.map((operation) => ({ operation, why, instead: commandOf('recheck') }));
  }
  const asked = state === 'Held' ? (['unhold', ...explained] as const) : explained;
  return asked.flatMap((operation): NotPossible[] => {
    if (operation !== 'unhold' && !isLegal(operation, state)) {
      return [{ operation, ...reasonAgainst(operation, state, situation, commandOf) }];
    }
    if (!isBlocked(situation, operation)) return [];
    const outcome = situation.outcomes[operation];
    if (outcome === 'done') return [{ operation, why: 'it is recorded as done' }];
    const until = outcome === undefined ? situation.failedFrom : last?.quietUntil;
    return [
      { operation, why: `it can be sent again at ${until === undefined ? '' : moment(until, now, zone)}` },
    ];
  });
}

/** On a read-only desk: what the state forbids, and what this desk refuses. It may only check instead. */
export function notPossibleReadOnly(
  notPossible: readonly NotPossible[],
  actions: readonly Action[],
): NotPossible[] {
  const refused = actions.filter((action) => !onlyReads(action));
  return [
    ...notPossible.map(({ instead, ...entry }) =>
      instead?.words.includes('check') ? { ...entry, instead } : entry,
    ),
    ...refused.map(({ operation }) => ({ operation, why: 'this desk is read-only' })),
  ];
}

const notPaid = 'the customer has not paid yet';
const nothingReserved = 'nothing is reserved';

const reasons: Readonly<Record<ExplainedOperation, Partial<Record<StateName, string>>>> = {
  capture: {
    Created: notPaid,
    ActionRequired: notPaid,
    Processing: 'the provider has not confirmed yet',
    Held: 'it is held: approve it first',
    Capturing: 'it is in progress already',
    Captured: 'it is captured already',
    Refunding: 'it was captured, and is being refunded',
    Refunded: 'it was refunded',
    Cancelling: 'it is being cancelled',
    Cancelled: 'it was cancelled',
  },
  cancel: {
    Capturing: 'the capture is in progress',
    Captured: 'it is captured: refund it instead',
    Refunding: 'it is being refunded',
    Refunded: 'it was refunded',
    Cancelling: 'it is in progress already',
    Cancelled: 'it is cancelled already',
  },
  refund: {
    Capturing: 'the capture is not confirmed yet',
    Refunding: 'it is in progress already',
    Refunded: 'it is refunded already',
  },
};

function reasonAgainst(
  operation: ExplainedOperation,
  state: StateName,
  situation: Situation,
  commandOf: CommandOf,
): Pick<NotPossible, 'why' | 'instead'> {
  const why =
    reasons[operation][state] ?? (operation === 'refund' ? 'nothing was captured' : nothingReserved);
  const other = ({ capture: 'unhold', cancel: 'refund', refund: 'cancel' } as const)[operation];
  if (!isLegal(other, state) || isBlocked(situation, other)) return { why };
  return { why, instead: actionOf(situation, other, commandOf).command };
}

export function riskWarningsFor({ state, last }: Situation): RiskWarning[] {
  const isOpen = last?.outcome === 'accepted' || last?.outcome === 'unknown';
  const mayBeCharged = isOpen && last.operation !== 'refund' && last.operation !== 'cancel';
  if (state === 'Processing' || (mayBeCharged && state !== 'Captured')) {
    return [{ what: 'ask the customer to pay again', why: 'they may have been charged already' }];
  }
  if (state === 'Refunding' || (isOpen && last.operation === 'refund' && state !== 'Refunded')) {
    return [{ what: 'refund the customer another way', why: 'this refund may still arrive' }];
  }
  return [];
}
