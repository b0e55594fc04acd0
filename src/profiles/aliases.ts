import { isStateName, stateNames } from '../contract/states.js';
import { UsageError } from '../errors.js';
import type { Environment } from '../child-environment.js';
import { didYouMean } from '../suggest.js';

/** Reads `THEIRS=OURS` pairs; `THEIRS=` stands for taking an alias away. Every bad pair is reported at once. */
export function parseAliases(pairs: readonly string[]): Record<string, string> {
  const { aliases, problems } = readPairs(pairs);
  if (problems.length > 0) {
    const count = problems.length === 1 ? 'Invalid alias' : `${problems.length} invalid aliases`;
    throw new UsageError(`${count}. Nothing was changed.`, {
      code: 'bad-alias',
      saysNothingSent: true,
      details: problems,
    });
  }
  return aliases;
}

/** PAYDESK_STATE_ALIASES, if it is set: `THEIRS=OURS` pairs, separated by commas. */
export function aliasesIn(env: Environment): Record<string, string> | undefined {
  const given = env['PAYDESK_STATE_ALIASES']?.trim();
  if (!given) return undefined;
  const { aliases, problems } = readPairs(given.split(',').map((pair) => pair.trim()));
  if (problems.length > 0) {
    throw new UsageError('PAYDESK_STATE_ALIASES is invalid. Nothing was sent.', {
      code: 'bad-alias',
      saysNothingSent: true,
      details: problems,
    });
  }
  return aliases;
}

/** So that a state named like a member of Object is not taken for an alias. */
export function withoutPrototype(aliases: Record<string, string> | undefined): Record<string, string> {
  return Object.assign(Object.create(null) as Record<string, string>, aliases);
}

function readPairs(pairs: readonly string[]) {
  const changes = new Map<string, string>();
  const problems: { input: string; problem: string }[] = [];
  for (const pair of pairs) {
    const problem = problemOf(pair, changes);
    if (problem !== undefined) problems.push({ input: pair, problem });
  }
  return { aliases: Object.fromEntries(changes), problems };
}

function problemOf(pair: string, changes: Map<string, string>): string | undefined {
  const cut = pair.indexOf('=');
  if (cut < 1) return 'use THEIRS=OURS, for example OnHold=Held';
  const theirs = pair.slice(0, cut).trim();
  const ours = pair.slice(cut + 1).trim();
  if (!/^[^\p{Cc}\p{Cf}]{1,100}$/u.test(theirs))
    return "the service's name has characters that are not allowed in a state name";
  if (isStateName(theirs)) return `${theirs} is a state of paydesk and cannot be an alias`;
  if (changes.has(theirs)) return `${theirs} is used twice`;
  if (ours !== '' && !isStateName(ours)) {
    return `${ours} is not a state of paydesk.${didYouMean(ours, stateNames) || ` They are: ${stateNames.join(', ')}.`}`;
  }
  changes.set(theirs, ours);
  return undefined;
}
