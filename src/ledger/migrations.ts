import type { Migration } from '../store/types.js';
import type { steps } from './migration-steps.js';

/** In their order. */
const names: ReadonlyArray<keyof typeof steps> = [
  'ledger',
  'batches',
  'identity',
  'known-payments',
  'inbox',
  'resolve-sessions',
  'ledger-place',
  'captured-amount',
  'waiting-batch-rows',
];

export const deskMigrations: Migration[] = names.map((name) => ({
  name,
  async up(db) {
    const { steps } = await import('./migration-steps.js');
    await steps[name](db);
  },
}));
