// A payment is "exactly as before" when nothing in it differs but times and links, which may be made at each read.

import { createHash } from 'node:crypto';
import type { PaymentRead } from '../../client/payment-calls.js';
import { isJsonNumber, isJsonObject, numberText, type JsonValue } from '../../contract/json.js';
import { shortDecimal } from '../../contract/money.js';

const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;
const LINK = /^https?:\/\//i;

export function fingerprintOf({ object }: PaymentRead): string {
  return createHash('sha256').update(plain(object)).digest('hex').slice(0, 32);
}

function plain(value: JsonValue): string {
  if (typeof value === 'string') return INSTANT.test(value) || LINK.test(value) ? '~' : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(plain).join(',')}]`;
  // 10.0 and 10.00 are the same amount.
  if (isJsonNumber(value)) return shortDecimal(numberText(value));
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .filter((name) => value[name] !== null)
    .sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${plain(value[name] as JsonValue)}`).join(',')}}`;
}
