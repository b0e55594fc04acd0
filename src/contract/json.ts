// JSON whose numbers keep their text: 10.10 stays 10.10, and ids beyond 2^53 stay exact.

/** A JSON number whose text a JavaScript number would not preserve. */
export class ExactNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  toJSON(): unknown {
    return rawJson(this.source);
  }

  toString(): string {
    return this.source;
  }

  valueOf(): number {
    return Number(this.source);
  }
}

export type JsonNumber = number | ExactNumber;
export type JsonValue = null | boolean | JsonNumber | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

// TypeScript's library does not know JSON.rawJSON and the reviver's context yet.
const exact = JSON as unknown as {
  rawJSON(text: string): unknown;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
};

const rawJson = exact.rawJSON;

/**
 * Whatever a number might look like that is not given back as it was written: a last 0 after the point, three decimals
 * or more, an exponent, -0, or more digits than are exact. A string may look like one too, which only costs time.
 */
const inexact = /\d{14}|\d[eE][+-]?\d+\s*(?:[,\]}]|$)|-0\s*(?:[,\]}]|$)|\.(?:\d?0|\d{3,})\s*(?:[,\]}]|$)/;

const MAX_SHORT_LENGTH = 8192;

/** Parses JSON text; throws SyntaxError as JSON.parse does. `JSON.stringify` gives the numbers back unchanged. */
export function parseJson(text: string): JsonValue {
  // A reviver makes parsing several times slower, and few answers need it. It also refuses nesting that is too deep for
  // whatever comes after it, which a short text cannot have.
  if (text.length <= MAX_SHORT_LENGTH && !inexact.test(text)) return JSON.parse(text) as JsonValue;
  return exact.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? new ExactNumber(source)
      : value,
  ) as JsonValue;
}

/** A number as it was written, for storing or comparing; `10.10` and `10.1` differ here and are equal as money. */
export function numberText(value: JsonNumber): string {
  return typeof value === 'number' ? String(value) : value.source;
}

/** One payment has one id, however a service writes the number: 0517, 517.0 and 5.17e2 are 517. */
export function idText(value: JsonNumber): string {
  const text = numberText(value).replace(/\.0+$/, '');
  if (/^\d+$/.test(text)) return text.replace(/^0+(?=\d)/, '');
  const plain = Number(text);
  return Number.isSafeInteger(plain) ? String(plain) : text;
}

/** The number to put into JSON for this text: a plain one where that loses nothing. */
export function numberFromText(text: string): JsonNumber {
  const plain = Number(text);
  return String(plain) === text ? plain : new ExactNumber(text);
}

/** An id or an amount that is kept as text, as the number that it is in JSON; what is no number stays text. */
export function numberJson<T extends string | null | undefined>(text: T): JsonNumber | T {
  return typeof text === 'string' && /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text)
    ? numberFromText(text)
    : text;
}

/** Sums by currency as exact numbers. */
export function totalsJson(totals: Readonly<Record<string, string>>): Record<string, JsonNumber | string> {
  return Object.fromEntries(Object.entries(totals).map(([currency, sum]) => [currency, numberJson(sum)]));
}

export function isJsonNumber(value: unknown): value is JsonNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/** `payInfo.payer.card.cardBrand` of an object, `0.paymentMethodId` of a list; undefined where the path ends early. */
export function valueAtPath(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let found = value;
  for (const key of path.split('.')) {
    if (Array.isArray(found)) found = found[Number(key)];
    else found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** A string, or a number as it was written; undefined for everything else. */
export function scalarText(value: unknown): string | undefined {
  if (isJsonNumber(value)) return numberText(value);
  return typeof value === 'string' ? value : undefined;
}

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c];
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * The first key that an object of this JSON text has twice, of which `value` was parsed; different readers may see one
 * or the other.
 */
export function duplicateKey(text: string, value: JsonValue | undefined): string | undefined {
  // Every answer is looked at, and hardly any has one. A text that has as many keys as its value has none.
  return mostKeysIn(text) === keyCount(value) ? undefined : findDuplicate(text);
}

/** Quotes with a colon behind them. A string may have such ones as well, so there may be fewer keys, and not more. */
function mostKeysIn(text: string): number {
  let count = 0;
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1)) {
    let before = colon - 1;
    while (isSpace(text.charCodeAt(before))) before -= 1;
    if (text.charCodeAt(before) === QUOTE) count += 1;
  }
  return count;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function keyCount(value: JsonValue | undefined): number {
  let count = 0;
  const left = [value];
  while (left.length > 0) {
    const each = left.pop();
    const isList = Array.isArray(each);
    if (!isList && !isJsonObject(each)) continue;
    const inside = Object.values(each);
    if (!isList) count += inside.length;
    for (const one of inside) if (typeof one === 'object') left.push(one);
  }
  return count;
}

function findDuplicate(text: string): string | undefined {
  const open: Array<Set<string> | undefined> = [];
  let [from, to] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      from = at;
      at = to = endOfString(text, from);
    } else if (code === OBJECT) open.push(new Set());
    else if (code === ARRAY) open.push(undefined);
    else if (code === OBJECT_END || code === ARRAY_END) open.pop();
    else if (code === COLON) {
      const key = keyIn(text, from, to);
      const keys = open.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}

/** Where the string that begins here has its closing quote. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  for (let code = text.charCodeAt(at); at < text.length && code !== QUOTE; code = text.charCodeAt(at)) {
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}

/** `\u0061` and `a` are the same key. */
function keyIn(text: string, from: number, to: number): string {
  const written = text.slice(from + 1, to);
  return written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
}
