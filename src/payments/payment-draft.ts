// What a create or a charge sends: made of flags and files, and checked by the contract before it leaves.

import type { RequestKind } from './differences.js';
import {
  isJsonNumber,
  isJsonObject,
  numberFromText,
  valueAtPath,
  type JsonObject,
  type JsonValue,
} from '../contract/json.js';
import { sameAmount } from '../contract/exact.js';
import {
  autoPaymentBody,
  hostedPaymentBody,
  plainPaymentBody,
  providerHostedPaymentBody,
} from '../contract/payment-request.js';
import { fieldErrors } from '../contract/problem.js';
import { datedId } from '../dated-id.js';
import type { Missing, UsageProblem } from '../output/report.js';

const schemas = {
  'hosted-page': hostedPaymentBody,
  plain: plainPaymentBody,
  'provider-hosted-page': providerHostedPaymentBody,
  charge: autoPaymentBody,
} as const;

/** Which flag gives which field. */
const order = 'customerOrder';
const commonFields: Readonly<Record<string, string>> = {
  reference: 'referenceId',
  amount: 'amount',
  customer: `${order}.customer.customerId`,
  'first-name': `${order}.customer.firstName`,
  'last-name': `${order}.customer.lastName`,
  email: `${order}.customer.email`,
  phone: `${order}.customer.phoneNumber`,
  'order-id': `${order}.orderId`,
  description: `${order}.description`,
  'auto-capture': 'autoCapture',
  'webhook-url': 'webhookUrl',
  'fraud-policy': 'fraudPolicyId',
};
const createFields: Readonly<Record<string, string>> = {
  ...commonFields,
  currency: 'currency',
  'return-url': 'returnUrl',
  'provider-profile': 'paymentProfileId',
  'show-recurring': 'showPayRecurringInCheckout',
  'register-auto-payment': 'registerAutoPayment',
  expires: 'expirationTime',
  'offer-profile': 'paymentProfiles',
  method: 'checkoutMethods',
};
const chargeFields: Readonly<Record<string, string>> = {
  ...commonFields,
  'method-id': 'paymentMethodId',
  'provider-profile': 'paymentMethodProviderProfileId',
};

const wanted: Readonly<Record<string, string>> = {
  reference: 'your reference for this charge; use the same one to retry',
  amount: 'amount, for example 49.90',
  currency: 'currency, for example EUR',
  customer: 'your customer ID',
  'return-url': 'page that the customer returns to after paying',
  'provider-profile': 'provider profile whose payment page is used',
};

/** JSON that a person handed over. */
export interface JsonInput {
  /** As typed: a file, or `-`. */
  source: string;
  value: JsonValue;
}

export interface Given {
  /** Values by the name of their flag; undefined where nothing was given. */
  flags: Readonly<Record<string, unknown>>;
  order?: JsonInput | undefined;
  body?: JsonInput | undefined;
}

interface Draft {
  body: JsonObject;
  bad: UsageProblem[];
  missing: Missing[];
}

/** Puts a body together. Everything that is wrong with it is listed; without a reference, one is still to be made. */
export function draftRequest(kind: RequestKind, given: Given): Draft {
  const bad: UsageProblem[] = [];
  const fields = kind === 'charge' ? chargeFields : createFields;
  const body = startingBody(given, bad);
  for (const [flag, path] of Object.entries(fields)) {
    const value = jsonOf(given.flags[flag]);
    if (value === undefined) continue;
    const [top = path] = path.split('.');
    if (!Object.hasOwn(schemas[kind].shape, top)) {
      bad.push({ input: `--${flag}`, problem: `does not apply to --flow ${kind}` });
      continue;
    }
    const there = valueAtPath(body, path);
    if (there === undefined) setAt(body, path, value);
    else if (!sameValue(path, there, value)) {
      const source = path.startsWith(order) && given.order ? '--order' : '--body';
      const text = typeof there === 'string' ? there : JSON.stringify(there);
      bad.push({
        input: `--${flag}`,
        value: shown(value),
        problem: `${source} says ${path} is ${text}: leave out one of them`,
      });
    }
  }
  body['autoCapture'] ??= true;
  if (kind === 'hosted-page') body['showPayRecurringInCheckout'] ??= false;
  const { problems, missing } = check(kind, body, fields, given);
  return { body, bad: [...bad, ...problems], missing };
}

