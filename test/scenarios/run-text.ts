import { readScenario } from '../../src/scenarios/read.js';
import { openOwnWorld } from '../../src/scenarios/own/own-world.js';
import { runScenario, type ScenarioResult } from '../../src/scenarios/run.js';

export const START = Date.UTC(2026, 0, 1);

/** Runs a scenario that is given as text, on a world of its own. */
export async function runText(text: string, seed = 1): Promise<ScenarioResult> {
  const { scenario, problems } = readScenario('given.yaml', text);
  if (!scenario || problems.length > 0) throw new Error(JSON.stringify(problems));
  const { signal } = new AbortController();
  const world = await openOwnWorld({ seed, clock: scenario.clock ?? START, quietMs: 2_000, signal });
  try {
    return await runScenario(scenario, world, seed);
  } finally {
    await world.close();
  }
}
