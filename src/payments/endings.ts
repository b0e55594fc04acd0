import { distinct } from '../next-command.js';
import { exitCodeOf, firstLine, PartialError, type PaydeskError, UnknownOutcomeError } from '../errors.js';

interface Ended {
  typed: string;
  outcome?: string | null;
  error?: PaydeskError | undefined;
}

/**
 * How a command on several payments ends: well, with the error that all of them share, or in part.
 * A single payment ends with its own error.
 */
export function endingOf(
  results: readonly Ended[],
  what: string,
  { dryRun = false }: { dryRun?: boolean } = {},
): PaydeskError | undefined {
  const failed = results.flatMap(({ error, ...result }) =>
    error === undefined ? [] : [{ ...result, error }],
  );
  const [first] = failed;
  if (first === undefined) return undefined;
  if (results.length === 1) return first.error;
  const options = {
    code: 'partial',
    details: failed.map(({ typed, error }) => ({ input: typed, problem: firstLine(error.message) })),
    next: distinct(failed.flatMap(({ error }) => error.next)).slice(0, 5),
  };
  const codes = new Set(failed.map(({ error }) => exitCodeOf(error)));
  const message = dryRun
    ? plannedText(failed.length, results.length, what)
    : endedText(results, failed, what);
  const groups = results.map(groupOf);
  // As for a batch: nothing is known to have gone through, and something may have.
  if (
    codes.size > 1 &&
    groups.includes('unknown') &&
    groups.every((group) => ['unknown', 'not'].includes(group))
  )
    return new UnknownOutcomeError(message, { ...options, code: 'outcome-unknown' });
  if (failed.length < results.length || codes.size > 1) return new PartialError(message, options);
  return first.error.with({
    ...options,
    message,
    code: first.error.code,
    httpStatus: undefined,
    saysNothingSent: undefined,
  });
}

/** `1 of 3 payments would not be refunded.` */
function plannedText(count: number, total: number, what: string): string {
  if (count === total) return `None of the ${total} payments would be ${what}.`;
  return `${count} of ${total} payments would not be ${what}.`;
}

type Group = 'done' | 'not' | 'unconfirmed' | 'unknown';

function groupOf({ outcome, error }: Ended): Group {
  if (outcome === 'unknown') return 'unknown';
  // An approval that is done has an error while the capture that follows it is awaited.
  if (outcome === 'accepted' || (outcome === 'done' && error !== undefined)) return 'unconfirmed';
  return error === undefined ? 'done' : 'not';
}

/** `2 of 3 payments were not refunded.`, or how each of them ended, where an error does not mean that. */
function endedText(results: readonly Ended[], failed: readonly Ended[], what: string): string {
  const total = results.length;
  if (failed.some((result) => groupOf(result) !== 'not')) return groupsText(results.map(groupOf), what);
  if (failed.length === total) return `None of the ${total} payments was ${what}.`;
  return `${failed.length} of ${total} payments ${failed.length === 1 ? 'was' : 'were'} not ${what}.`;
}

/** `1 of 3 payments was refunded, 1 was not, and 1 has an unknown outcome.` */
function groupsText(groups: readonly Group[], what: string): string {
  const total = groups.length;
  const count = (group: Group) => groups.filter((each) => each === group).length;
  if (count('unknown') === total) return `The outcome is unknown for all ${total} payments.`;
  if (count('unconfirmed') === total) return `None of the ${total} payments is confirmed yet.`;
  const no = count('done') > 0 ? 'not' : `not ${what}`;
  const verbs: ReadonlyArray<[group: Group, one: string, many: string]> = [
    ['done', `was ${what}`, `were ${what}`],
    ['not', `was ${no}`, `were ${no}`],
    ['unconfirmed', 'is not confirmed yet', 'are not confirmed yet'],
    ['unknown', 'has an unknown outcome', 'have an unknown outcome'],
  ];
  const parts = verbs
    .filter(([group]) => count(group) > 0)
    .map(([group, one, many], at) => {
      const of = at === 0 ? ` of ${total} payments` : '';
      return `${count(group)}${of} ${count(group) === 1 ? one : many}`;
    });
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}.`;
}
