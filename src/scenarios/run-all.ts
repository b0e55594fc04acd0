import { mapConcurrent } from '../concurrency.js';
import type { Scenario } from './read.js';
import { runScenario, type ScenarioResult } from './run.js';
import type { World } from './world.js';

export interface RunAllOptions {
  /** How many at once. */
  parallel: number;
  /** In place of the seed that a file names. */
  seed?: number | undefined;
  openWorld(scenario: Scenario, seed: number): Promise<World>;
  /** Called before a world is closed. */
  onEnd?(result: ScenarioResult, world: World): Promise<void>;
}

const DEFAULT_SEED = 1;

/** Each scenario in a world of its own; the results are in the order of the scenarios. */
export function runAll(scenarios: readonly Scenario[], options: RunAllOptions): Promise<ScenarioResult[]> {
  return mapConcurrent(scenarios, options.parallel, async (scenario) => {
    const seed = options.seed ?? scenario.seed ?? DEFAULT_SEED;
    const world = await options.openWorld(scenario, seed);
    try {
      const result = await runScenario(scenario, world, seed);
      await options.onEnd?.(result, world);
      return result;
    } finally {
      await world.close();
    }
  });
}
