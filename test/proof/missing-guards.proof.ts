import { describeMissingGuards } from '../simulator/missing-guards.js';

describeMissingGuards(
  'the simulator finds within 1,000 seeds that a guard is gone',
  {},
  {
    'hold-after-refusal': { seed: 5 },
    'check-in-transaction': { seed: 5 },
    fence: { seed: 90 },
    'hold-at-each-attempt': { seed: 194 },
    'unknown-states': { seed: 6 },
    'proof-of-unhold': { seed: 5 },
    'proof-of-absence': { seed: 3 },
    'quiet-period': { seed: 5 },
    'steady-clock': { seed: 9 },
    'ledger-place': { seed: 352 },
    'ledger-in-use': { seed: 542 },
    'last-look': { seed: 10605, only: 'lag,pauses,rechecks' },
    'quiet-after-adoption': { seed: 132 },
    'monotonic-clock': { seed: 28 },
    'single-use-plan': { seed: 18 },
  },
);
