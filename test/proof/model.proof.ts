import { expect, test } from 'vitest';
import { describeWithPostgres } from '../helpers/postgres.js';
import { checkModel, type ModelOptions } from '../sandbox/model/check.js';
import { proofSeed, scaled } from './scale.js';

/** Runs until that many steps were done. */
async function checkSteps(steps: number, placeOf: ModelOptions['placeOf']): Promise<void> {
  let done = 0;
  for (let seed = proofSeed; done < steps; seed++) done += await checkModel({ seed, runs: 50, placeOf });
  expect(done).toBeGreaterThanOrEqual(steps);
}

test(`the model on SQLite, from seed ${proofSeed}`, async () => {
  await checkSteps(scaled(200_000), (index) => (index % 4 === 3 ? 'file' : 'memory'));
});

describeWithPostgres('the model on PostgreSQL', (postgres) => {
  test(`two processes, from seed ${proofSeed}`, async () => {
    const url = await postgres().createDatabase();
    await checkSteps(scaled(20_000), () => ({ url, processes: 2 }));
  });
});
