import type { CreateStep, Step } from './steps.js';

// Short runs that once went wrong, or that chance seldom meets: they are done before the random ones.

const create: CreateStep = {
  do: 'create',
  flow: 'hosted',
  customer: 0,
  amount: 10,
  autoCapture: false,
  registers: false,
  offersSaving: false,
  ownWebhook: false,
  profile: 0,
};

const pay = (card: string, profile?: number): Step => ({ do: 'pay', pick: 0, card, profile, saves: false });
const fails = (route: string): Step => ({ do: 'fault', kind: 'provider-fails', route, next: 1 });
const move = (name: Extract<Step, { do: 'move' }>['move']): Step => ({ do: 'move', pick: 0, move: name });
const advance = (ms: number): Step => ({ do: 'advance', ms });

export const found: Step[][] = [
  // Declined twice is no error, and the third attempt may succeed.
  [create, pay('declined'), pay('insufficient-funds'), pay('approved'), move('capture')],
  // Held after the confirmation, not before.
  [
    { ...create, policy: 2 },
    pay('three-d-secure'),
    { do: 'challenge', pick: 0, passed: true },
    move('unhold'),
  ],
  // A provider that takes its time and is to fail does fail.
  [create, fails('authorize'), pay('slow-approved'), fails('*'), pay('approved', 4), advance(90_000)],
  // A cancel that failed leaves an authorisation that nobody heard of; the books know it.
  [create, pay('slow-approved'), fails('void'), move('cancel'), move('recheck'), move('capture')],
  // Held by hand before anyone chose a provider.
  [create, { do: 'provider', pick: 0, answer: 'hold' }, move('unhold'), advance(3_600_000), move('capture')],
  // Answered by hand against what the provider had done.
  [
    create,
    pay('unknown-charged'),
    { do: 'provider', pick: 0, answer: 'decline' },
    { ...create, autoCapture: true },
    { do: 'pay', pick: 1, card: 'approved', profile: 4, saves: false },
    { do: 'provider', pick: 1, answer: 'confirm' },
    { do: 'provider', pick: 1, answer: 'decline' },
    { do: 'move', pick: 1, move: 'capture' },
    advance(90_000),
  ],
  // A refund that fails, and one that does not.
  [create, pay('refund-fails'), move('capture'), move('refund'), move('refund'), advance(1000)],
];
