// What the answer to a DELETE says. It is evidence; only the list of what is left proves anything.

import { isJsonObject } from '../contract/json.js';
import { complains, contradictionIn, isPlain, REPORTS_FAILURE } from './answer-verdict.js';
import type { Answer } from './exchange.js';

const removalFields = ['deleted', 'removed', 'stopped'];

/** What keeps a success from being taken for one; undefined if nothing does. */
export function oddityInRemoval(answer: Answer): string | undefined {
  const { raw } = answer;
  const contradiction = contradictionIn(answer);
  if (contradiction !== undefined) return contradiction;
  const denies = isJsonObject(raw) && removalFields.some((name) => raw[name] === false);
  if (denies || (isJsonObject(raw) && complains(raw))) return REPORTS_FAILURE;
  return isPlain(raw) ? undefined : 'data that does not say whether it was done';
}
