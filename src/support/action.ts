// One thing that can be done to a payment: its exact command, and what it does to the money.

import { type Command, paydesk, withProfile } from '../next-command.js';
import { operationStates, type SettleOperation, type StateName } from '../contract/states.js';
import { nounOf } from '../payments/move/words.js';
import { instructed } from './phrases.js';
import { conditionOf } from './condition.js';
import type { Situation } from './situation.js';

export type ActionOperation = SettleOperation | 'check' | 'recheck' | 'watch';

/** What an action has besides the payment. */
interface ActionOptions {
  /** After one that failed. */
  again?: true;
  /** After one whose outcome is unknown. */
  resend?: true;
  /** A recheck is repeated until something changes. */
  keepsChecking?: true;
  /** A watch ends with this state. */
  until?: StateName;
}

function flagsOf({ again, resend, keepsChecking, until }: ActionOptions): string[] {
  return [
    ...(again ? ['--again'] : []),
    ...(resend ? ['--resend'] : []),
    ...(keepsChecking ? ['--watch'] : []),
    ...(until ? ['--until', until] : []),
  ];
}

export interface Action {
  operation: ActionOperation;
  /** In a few words, with the amount where money moves. */
  title: string;
  command: Command;
  how: ActionOptions;
  consequence: string;
  recommended: boolean;
}

/** Whether it sends an instruction that moves money. */
export function movesMoney({ operation }: Pick<Action, 'operation'>): boolean {
  return operation !== 'check' && operation !== 'recheck' && operation !== 'watch';
}

/** Whether a read-only desk may do it. A recheck changes nothing here, but the service asks the provider. */
export function onlyReads({ operation }: Pick<Action, 'operation'>): boolean {
  return operation === 'check' || operation === 'watch';
}

/** Makes the command of an action, for one payment and profile. */
export type CommandOf = (operation: ActionOperation, ...more: string[]) => Command;

export function commandsFor(paymentId: string, profile: string | undefined): CommandOf {
  return (operation, ...more) => withProfile(paydesk('payments', operation, paymentId, ...more), profile);
}

type Described = Pick<Action, 'title' | 'consequence'> & { how?: ActionOptions };

/** `resend` sends an instruction with an unknown outcome again, once the quiet period has passed. */
export function actionOf(
  situation: Situation,
  offer: ActionOperation | 'resend',
  commandOf: CommandOf,
): Action {
  const operation = offer === 'resend' ? lastOperation(situation) : offer;
  const { title, consequence, how = {} } = describe(situation, offer);
  return {
    operation,
    title,
    command: commandOf(operation, ...flagsOf(how)),
    how,
    consequence,
    recommended: false,
  };
}

function lastOperation({ last }: Situation): SettleOperation {
  if (last === undefined) throw new Error('Nothing was sent that could be sent again.');
  return last.operation;
}

function describe(situation: Situation, offer: ActionOperation | 'resend'): Described {
  const { last } = situation;
  switch (offer) {
    case 'check': {
      const noun = last === undefined ? 'instruction' : nounOf(last.operation);
      const consequence = `Finds out the outcome of the ${noun}. Sends nothing.`;
      return { title: 'Check the outcome', consequence };
    }
    case 'recheck':
      // What came back is proven by one more check at its time, and not by a change.
      return situation.recheckedTime === undefined || conditionOf(situation).kind === 'seen-failing'
        ? {
            title: 'Check with the provider',
            consequence: 'Asks the provider for the latest state. Moves no money.',
          }
        : {
            title: 'Keep checking with the provider',
            consequence: 'Asks the provider repeatedly until something changes. Moves no money.',
            how: { keepsChecking: true },
          };
    case 'watch':
      return {
        title: 'Follow the payment',
        consequence: 'Read-only: reports every change.',
        how: untilEnd(situation),
      };
    case 'resend': {
      const noun = nounOf(lastOperation(situation));
      return { title: `Send the ${noun} again`, consequence: repeated(situation), how: { resend: true } };
    }
    default: {
      const consequence = consequences[offer](situation);
      if (situation.outcomes[offer] === 'failed') {
        return { title: `Send the ${nounOf(offer)} again`, consequence, how: { again: true } };
      }
      const isRepeated = last?.operation === offer && last.mayHaveLeft && last.outcome !== 'done';
      return { title: titles[offer](situation), consequence: isRepeated ? repeated(situation) : consequence };
    }
  }
}

/** A service that cannot be asked for a recheck keeps it from being sent. */
function repeated(situation: Situation): string {
  const what = instructed(lastOperation(situation), situation);
  return `Checks with the provider first. Sends the ${what} again only if nothing has changed.`;
}

function untilEnd({ state }: Situation): ActionOptions {
  const way = Object.values(operationStates).find(({ during }) => during === state);
  return way === undefined ? {} : { until: way.end };
}

const titles: Readonly<Record<SettleOperation, (situation: Situation) => string>> = {
  capture: ({ amount }) => `Capture ${amount}`,
  cancel: () => 'Cancel the payment',
  refund: ({ taken }) => `Refund ${taken}`,
  unhold: ({ amount, autoCapture }) =>
    autoCapture === false ? `Approve ${amount}` : `Approve and charge ${amount}`,
};

const consequences: Readonly<Record<SettleOperation, (situation: Situation) => string>> = {
  capture: ({ amount }) => `The customer is charged ${amount}.`,
  refund: ({ taken }) => `${taken} is returned to the customer.`,
  unhold: ({ amount, autoCapture }) =>
    autoCapture === false
      ? `The provider reserves ${amount}. The customer is charged when you capture it.`
      : `The provider authorises ${amount}, and the customer is charged right away.`,
  cancel({ state, amount }) {
    if (state === 'Authorised') return `${amount} is no longer reserved. The customer is not charged.`;
    if (state === 'Processing') {
      return 'Nothing stays reserved. The customer is not charged, unless the provider has done so already.';
    }
    return state === 'Held'
      ? 'The customer is not charged.'
      : 'The customer can no longer pay, and is not charged.';
  },
};
