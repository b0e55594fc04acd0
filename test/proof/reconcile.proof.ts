import { expect, test } from 'vitest';
import { defectNames } from '../../src/sandbox/index.js';
import { describeWithPostgres } from '../helpers/postgres.js';
import { proveWorld } from '../reconcile/planted/prove.js';
import { createWorld } from '../reconcile/planted/world.js';
import { proofSeed, scaled } from './scale.js';

const FILES = 1_000;
const FILES_PER_WORLD = 25;

interface Databases {
  location?: string;
  env?: Record<string, string>;
}

/** A thousand files about forty shops. */
async function prove(files: number, databases: () => Promise<Databases>): Promise<void> {
  const planted = new Set<string>();
  let made = 0;
  for (let seed = proofSeed; made < files; seed += FILES_PER_WORLD) {
    const world = await createWorld(seed, await databases());
    const count = Math.min(FILES_PER_WORLD, files - made);
    const seeds = Array.from({ length: count }, (_, index) => seed + index);
    try {
      for (const kind of await proveWorld(world, seeds)) planted.add(kind);
    } finally {
      await world.close();
    }
    made += count;
  }
  process.stdout.write(`${made} files, ${planted.size} kinds of defects\n`);
  if (made >= 100) expect([...planted].toSorted()).toEqual(defectNames.toSorted());
}

test(`settlement files on SQLite, from seed ${proofSeed}`, () => prove(scaled(FILES / 2), async () => ({})));

describeWithPostgres('settlement files on PostgreSQL', (postgres) => {
  test(`from seed ${proofSeed}`, () =>
    prove(scaled(FILES / 2), async () => ({
      location: await postgres().createDatabase(),
      env: { PAYDESK_DATABASE: await postgres().createDatabase() },
    })));
});
