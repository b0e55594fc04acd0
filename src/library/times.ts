import { BadValue, parseDuration } from '../typed-values.js';
import type { Duration, Instant } from './types.js';

export function millisecondsOf(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  try {
    return parseDuration(duration);
  } catch (error) {
    throw error instanceof BadValue
      ? new TypeError(`"${duration}" is no duration: use ${error.message}.`)
      : error;
  }
}

export function instantOf(instant: Instant): number {
  const time = new Date(instant).getTime();
  if (Number.isNaN(time)) {
    throw new TypeError(`"${String(instant)}" is no time: use one such as 2026-01-01T00:00:00Z, or a Date.`);
  }
  return time;
}
