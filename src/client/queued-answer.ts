// A success that says no more than that the work will be done: a 202, or a body such as {"status":"queued"}.

import { isJsonObject } from '../contract/json.js';
import type { Answer } from './exchange.js';

const QUEUED = /^(pending|queued|scheduled|processing|in[ _-]?progress)$/i;

export function isOnlyQueued({ httpStatus, raw }: Answer): boolean {
  if (httpStatus === 202) return true;
  const { status, state } = isJsonObject(raw) ? raw : {};
  return [status, state].some((value) => typeof value === 'string' && QUEUED.test(value));
}
