import { expect, test } from 'vitest';
import { steps } from '../../src/ledger/migration-steps.js';
import { deskMigrations } from '../../src/ledger/migrations.js';

test('every step of the database is run, in the order in which they are written', () => {
  expect(deskMigrations.map(({ name }) => name)).toEqual(Object.keys(steps));
});
