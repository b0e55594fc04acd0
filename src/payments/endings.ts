import { distinct } from '../next-command.js';
import { exitCodeOf, firstLine, PartialError, type PaydeskError } from '../errors.js';

/**
 * How a command on several payments ends: well, with the error that all of them share, or in part.
 * A single payment ends with its own error.
 */
export function endingOf(
  results: ReadonlyArray<{ typed: string; error?: PaydeskError | undefined }>,
  what: string,
  { dryRun = false }: { dryRun?: boolean } = {},
): PaydeskError | undefined {
  const failed = results.flatMap(({ typed, error }) => (error === undefined ? [] : [{ typed, error }]));
  const [first] = failed;
  if (first === undefined) return undefined;
  if (results.length === 1) return first.error;
  const options = {
    code: 'partial',
    details: failed.map(({ typed, error }) => ({ input: typed, problem: firstLine(error.message) })),
    next: distinct(failed.flatMap(({ error }) => error.next)).slice(0, 5),
  };
  const be = failed.length === 1 ? 'was not' : 'were not';
  const message = `${failed.length} of ${results.length} payments ${dryRun ? 'would not be' : be} ${what}.`;
  const codes = new Set(failed.map(({ error }) => exitCodeOf(error)));
  if (failed.length < results.length || codes.size > 1) return new PartialError(message, options);
  return first.error.with({
    ...options,
    message: `None of the ${results.length} payments ${dryRun ? 'would be' : 'was'} ${what}.`,
    code: first.error.code,
    httpStatus: undefined,
    saysNothingSent: undefined,
  });
}
