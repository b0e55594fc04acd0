import { UsageError } from '../errors.js';
import { didYouMean } from '../suggest.js';

/** A state was typed that is none of these. */
export function unknownStateName(typed: string, names: readonly string[]): UsageError {
  const close = didYouMean(typed, names);
  return new UsageError(`Unknown state: ${typed}.${close || ` States: ${names.join(', ')}.`}`, {
    code: 'unknown-state-name',
  });
}
