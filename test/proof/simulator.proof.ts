import { expect, test } from 'vitest';
import { faultKinds, hostilities, noFaults, type Hostility } from '../simulator/faults.js';
import { createRandom } from '../simulator/random.js';
import { runSeeds } from '../simulator/runs.js';
import { proofSeed, scaled } from './scale.js';

const AT_A_TIME = 200;

/** Every other time the world has all of its hostility, and in between some of it: one kind can hide what another does. */
function hostilityFrom(seed: number, turn: number): readonly Hostility[] {
  if (turn % 2 === 0) return hostilities;
  const random = createRandom(seed);
  return hostilities.filter(() => random.chance(0.5));
}

test(`operators, runners and a network that loses things, from seed ${proofSeed}`, async () => {
  const enough = scaled(1_000_000);
  const faults = noFaults();
  let [operations, carriedOut, settled] = [0, 0, 0];
  for (let turn = 0; operations < enough; turn += 1) {
    const from = proofSeed + turn * AT_A_TIME;
    const only = hostilityFrom(from, turn);
    const part = await runSeeds({ from, seeds: AT_A_TIME, processes: 2, only });
    expect(part.violations, `--only ${only.join(',')}`).toEqual([]);
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
