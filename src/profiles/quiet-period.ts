// The quiet period: how long a service may take to show what it did. Nothing is sent again before it has passed.

import { UsageError } from '../errors.js';
import { BadValue, parseDuration } from '../typed-values.js';
import type { Environment } from '../child-environment.js';

export const DEFAULT_QUIET_MS = 10 * 60_000;
/** The sandbox shows at once what it did. */
export const SANDBOX_QUIET_MS = 2_000;
export const MIN_QUIET_MS = 1_000;

/** Milliseconds of a quiet period as it is typed. */
export function parseQuietPeriod(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds < MIN_QUIET_MS) throw new BadValue('at least 1s');
  return milliseconds;
}

/** PAYDESK_QUIET_PERIOD, if it is set. */
export function quietPeriodIn(env: Environment): number | undefined {
  const given = env['PAYDESK_QUIET_PERIOD']?.trim();
  if (!given) return undefined;
  try {
    return parseQuietPeriod(given);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw new UsageError('PAYDESK_QUIET_PERIOD is not a valid duration. Nothing was sent.', {
      code: 'bad-quiet-period',
      saysNothingSent: true,
      details: [{ input: 'PAYDESK_QUIET_PERIOD', problem: error.message, value: given }],
    });
  }
}
