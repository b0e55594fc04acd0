// The service does not say how its errors look: every common shape is understood.

import type { Answer } from './exchange.js';
import type { FieldError } from '../contract/problem.js';
import { isJsonNumber, isJsonObject, numberText, type JsonObject, type JsonValue } from '../contract/json.js';
import { shorten } from '../shorten.js';

export interface ServiceProblem {
  httpStatus: number;
  code?: string;
  message: string;
  fieldErrors: FieldError[];
  requestId?: string;
  /** What the service answered, where that is in no shape that is understood. */
  body?: JsonValue;
}

const MAX_TEXT = 300;
const MAX_SHOWN = 120;
/** Of a page or a text that is kept. */
const MAX_BODY = 8_000;

export function problemOf(answer: Answer): ServiceProblem {
  const { code, message, fieldErrors } = described(answer);
  return {
    httpStatus: answer.httpStatus,
    ...(code === undefined ? {} : { code }),
    message: message ?? fieldErrors[0]?.message ?? unrecognised(answer),
    fieldErrors,
    ...bodyOf(answer, message ?? fieldErrors[0]?.message),
    ...(answer.requestId === undefined ? {} : { requestId: answer.requestId }),
  };
}

/** The status, and the beginning of whatever came with it. */
function unrecognised({ httpStatus, text }: Answer): string {
  return isBare(text) ? `HTTP ${httpStatus}` : `HTTP ${httpStatus} ${oneLine(text, MAX_SHOWN)}`;
}

/** Nothing, or nothing in brackets. */
const isBare = (text: string): boolean => /^\s*(\{\s*\}|\[\s*\]|null|)\s*$/.test(text.slice(0, MAX_SHOWN));

/** What is not understood as a whole; a text may be the message itself. */
function bodyOf({ raw, text }: Answer, message: string | undefined): { body?: JsonValue } {
  if (isBare(text)) return {};
  if (raw === undefined) return text.trim() === message ? {} : { body: text.slice(0, MAX_BODY) };
  return message === undefined ? { body: raw } : {};
}

interface Described {
  code?: string;
  message?: string | undefined;
  fieldErrors: FieldError[];
}

function described({ raw, text }: Answer): Described {
  if (isJsonObject(raw)) return fromObject(raw);
  if (Array.isArray(raw)) return { fieldErrors: fieldErrorsOf(raw) };
  if (typeof raw === 'string') return { message: oneLine(raw), fieldErrors: [] };
  if (raw !== undefined || text === '') return { fieldErrors: [] };
  return { message: /<[a-z!/]/i.test(text) ? fromHtml(text) : oneLine(text), fieldErrors: [] };
}

function fromObject(object: JsonObject): Described {
  const inner = isJsonObject(object.error) ? fromObject(object.error) : undefined;
  const errorText = words(object.error);
  const code = inner?.code ?? codeOf(object);
  const description = words(object.error_description);
  const message =
    inner?.message ??
    first(object, ['detail', 'message', 'title', 'reason', 'description']) ??
    description ??
    errorText;
  const own = [object.errors, object.details, object.fieldErrors].flatMap(fieldErrorsOf);
  return {
    // { error: 'invalid_request', error_description: '…' } and { error: 'code', message: '…' } name a code there.
    ...(code !== undefined
      ? { code }
      : errorText !== undefined && message !== errorText && /^[\w.-]+$/.test(errorText)
        ? { code: errorText }
        : {}),
    ...(message === undefined ? {} : { message }),
    fieldErrors: [...(inner?.fieldErrors ?? []), ...own],
  };
}

function codeOf(object: JsonObject): string | undefined {
  const code = first(object, ['code', 'errorCode']);
  if (code !== undefined) return code;
  for (const value of [object.code, object.errorCode]) if (isJsonNumber(value)) return numberText(value);
  return undefined;
}

function fieldErrorsOf(value: JsonValue | undefined): FieldError[] {
  if (Array.isArray(value)) {
    return value.flatMap((entry) => {
      if (typeof entry === 'string') return [{ path: '', message: oneLine(entry) }];
      if (!isJsonObject(entry)) return [];
      const path =
        first(entry, ['path', 'field', 'pointer', 'property', 'param', 'name']) ?? joined(entry.path);
      const message = first(entry, ['message', 'detail', 'reason', 'description', 'title', 'error', 'code']);
      return path === undefined && message === undefined
        ? []
        : [{ path: path ?? '', message: message ?? 'is not valid' }];
    });
  }
  if (!isJsonObject(value)) return [];
  // { errors: { amount: ['must be positive'] } }
  return Object.entries(value).flatMap(([path, messages]) =>
    (Array.isArray(messages) ? messages : [messages])
      .filter((message) => typeof message === 'string')
      .map((message) => ({ path, message: oneLine(message) })),
  );
}

function joined(path: JsonValue | undefined): string | undefined {
  if (!Array.isArray(path)) return undefined;
  return path.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join('.');
}

function first(object: JsonObject, names: string[]): string | undefined {
  for (const name of names) {
    const value = words(object[name]);
    if (value !== undefined) return value;
  }
  return undefined;
}

function words(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? oneLine(value) : undefined;
}

function fromHtml(html: string): string | undefined {
  const head = html.slice(0, 20_000);
  const title = /<title[^>]*>([^<]*)/i.exec(head)?.[1]?.trim();
  const text =
    title ||
    head
      .replaceAll(/<(script|style)\b[^>]*>[^]*?(<\/\1\s*>|$)/gi, ' ')
      .replaceAll(/<[^>]*>?/g, ' ')
      .trim();
  return text ? oneLine(unescapeHtml(text)) : undefined;
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function unescapeHtml(text: string): string {
  return text.replaceAll(/&(\w+);/g, (whole, name: string) =>
    Object.hasOwn(entities, name) ? (entities[name] as string) : whole,
  );
}

/** White space is a blank, however much there is of it. */
function oneLine(text: string, length = MAX_TEXT): string {
  const line = text
    .slice(0, length * 10)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return shorten(line, length);
}