function startingBody({ body, order: ordered }: Given, bad: UsageProblem[]): JsonObject {
  const start: JsonObject = {};
  if (body) {
    if (isJsonObject(body.value)) Object.assign(start, structuredCopy(body.value));
    else bad.push({ input: '--body', value: body.source, problem: 'must contain a JSON object' });
  }
  if (ordered) {
    if (!isJsonObject(ordered.value)) {
      bad.push({ input: '--order', value: ordered.source, problem: 'must contain a JSON object' });
    } else if (start[order] === undefined) {
      start[order] = structuredCopy(ordered.value);
    } else {
      bad.push({ input: '--order', value: ordered.source, problem: '--body already has a customerOrder' });
    }
  }
  // So that what is missing in it is named by its own path.
  start[order] ??= {};
  if (isJsonObject(start[order])) start[order]['customer'] ??= {};
  return start;
}

function check(
  kind: RequestKind,
  body: JsonObject,
  fields: Readonly<Record<string, string>>,
  given: Given,
): { problems: UsageProblem[]; missing: Missing[] } {
  const parsed = schemas[kind].safeParse(body);
  const problems: UsageProblem[] = [];
  const missing: Missing[] = [];
  for (const { path, message } of parsed.success ? [] : fieldErrors(parsed.error)) {
    const flag = Object.keys(fields).find((name) => isWithin(path, fields[name] as string));
    const absent = valueAtPath(body, path) === undefined && message === 'is required';
    if (flag !== undefined && absent) {
      // A create may get a generated reference; a charge that is run again must not get another one.
      if (flag === 'reference' && kind !== 'charge') continue;
      missing.push({ name: flag, input: `--${flag}`, problem: `missing: ${wanted[flag] ?? path}` });
    } else if (flag !== undefined && given.flags[flag] !== undefined) {
      problems.push({ input: `--${flag}`, problem: message });
    } else {
      const source = path.startsWith(order) && given.order ? given.order : given.body;
      const input = source === given.order ? '--order' : '--body';
      const at = source === given.order ? path.slice(order.length + 1) : path;
      problems.push({
        input,
        ...(source === undefined ? {} : { value: source.source }),
        problem: `${at} ${message}`,
      });
    }
  }
  return { problems, missing };
}

const isWithin = (path: string, field: string): boolean => path === field || path.startsWith(`${field}.`);

function jsonOf(value: unknown): JsonValue | undefined {
  return value instanceof Date ? value.toISOString() : (value as JsonValue | undefined);
}

const structuredCopy = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, isJsonObject(inner) ? structuredCopy(inner) : inner]),
  );

function setAt(object: JsonObject, path: string, value: JsonValue): void {
  const keys = path.split('.');
  const last = keys.pop() as string;
  let inner = object;
  for (const key of keys) {
    const next = inner[key];
    if (!isJsonObject(next)) return;
    inner = next;
  }
  inner[last] = value;
}

function sameValue(path: string, a: JsonValue, b: JsonValue): boolean {
  if (path === 'amount' && isJsonNumber(a) && isJsonNumber(b)) return sameAmount(a, b);
  if (path === 'expirationTime') return Date.parse(shown(a)) === Date.parse(shown(b));
  return JSON.stringify(a) === JSON.stringify(b);
}

const shown = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** An amount as typed, for the body: 10.10 stays 10.10. A JSON number has no zeros in front. */
export const amountValue = (text: string | undefined): JsonValue | undefined =>
  text === undefined ? undefined : numberFromText(text.replace(/^0+(?=\d)/, ''));

/** `pd-20261115-k3f9x2abmw`: no other payment has it. */
export const generateReference = (now: Date, random: () => number): string =>
  `pd-${datedId(now, 10, (limit) => Math.floor(random() * limit))}`;
