// A payment is "exactly as before" when nothing in it differs but times and links, which may be made at each read.

import type { PaymentRead } from '../../client/payment-calls.js';
import {
  isJsonNumber,
  isJsonObject,
  numberText,
  type JsonObject,
  type JsonValue,
} from '../../contract/json.js';
import { isDecimal, shortDecimal } from '../../contract/money.js';
import { wasCaptured } from '../../contract/states.js';
import { sha256 } from '../../sha256.js';

const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;
const LINK = /^https?:\/\//i;

/** What a payment may say of an operation that failed. */
const FAILURE = /fail|error|reason|decline|reject|message/i;

export const fingerprintOf = ({ object }: PaymentRead): string => hashOf(plain(object));

/** As if the payment said nothing of a failure. */
export const fingerprintWithoutFailure = ({ object }: PaymentRead): string =>
  hashOf(plain(object, (name) => !FAILURE.test(name)));

const hashOf = (text: string): string => sha256(text).slice(0, 32);

type Counts = (name: string) => boolean;

function plain(value: JsonValue, counts: Counts = () => true): string {
  if (typeof value === 'string') return INSTANT.test(value) || LINK.test(value) ? '~' : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => plain(item, counts)).join(',')}]`;
  // 10.0 and 10.00 are the same amount.
  if (isJsonNumber(value)) return shortDecimal(numberText(value));
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .filter((name) => value[name] !== null && counts(name))
    .sort();
  const texts = members.map((name) => `${JSON.stringify(name)}:${plain(value[name] as JsonValue, counts)}`);
  return `{${texts.join(',')}}`;
}

/**
 * Whether a recheck shows the payment otherwise than a read before or after it. Only what both of them show is compared: a
 * recheck may leave out fields, and add its own.
 */
export const differsFromRead = (rechecked: PaymentRead, read: PaymentRead): boolean =>
  // The client has compared the ids already, and they may be written differently.
  differs(
    { ...rechecked.object, paymentId: null },
    { ...amountsLeftOut(read), ...withoutNulls(read.object) },
  );

/** What a payment that does not show an amount says of it: nothing was refunded or, before it is captured, captured. */
const amountsLeftOut = ({ state }: PaymentRead): JsonObject => ({
  refundedAmount: 0,
  capturedAmount: state !== undefined && wasCaptured(state) ? null : 0,
});

function differs(one: JsonValue, other: JsonValue): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return plainDecimal(one) !== plainDecimal(other);
  const shared = Object.keys(one).filter((name) => isShown(one[name]) && isShown(other[name]));
  return shared.some((name) => differs(one[name] as JsonValue, other[name] as JsonValue));
}

const isShown = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;

const withoutNulls = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => isShown(value)));

/** An amount may be written as text. */
const plainDecimal = (value: JsonValue): string =>
  typeof value === 'string' && isDecimal(value) ? shortDecimal(value) : plain(value);
