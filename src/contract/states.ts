// The states of a payment: what each means, what is legal from it, where it can go.

/** The operations that move money: never repeated by themselves. */
const settleOperations = ['capture', 'cancel', 'refund', 'unhold'] as const;
export type SettleOperation = (typeof settleOperations)[number];
export const operations = [...settleOperations, 'recheck'] as const;
export type Operation = (typeof operations)[number];

export function isSettleOperation(name: string): name is SettleOperation {
  return settleOperations.some((operation) => operation === name);
}

export type StateTone = 'good' | 'waiting' | 'bad' | 'neutral';

interface StateRule {
  id: number;
  meaning: string;
  /** How it reads at a glance: settled well, waiting for something, failed, or simply over. */
  tone: StateTone;
  legal: readonly Operation[];
  next: readonly string[];
  /** Nothing more happens by itself or can be done to it. */
  final: boolean;
}

const rules = {
  Created: {
    id: 1,
    meaning: 'The customer has not paid yet.',
    tone: 'waiting',
    legal: ['cancel', 'recheck'],
    next: [
      'ActionRequired',
      'Processing',
      'Held',
      'Authorised',
      'Declined',
      'Failed',
      'Cancelling',
      'Expired',
    ],
    final: false,
  },
  ActionRequired: {
    id: 2,
    meaning: 'The customer is at the provider.',
    tone: 'waiting',
    legal: ['cancel', 'recheck'],
    next: ['Processing', 'Held', 'Authorised', 'Declined', 'Failed', 'Cancelling', 'Expired'],
    final: false,
  },
  Processing: {
    id: 3,
    meaning: 'The provider has not confirmed yet.',
    tone: 'waiting',
    legal: ['cancel', 'recheck'],
    next: ['Authorised', 'Declined', 'Failed', 'Cancelling'],
    final: false,
  },
  Held: {
    id: 4,
    meaning: 'Held by a fraud rule. Nothing has been charged.',
    tone: 'waiting',
    legal: ['unhold', 'cancel', 'recheck'],
    next: ['Processing', 'Authorised', 'Declined', 'Failed', 'Cancelling'],
    final: false,
  },
  Authorised: {
    id: 5,
    meaning: 'The money is reserved and not captured.',
    tone: 'waiting',
    legal: ['capture', 'cancel', 'recheck'],
    next: ['Capturing', 'Cancelling', 'Expired'],
    final: false,
  },
  Capturing: {
    id: 6,
    meaning: 'The provider is capturing the money.',
    tone: 'waiting',
    legal: ['recheck'],
    next: ['Captured', 'Authorised'],
    final: false,
  },
  Captured: {
    id: 7,
    meaning: 'The money was captured.',
    tone: 'good',
    legal: ['refund', 'recheck'],
    next: ['Refunding'],
    final: false,
  },
  Refunding: {
    id: 8,
    meaning: 'The provider is refunding the money.',
    tone: 'waiting',
    legal: ['recheck'],
    next: ['Refunded', 'Captured'],
    final: false,
  },
  Refunded: {
    id: 9,
    meaning: 'The money was refunded.',
    tone: 'good',
    legal: ['recheck'],
    next: [],
    final: true,
  },
  Cancelling: {
    id: 10,
    meaning: 'The provider is cancelling the payment.',
    tone: 'waiting',
    legal: ['recheck'],
    next: ['Cancelled', 'Created', 'ActionRequired', 'Processing', 'Held', 'Authorised'],
    final: false,
  },
  Cancelled: {
    id: 11,
    meaning: 'Nothing was charged.',
    tone: 'neutral',
    legal: ['recheck'],
    next: [],
    final: true,
  },
  Declined: {
    id: 12,
    meaning: 'The provider declined it. On a checkout page the customer may try again.',
    tone: 'bad',
    legal: ['recheck'],
    next: ['ActionRequired', 'Processing', 'Held', 'Authorised', 'Failed', 'Expired'],
    final: false,
  },
  Failed: {
    id: 13,
    meaning: 'It failed at the provider. Nothing was charged.',
    tone: 'bad',
    legal: ['recheck'],
    next: [],
    final: true,
  },
  Expired: {
    id: 14,
    meaning: 'The checkout link or the authorisation ran out. Nothing was charged.',
    tone: 'bad',
    legal: ['recheck'],
    next: [],
    final: true,
  },
} as const satisfies Record<string, StateRule>;

export type StateName = keyof typeof rules;

export const states: Readonly<Record<StateName, StateRule>> = rules;
export const stateNames = Object.keys(rules) as StateName[];

/** The money was captured in these, whatever became of it since. */
export const capturedStates: readonly StateName[] = ['Captured', 'Refunding', 'Refunded'];

export function wasCaptured(state: string): boolean {
  return capturedStates.some((name) => name === state);
}

/** The customer can still pay at the checkout link in these. */
export const payableStates: readonly StateName[] = ['Created', 'ActionRequired', 'Declined'];

/** The provider has yet to answer in these; nobody else has to do anything. */
export const statesAwaitingProvider: readonly StateName[] = [
  'Processing',
  'Capturing',
  'Refunding',
  'Cancelling',
];

export function isStateName(name: unknown): name is StateName {
  return typeof name === 'string' && Object.hasOwn(rules, name);
}

/** Names of another service for states of ours. */
export type StateAliases = Readonly<Record<string, StateName>>;

/** Our name for a state of theirs, or undefined for one that we do not know. Never guessed. */
export function canonicalState(name: string | undefined, aliases: StateAliases = {}): StateName | undefined {
  if (name === undefined) return undefined;
  if (Object.hasOwn(aliases, name)) return aliases[name];
  return isStateName(name) ? name : undefined;
}

export function isLegal(operation: Operation, state: StateName): boolean {
  return states[state].legal.includes(operation);
}

/** Whether a payment in `from` can still come to be in `to`, by any path. */
export function canReach(from: StateName, to: StateName): boolean {
  return hasPath(from, to, (state) => states[state].next);
}

/** Whether an operation failed with this step, or the customer tried again after a decline. */
function isStepBack(from: StateName, to: string): boolean {
  if (from === 'Declined') return ['ActionRequired', 'Processing', 'Held'].includes(to);
  return Object.values(operationStates).some(({ during, end }) => from === during && to !== end);
}

/** Whether a payment gets from `earlier` to `later` without a step back. Of two states, at most one comes before the other. */
export function comesBefore(earlier: StateName, later: StateName): boolean {
  return hasPath(earlier, later, (state) => states[state].next.filter((next) => !isStepBack(state, next)));
}

/** Whether a payment in `state` has been in `through`, whatever way it came. */
export function hasBeen(through: StateName, state: StateName): boolean {
  if (state === through) return true;
  const around = (from: StateName) => states[from].next.filter((next) => next !== through);
  return through === 'Created' || (state !== 'Created' && !hasPath('Created', state, around));
}

function hasPath(from: StateName, to: StateName, nextOf: (state: StateName) => readonly string[]): boolean {
  const seen = new Set<string>();
  const open: string[] = [...nextOf(from)];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (state === to) return true;
    if (seen.has(state)) continue;
    seen.add(state);
    open.push(...nextOf(state as StateName));
  }
  return false;
}

/** What each money operation passes through and ends in. */
export const operationStates: Readonly<
  Record<'capture' | 'cancel' | 'refund', { during: StateName; end: StateName }>
> = {
  capture: { during: 'Capturing', end: 'Captured' },
  cancel: { during: 'Cancelling', end: 'Cancelled' },
  refund: { during: 'Refunding', end: 'Refunded' },
};
