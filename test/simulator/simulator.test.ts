import { describe, expect, test } from 'vitest';
import { faultKinds } from './faults.js';
import { pinnedSeeds } from './pinned-seeds.js';
import { runSeeds, runSimulator } from './runs.js';

describe('desks in a hostile world', () => {
  test('5,000 operations: nothing moves twice, nothing is lost, and what was told is true', async () => {
    const result = await runSeeds({ from: 1, seeds: 100, processes: 2 });
    expect(result.violations).toEqual([]);
    expect(result.operations).toBeGreaterThanOrEqual(5_000);
    expect(result.sent).toBeGreaterThan(result.operations / 4);
    for (const kind of faultKinds) expect(result.faults[kind], kind).toBeGreaterThan(0);
    // It stays useful: what was carried out is found to be, and only what never arrived is left to a person.
    expect(result.carriedOut).toBeGreaterThan(50);
    expect(result.settled).toBeGreaterThanOrEqual(result.carriedOut * 0.99);
    expect(result.decided).toBeGreaterThan(100);
  }, 900_000);

  test('a seed plays the same way every time', async () => {
    const [first, second] = await Promise.all([
      runSimulator('--from', '31', '--seeds', '3'),
      runSimulator('--from', '31', '--seeds', '3'),
    ]);
    expect(second).toEqual(first);
    const other = await runSimulator('--from', '32', '--seeds', '3');
    expect(other.digest).not.toBe(first.digest);
  });

  // The same worlds in which an earlier program broke the promise, and those that found a bug since.
  const kinds = [...new Set(pinnedSeeds.map(({ only }) => only ?? 'everything'))];
  test.each(kinds)('worlds that once found a bug, with %s', async (kind) => {
    const pinned = pinnedSeeds.filter(({ only }) => (only ?? 'everything') === kind);
    const limits = kind === 'everything' ? [] : ['--only', kind];
    const { violations, seeds } = await runSimulator(
      ...limits,
      ...pinned.flatMap(({ seed }) => ['--seed', String(seed)]),
    );
    const found = new Map(pinned.map((each) => [each.seed, each.found]));
    expect(violations.map((each) => ({ ...each, before: found.get(each.seed) }))).toEqual([]);
    expect(seeds).toBe(pinned.length);
  });
});
