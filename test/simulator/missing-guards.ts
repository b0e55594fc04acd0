import { beforeAll, describe, expect, test } from 'vitest';
import { playWorlds } from './runs.js';
import { sabotages } from './sabotage.js';
import type { Played, World } from './worlds.js';

/** What the simulator must say when a guard is gone; another complaint would not prove that it saw this one. */
const expected: Readonly<Record<keyof typeof sabotages, RegExp>> = {
  'intent-before-send': /was sent without an intent/,
  'no-re-send': /was sent twice for one intent/,
  'open-intent-refusal': /was written while .* was open/,
  'hold-after-refusal': /within the quiet period/,
  'check-in-transaction': /was written while .* was open/,
  'hold-by-app': /within the quiet period/,
  fence: /within the quiet period/,
  'hold-at-each-attempt': /within the quiet period/,
  'exactly-as-before': /though it was .* and then showed/,
  recheck: /without a recheck after the quiet period/,
  'unknown-states': /was reported as done .* and is not done/,
  'proof-of-refund': /^refund .* was reported as done .* and is not done/,
  'proof-of-capture': /^capture .* was reported as done .* and is not done/,
  'proof-of-cancel': /^cancel .* was reported as done .* and is not done/,
  'proof-of-unhold': /^unhold .* was reported as done .* and is not done/,
  'proof-of-absence': /was reported as unsent .* and was carried out/,
  'quiet-period': /within the quiet period/,
  'steady-clock': /within the quiet period/,
  'ledger-place': /within the quiet period/,
  'ledger-in-use': /was sent without an intent/,
  'done-before-its-opposite': /was sent though .* was done/,
  'last-look': /was reported as failed .* and is done/,
  'quiet-after-adoption': /within the quiet period/,
  'monotonic-clock': /took \d+\.?\d* minutes/,
  claim: /was claimed by .* while .* had it/,
  'single-use-plan': /was applied as .* and/,
};

type Guard = keyof typeof expected;

/** The simulator finds that a guard is gone. The search begins with these worlds: the seeds before find nothing, which takes long. */
export function describeMissingGuards(
  name: string,
  defaults: Omit<World, 'seed'>,
  first: Partial<Record<Guard, Partial<World>>>,
): void {
  describe(name, () => {
    const guards = Object.entries(expected);
    let played: Played[];
    beforeAll(async () => {
      const worlds = guards.map(([guard, { source }]): World => ({
        seed: 1,
        ...defaults,
        ...first[guard],
        without: guard,
        find: source,
      }));
      played = await playWorlds(worlds);
    }, 900_000);

    test('every guard has its own test', () => {
      expect(Object.keys(expected).sort()).toEqual(Object.keys(sabotages).sort());
    });

    test.each(guards.map(([guard, complaint], index) => ({ guard, complaint, index })))(
      'without $guard',
      ({ complaint, index }) => {
        expect(played[index]?.violations).toContainEqual(expect.stringMatching(complaint));
      },
    );
  });
}
