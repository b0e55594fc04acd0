// A success that says no more than that the work will be done: a 202, or a body such as {"status":"queued"}.

import { objectsIn } from './answers.js';
import type { Answer } from './exchange.js';

const QUEUED = /^(pending|queued|scheduled|processing|in[ _-]?progress)$/i;

export function isOnlyQueued({ httpStatus, raw }: Answer): boolean {
  if (httpStatus === 202) return true;
  const named = objectsIn(raw).flatMap(({ status, state }) => [status, state]);
  return named.some((value) => typeof value === 'string' && QUEUED.test(value));
}
