// Plays the worlds that its argument lists, one after the other in one process, and prints what became of each as a
// line of JSON. A process for each world would spend more on loading the program than on playing.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Hostility } from './faults.ts';
import { sabotages } from './sabotage.ts';
import { simulate, type SeedResult } from './simulate.ts';

export interface World {
  seed: number;
  /** As of `--only`. */
  only?: string;
  /** About so many; as many as `npm run simulate` plays otherwise. */
  operations?: number;
  /** A guard to take away; the seeds from `seed` on are played until one is found that ends with such a violation. */
  without?: string;
  find?: string;
}

export interface Played extends SeedResult {
  /** Everything that happened, in one number: the same world must give the same one. */
  digest: string;
}

const OPERATIONS = 60;
const LAST_SEED = 1_000;

async function play({ seed, only, operations = OPERATIONS, without }: World): Promise<Played> {
  const digest = createHash('sha256');
  const sabotage = without === undefined ? undefined : sabotages[without];
  const result = await simulate(seed, {
    operations,
    trace: (text) => void digest.update(text),
    ...(sabotage && { sabotage }),
    ...(only !== undefined && { only: only.split(',') as Hostility[] }),
  });
  return { ...result, digest: digest.digest('hex') };
}

async function search(world: World): Promise<Played> {
  const wanted = new RegExp(world.find ?? '');
  for (let { seed } = world; ; seed += 1) {
    const played = await play({ ...world, seed });
    if (seed >= LAST_SEED || played.violations.some((violation) => wanted.test(violation))) return played;
  }
}

// Plans are made in files that nobody needs after a crash: where the machine has a folder in memory, they are kept there.
if (existsSync('/dev/shm')) process.env['TMPDIR'] = '/dev/shm';

// Most errors here are expected, and nobody reads where they came from.
Error.stackTraceLimit = 0;

for (const world of JSON.parse(process.argv[2] ?? '[]') as World[]) {
  const played = await (world.without === undefined ? play(world) : search(world));
  process.stdout.write(`${JSON.stringify(played)}\n`);
}
