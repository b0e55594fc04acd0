import { expect, test } from 'vitest';
import { faultKinds, noFaults } from '../simulator/faults.js';
import { runSeeds } from '../simulator/runs.js';
import { proofSeed, scaled } from './scale.js';

const AT_A_TIME = 400;

test(`operators, runners and a network that loses things, from seed ${proofSeed}`, async () => {
  const enough = scaled(1_000_000);
  const faults = noFaults();
  let [operations, carriedOut, settled] = [0, 0, 0];
  for (let from = proofSeed; operations < enough; from += AT_A_TIME) {
    const part = await runSeeds({ from, seeds: AT_A_TIME, processes: 2 });
    expect(part.violations).toEqual([]);
    operations += part.operations;
    carriedOut += part.carriedOut;
    settled += part.settled;
    for (const kind of faultKinds) faults[kind] += part.faults[kind];
  }
  expect(settled).toBeGreaterThanOrEqual(carriedOut * 0.99);
  for (const kind of faultKinds) expect(faults[kind], kind).toBeGreaterThan(0);
  process.stdout.write(
    `${operations} operations, 0 violations; ${settled} of ${carriedOut} unknown ones settled; ${JSON.stringify(faults)}\n`,
  );
});
