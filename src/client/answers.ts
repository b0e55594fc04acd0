// Tolerant reading: fields of the expected type are taken, everything else stays in `raw`.

import { answerFields, type FieldTypes } from '../contract/answer-fields.js';
import type { Customer, PaymentMethod } from '../contract/customer.js';
import {
  isJsonNumber,
  isJsonObject,
  numberFromText,
  idText,
  numberText,
  parseJson,
  type JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../contract/json.js';
import { isDecimal } from '../contract/money.js';
import type { Payment } from '../contract/payment.js';
import { checksOf } from './field-checks.js';
import type { Answer, AnswerExchange } from './exchange.js';

export const readAnswer = (exchange: AnswerExchange): Answer => (exchange.read ??= parseAnswer(exchange));

function parseAnswer(exchange: AnswerExchange): Answer {
  const { status, headers } = exchange;
  const text = exchange.body.trim();
  const raw = text === '' ? undefined : tryParse(text);
  const requestId = requestIdOf(headers, raw);
  return {
    httpStatus: status,
    headers,
    text,
    raw,
    readable: text === '' || raw !== undefined,
    ...(requestId === undefined ? {} : { requestId }),
  };
}

function tryParse(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function requestIdOf(headers: Record<string, string>, raw: JsonValue | undefined): string | undefined {
  for (const name of ['x-request-id', 'request-id', 'x-correlation-id'])
    if (headers[name]) return headers[name];
  if (!isJsonObject(raw)) return undefined;
  const holders = [raw, raw.error].filter(isJsonObject);
  for (const holder of holders) {
    for (const name of ['requestId', 'request_id', 'correlationId', 'traceId']) {
      const value = holder[name];
      if (typeof value === 'string' && value !== '') return value;
    }
  }
  return undefined;
}

export interface Decoded<T> {
  /** The fields that have the expected type. */
  fields: T;
  /** The object as the service sent it. */
  object: JsonObject;
}

const paymentFields = createFieldReader(answerFields.payment);
const customerFields = createFieldReader(answerFields.customer);
const methodFields = createFieldReader(answerFields.paymentMethod);

export function decodePayment(raw: JsonValue | undefined): Decoded<Payment> | undefined {
  const object = unwrap(raw, ['payment'], ['paymentId', 'paymentState', 'referenceId']);
  return object && { fields: paymentFields(object), object };
}

export function decodeCustomer(raw: JsonValue | undefined): Decoded<Customer> | undefined {
  const object = unwrap(raw, ['customer'], ['customerId']);
  return object && { fields: customerFields(object), object };
}

/** A list of stored methods: an array, an array in an envelope, or ids only. */
export function decodeMethods(raw: JsonValue | undefined): Decoded<PaymentMethod>[] | undefined {
  const list = listIn(raw, ['items', 'paymentMethods', 'methods', 'data']);
  return list?.map((entry) => {
    const object = isJsonObject(entry) ? entry : { paymentMethodId: entry };
    return { fields: methodFields(object), object };
  });
}

export interface DecodedLink {
  url: string;
  expiresTime?: string;
}

export function decodeLink(raw: JsonValue | undefined): DecodedLink | undefined {
  if (typeof raw === 'string') return isLink(raw) ? { url: raw } : undefined;
  if (!isJsonObject(raw)) return undefined;
  for (const holder of [raw, raw.data, raw.result].filter(isJsonObject)) {
    for (const name of ['url', 'panelLink', 'link', 'data']) {
      const url = holder[name];
      if (typeof url !== 'string' || !isLink(url)) continue;
      const expires = holder.expiresTime;
      return { url, ...(typeof expires === 'string' ? { expiresTime: expires } : {}) };
    }
  }
  return undefined;
}

export interface PaymentKeyParts {
  paymentId?: string;
  referenceId?: string | undefined;
}

/** Whether an answer names a different payment than requested. What it leaves out contradicts nothing. */
export function isOtherPayment(fields: Payment, asked: PaymentKeyParts): boolean {
  const { paymentId, referenceId } = fields;
  if (asked.paymentId !== undefined && paymentId !== undefined && !sameId(paymentId, asked.paymentId))
    return true;
  return asked.referenceId !== undefined && referenceId !== undefined && referenceId !== asked.referenceId;
}

function sameId(left: JsonNumber, right: string): boolean {
  return idText(left) === (/^\d+$/.test(right) ? String(BigInt(right)) : right);
}

function isLink(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text);
}

function listIn(raw: JsonValue | undefined, names: string[]): JsonValue[] | undefined {
  if (Array.isArray(raw)) return raw;
  if (!isJsonObject(raw)) return undefined;
  for (const name of names) {
    const value = raw[name];
    if (Array.isArray(value)) return value;
  }
  const data = raw.data;
  return isJsonObject(data) ? listIn(data, names) : undefined;
}

const envelopes = ['data', 'result', 'item'];

/** The answer itself, and what its envelopes hold: where an answer about a payment may say something. */
export function objectsIn(raw: JsonValue | undefined, depth = 0): JsonObject[] {
  if (!isJsonObject(raw)) return [];
  const inner =
    depth >= 2 ? [] : ['payment', ...envelopes].flatMap((name) => objectsIn(raw[name], depth + 1));
  return [raw, ...inner];
}

/** The object that has one of the marks: the answer itself, or one in an envelope. */
function unwrap(
  raw: JsonValue | undefined,
  names: string[],
  marks: string[],
  depth = 0,
): JsonObject | undefined {
  if (Array.isArray(raw) && raw.length === 1 && depth === 0) return unwrap(raw[0], names, marks, 1);
  if (!isJsonObject(raw)) return undefined;
  if (marks.some((mark) => raw[mark] !== undefined)) return raw;
  if (depth >= 2) return undefined;
  const found: JsonObject[] = [];
  for (const name of [...names, ...envelopes]) {
    const inner = unwrap(raw[name], names, marks, depth + 1);
    if (inner) found.push(inner);
  }
  // With two payments in one answer, nobody knows which one is meant.
  return found.length === 1 ? found[0] : undefined;
}

/** Each field on its own, so that one odd field does not hide the others. Numbers written as text count. */
function createFieldReader(types: FieldTypes): (object: JsonObject) => Record<string, unknown> {
  const checks = checksOf(types);
  return (object) => {
    const fields: Record<string, unknown> = {};
    for (const [name, fits] of checks) {
      const value = object[name];
      if (value === undefined || value === null) continue;
      if (fits(value)) {
        fields[name] = value;
      } else if (typeof value === 'string' && isDecimal(value)) {
        const number = numberFromText(value);
        if (fits(number)) fields[name] = number;
      } else if (isJsonNumber(value)) {
        const text = numberText(value);
        if (fits(text)) fields[name] = text;
      }
    }
    return fields;
  };
}
