import type { Migration } from '../store/types.js';

const names = [
  'ledger',
  'batches',
  'identity',
  'known-payments',
  'inbox',
  'resolve-sessions',
  'ledger-place',
  'captured-amount',
] as const;

export type MigrationName = (typeof names)[number];

export const deskMigrations: Migration[] = names.map((name) => ({
  name,
  async up(db) {
    const { steps } = await import('./migration-steps.js');
    await steps[name](db);
  },
}));
