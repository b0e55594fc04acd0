import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { stateNames } from '../../src/contract/states.js';
import { runJson } from '../../src/output/views/scenarios.js';
import { cardNames, faultKindNames } from '../../src/sandbox/index.js';
import { openOwnWorld } from '../../src/scenarios/own/own-world.js';
import { readScenario, type Scenario } from '../../src/scenarios/read.js';
import { runAll } from '../../src/scenarios/run-all.js';
import type { ScenarioResult } from '../../src/scenarios/run.js';
import { verbNames } from '../../src/scenarios/schema.js';
import { START } from './run-text.js';

const folder = fileURLToPath(new URL('../../scenarios/', import.meta.url));
const files = readdirSync(folder);

const scenarios = files.map((file): Scenario => {
  const { scenario, problems } = readScenario(file, readFileSync(`${folder}${file}`, 'utf8'));
  expect({ file, problems }).toEqual({ file, problems: [] });
  return scenario as Scenario;
});

const { signal } = new AbortController();
const runThem = (parallel: number): Promise<ScenarioResult[]> =>
  runAll(scenarios, {
    parallel,
    openWorld: ({ clock }, seed) => openOwnWorld({ seed, clock: clock ?? START, quietMs: 2_000, signal }),
  });

/** What a key of a verb was given anywhere. */
const given = (key: string): unknown[] =>
  scenarios.flatMap(({ steps }) => steps.map(({ input }) => (input as Record<string, unknown>)?.[key]));

describe('the scenarios that ship', () => {
  let results: ScenarioResult[];
  beforeAll(async () => {
    results = await runThem(4);
  });

  it('all pass', () => {
    const failed = results.filter(({ failure }) => failure);
    expect(failed.map(({ scenario, failure }) => [scenario.file, failure])).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(25);
  });

  it('give the same bytes again, one after another', async () => {
    expect(JSON.stringify(runJson(await runThem(1)))).toBe(JSON.stringify(runJson(results)));
  });

  it('pay with every test card', () => {
    expect(cardNames.filter((card) => !given('card').includes(card))).toEqual([]);
  });

  it('make every kind of fault', () => {
    expect(faultKindNames.filter((kind) => !given('add').includes(kind))).toEqual([]);
  });

  it('see every state', () => {
    const expected = scenarios.flatMap(({ steps }) => steps.flatMap(({ expects }) => expects));
    expect(stateNames.filter((name) => !expected.some(({ state }) => state === name))).toEqual([]);
  });

  it('use every verb that needs nothing outside', () => {
    const used = new Set(scenarios.flatMap(({ steps }) => steps.map(({ verb }) => verb)));
    expect(verbNames.filter((verb) => verb !== 'webhook' && !used.has(verb))).toEqual([]);
  });
});
