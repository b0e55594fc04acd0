import { describe, expect, test } from 'vitest';
import { defectNames } from '../../../src/sandbox/index.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { proveFile, proveWorld } from './prove.js';
import { createWorld } from './world.js';

// `npm run proof` does the same for a thousand files.

const seedsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => first + index);

describe('every planted defect is found, none is invented, and the totals balance', () => {
  test('on SQLite', async () => {
    const world = await createWorld(1, {});
    try {
      // The last of these seeds plants no defect.
      const seeds = [...seedsFrom(1, 8), 15];
      expect([...(await proveWorld(world, seeds))].toSorted()).toEqual(defectNames.toSorted());
      for (const format of ['csv', 'camt'] as const) {
        proveFile(await world.file({ seed: 99, defects: [...defectNames, ...defectNames], format }));
      }
    } finally {
      await world.close();
    }
  });

  describeWithPostgres('on PostgreSQL', (postgres) => {
    test('for the desk and the sandbox', async () => {
      const [location, PAYDESK_DATABASE] = [
        await postgres().createDatabase(),
        await postgres().createDatabase(),
      ];
      const world = await createWorld(2, { location, env: { PAYDESK_DATABASE } });
      try {
        await proveWorld(world, seedsFrom(1_001, 3));
      } finally {
        await world.close();
      }
    });
  });
});
