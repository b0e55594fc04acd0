// What a scenario needs of the place where it runs, checked before its first step.

import { GuardError, UsageError } from '../errors.js';
import { paydesk } from '../next-command.js';
import type { ReadStep, Scenario } from './read.js';
import type { Expectation } from './schema.js';
import { verbTable, type Need } from './steps/verbs.js';

const ownExpectations: ReadonlyArray<keyof Expectation> = ['books', 'webhooks', 'all-webhooks', 'answers'];

const reasons: Readonly<Record<Need, string>> = {
  sandbox: 'needs a running paydesk sandbox',
  'own-sandbox': 'needs a sandbox of its own: run it without --on',
};

/** What a step needs that this place does not have. */
function unmet(step: ReadStep, has: readonly Need[]): Array<[what: string, need: Need]> {
  const verb = step.verb && verbTable[step.verb].needs;
  const expected = ownExpectations.filter((key) => step.expects.some((each) => each[key] !== undefined));
  const needs: Array<[string, Need]> = [
    ...(step.verb !== undefined && verb !== undefined ? [[step.verb, verb] as [string, Need]] : []),
    ...expected.map((key): [string, Need] => [`expect ${key}`, 'own-sandbox']),
  ];
  return needs.filter(([, need]) => !has.includes(need));
}

/** Refuses scenarios that cannot run on a profile, all of what stands in the way at once. */
export function checkNeeds(scenarios: readonly Scenario[], has: readonly Need[]): void {
  const details = scenarios.flatMap(({ file, steps }) =>
    steps.flatMap((step) =>
      unmet(step, has).map(([what, need]) => ({
        input: `${file}:${step.position.line}:${step.position.column}`,
        problem: `${what} ${reasons[need]}`,
      })),
    ),
  );
  if (details.length === 0) return;
  throw new UsageError('The scenarios cannot run on this profile. Nothing was run.', {
    code: 'cannot-run-here',
    details,
  });
}

/** A scenario makes payments and moves money, so it never runs on a live app. */
export function refuseLive(kind: 'sandbox' | 'live', appId: string): void {
  if (kind !== 'live') return;
  throw new GuardError(`App ${appId} is live. Scenarios run on test apps only. Nothing was run.`, {
    code: 'live-app',
    details: 'Without --on, each scenario runs in a sandbox of its own. To find a test app:',
    next: [paydesk('profiles', 'list')],
  });
}
