import { describeMissingGuards } from './missing-guards.js';

// Small worlds, in which a guard is found to be gone in a tenth of the time. `npm run proof` takes larger ones.
describeMissingGuards(
  'the simulator finds within 1,000 seeds that a guard is gone',
  { operations: 10 },
  {
    'intent-before-send': { seed: 9 },
    'no-re-send': { seed: 3 },
    'open-intent-refusal': { seed: 3 },
    'hold-after-refusal': { seed: 164 },
    'check-in-transaction': { seed: 31 },
    'hold-by-app': { seed: 9 },
    fence: { seed: 383, operations: 20 },
    'hold-at-each-attempt': { seed: 612, operations: 20 },
    recheck: { seed: 3 },
    'unknown-states': { seed: 6 },
    'proof-of-refund': { seed: 3 },
    'proof-of-capture': { seed: 7 },
    'proof-of-cancel': { seed: 9 },
    'proof-of-unhold': { seed: 28 },
    'proof-of-absence': { seed: 23 },
    'quiet-period': { seed: 45 },
    'steady-clock': { seed: 9 },
    'ledger-place': { seed: 117, operations: 60 },
    'ledger-in-use': { seed: 307, operations: 20 },
    'last-look': { seed: 10605, operations: 60, only: 'lag,pauses,rechecks' },
    'quiet-after-adoption': { seed: 97, operations: 20 },
    'monotonic-clock': { seed: 310 },
    'done-before-its-opposite': { seed: 324 },
    claim: { seed: 10 },
    'single-use-plan': { seed: 3 },
  },
);
