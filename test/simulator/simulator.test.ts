import { beforeAll, describe, expect, test } from 'vitest';
import { faultKinds } from './faults.js';
import { pinnedSeeds } from './pinned-seeds.js';
import { playWorlds } from './runs.js';
import type { Played, World } from './worlds.js';

/** The worlds that once found a bug: together they meet every kind of fault. `npm run proof` plays many more. */
const hostile: World[] = pinnedSeeds.flatMap(({ seed, only }) => (only === undefined ? [{ seed }] : []));
/** The same worlds in which an earlier program broke the promise, and those that found a bug since. */
const limited: World[] = pinnedSeeds.flatMap(({ seed, only }) =>
  only === undefined ? [] : [{ seed, only }],
);

const sum = (results: readonly Played[], of: (result: Played) => number) =>
  results.reduce((total, result) => total + of(result), 0);

describe('desks in a hostile world', () => {
  let played: Played[];
  let pinned: Played[];
  let again: Played[];
  beforeAll(async () => {
    const all = await playWorlds([...hostile, ...limited, ...hostile.slice(0, 1)]);
    played = all.slice(0, hostile.length);
    pinned = all.slice(hostile.length, -1);
    again = all.slice(-1);
  }, 900_000);

  test('1,000 operations: nothing moves twice, nothing is lost, and what was told is true', () => {
    const broken = played.filter(({ violations }) => violations.length > 0);
    expect(broken.map(({ seed, violations }) => ({ seed, violations }))).toEqual([]);
    const operations = sum(played, (result) => result.operations);
    expect(operations).toBeGreaterThanOrEqual(1_000);
    expect(sum(played, ({ sent }) => sent)).toBeGreaterThan(operations / 4);
    for (const kind of faultKinds)
      expect(
        sum(played, ({ faults }) => faults[kind]),
        kind,
      ).toBeGreaterThan(0);
    // It stays useful: what was carried out is found to be, and only what never arrived is left to a person.
    const carriedOut = sum(played, (result) => result.carriedOut);
    expect(carriedOut).toBeGreaterThan(10);
    expect(sum(played, ({ settled }) => settled)).toBeGreaterThanOrEqual(carriedOut * 0.99);
    expect(sum(played, ({ decided }) => decided)).toBeGreaterThan(20);
  });

  test('a seed plays the same way every time', () => {
    expect(again).toEqual(played.slice(0, 1));
    expect(new Set(played.map(({ digest }) => digest)).size).toBe(played.length);
  });

  test.each(limited.map((world, index) => ({ ...world, index })))(
    'the world of seed $seed, with $only, that once found a bug',
    ({ seed, only, index }) => {
      const before = pinnedSeeds.find((each) => each.seed === seed && each.only === only)?.found;
      expect({ before, seed: pinned[index]?.seed, violations: pinned[index]?.violations }).toEqual({
        before,
        seed,
        violations: [],
      });
    },
  );
});
