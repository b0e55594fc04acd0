// A success says in its body, too, how it went: what contradicts its status, whatever it is about.

import {
  duplicateKey,
  isJsonNumber,
  isJsonObject,
  numberText,
  type JsonObject,
  type JsonValue,
} from '../contract/json.js';
import type { Answer } from './exchange.js';

export const REPORTS_FAILURE = 'a body that reports a failure';

/** What keeps any success from being taken for one; undefined if nothing does. */
export function contradictionIn(answer: Answer): string | undefined {
  const { raw } = answer;
  if (!answer.readable) return 'an unreadable body';
  if (Array.isArray(raw)) return 'a list';
  if (duplicateKey(answer.text, raw) !== undefined) return 'a body that has a field twice';
  return isJsonObject(raw) && saysFailure(raw) ? REPORTS_FAILURE : undefined;
}

/** Nothing, a yes, or an object that may say anything. */
export const isPlain = (raw: JsonValue | undefined): boolean =>
  raw === undefined || raw === null || isYes(raw) || isJsonObject(raw);

const YES = /^(ok|okay|success|successful|succeeded|accepted|done|true)$/i;

function isYes(value: JsonValue | undefined): boolean {
  return value === true || (typeof value === 'string' && YES.test(value));
}

const FAILURE =
  /\b(fail|failed|failure|error|errors|declined|rejected|refused|denied|invalid|unsuccessful|false)\b/i;
const verdictFields = ['result', 'status', 'success', 'succeeded', 'ok', 'outcome'];
const errorFields = ['error', 'errors', 'errorCode', 'errorMessage', 'failure'];
const envelopes = ['data', 'payload', 'operation', 'response'];

const sentenceFields = ['message', 'title', 'detail', 'description', 'reason'];

/** An object whose sentence, or whose own status, is about something that went wrong. */
export function complains(raw: JsonObject): boolean {
  const { status } = raw;
  if (isJsonNumber(status) && Number(numberText(status)) >= 400) return true;
  return sentenceFields.some((name) => {
    const sentence = Object.hasOwn(raw, name) ? raw[name] : undefined;
    return typeof sentence === 'string' && FAILURE.test(sentence);
  });
}

/** A 200 whose body says no, in the answer itself or in an envelope. */
function saysFailure(raw: JsonObject, depth = 0): boolean {
  const has = (name: string) => (Object.hasOwn(raw, name) ? raw[name] : undefined);
  const named = errorFields.map(has).some((value) => !isNothing(value));
  const verdict = verdictFields.map(has).some((value) => {
    if (value === false) return true;
    return typeof value === 'string' && FAILURE.test(value.replaceAll(/[_-]/g, ' '));
  });
  if (named || verdict) return true;
  return (
    depth < 2 &&
    [...envelopes, 'result'].map(has).some((value) => isJsonObject(value) && saysFailure(value, depth + 1))
  );
}

function isNothing(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}
