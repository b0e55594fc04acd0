import { age, localTime } from '../time.js';
import { toned, type Line } from '../lines.js';

/** How long a link can be used, where the service says so. */
export function expiryNote({ expiresTime }: { expiresTime?: string }, now: Date): Line[] {
  if (expiresTime === undefined) return [];
  const at = new Date(expiresTime);
  const text = Number.isNaN(at.getTime()) ? expiresTime : `${localTime(at)} (${age(at, now)})`;
  return [toned('dim', `It works until ${text}.`)];
}
