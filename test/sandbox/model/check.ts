import fc from 'fast-check';
import { found } from './found.js';
import { runSteps } from './run.js';
import { step, type Step } from './steps.js';
import type { Place } from './world.js';

export interface ModelOptions {
  seed: number;
  runs: number;
  /** Where the runs take place, in turn. */
  placeOf(index: number): Place;
}

/**
 * Random things done to a real sandbox, each judged by a model that shares no code with it. A failure prints its
 * seed and path; PAYDESK_MODEL_SEED and PAYDESK_MODEL_PATH run exactly that one again. Returns how many steps ran.
 */
export async function checkModel({ seed, runs, placeOf }: ModelOptions): Promise<number> {
  const { PAYDESK_MODEL_SEED: givenSeed, PAYDESK_MODEL_PATH: path } = process.env;
  let count = 0;
  const place = fc.nat(11).map((index) => placeOf(index));
  const steps: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 1, maxLength: 160, size: 'max' });
  await fc.assert(
    fc.asyncProperty(place, steps, async (where, list) => {
      count += list.length;
      await runSteps(where, list);
    }),
    {
      seed: Number(givenSeed ?? seed),
      numRuns: runs + found.length,
      examples: found.map((list): [Place, Step[]] => [placeOf(0), list]),
      ...(path !== undefined && { path }),
    },
  );
  return count;
}
