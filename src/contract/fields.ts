// Rules for what is sent to the service that several resources share. Lengths are the sandbox's choice; the service names none.

import * as z from 'zod/mini';
import { described } from './described.js';
import { isJsonNumber, numberText, type JsonNumber } from './json.js';
import { amountProblem } from './money.js';

const required = (kind: string) => ({
  error: (issue: { input?: unknown }) => (issue.input === undefined ? 'is required' : `must be ${kind}`),
});

/**
 * Without control, zero-width and bidirectional characters, blank letters and variation selectors: two references that
 * look the same are the same.
 */
const visible = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]*$/u;

/** The merchant's own identifiers: `referenceId`, `customerId`. */
export const identifier = z.string(required('a string')).check(
  z.normalize('NFC'),
  z.minLength(1, 'must not be empty'),
  z.maxLength(200, 'must have at most 200 characters'),
  z.regex(visible, 'must not contain control or invisible characters'),
  z.refine((value) => value.isWellFormed(), 'must be well-formed text'),
  z.refine((value) => value.trim() === value, 'must not begin or end with a space'),
  z.refine((value) => value !== '.' && value !== '..', 'must be something that a path can name'),
);

export const text = z
  .string(required('a string'))
  .check(
    z.maxLength(1000, 'must have at most 1000 characters'),
    z.refine(isStorable, 'must be well-formed text'),
  );

export const flag = z.boolean(required('true or false'));

export const id = z.int(required('a whole number')).check(z.positive('must be a positive whole number'));

export const instant = z.iso.datetime({
  offset: true,
  error: (issue) =>
    issue.input === undefined
      ? 'is required'
      : 'must be an ISO 8601 instant, for example 2026-12-01T12:00:00Z',
});

export const email = text.check(z.regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address'));

/** The spec gives phone numbers no form. */
export const phone = text;

export const webAddress = described(
  z.string(required('a string')).check(
    z.maxLength(2048, 'must have at most 2048 characters'),
    z.refine(isWebAddress, 'must be an absolute http or https address'),
    // Webhooks would be sent without them, and everybody who can read the payment would see them.
    z.refine((value) => !hasUser(value), 'must not have a user name or a password in it'),
  ),
  { format: 'uri' },
);

export const currency = z
  .string(required('a string'))
  .check(z.regex(/^[A-Z]{3}$/, 'must be three capital letters, for example EUR'));

const numberSchema = (describe: (text: string) => string | undefined) =>
  z.custom<JsonNumber>().check((context) => {
    const value: unknown = context.value;
    const problem =
      value === undefined
        ? 'is required'
        : isJsonNumber(value)
          ? describe(numberText(value))
          : `must be a number, not ${value === null ? 'null' : `a ${typeof value}`}`;
    if (problem) context.issues.push({ code: 'custom', message: problem, input: value });
  });

/** An amount that is charged: a number in major units, more than zero, at most two decimals. */
export const amount = described(numberSchema(amountProblem), {
  type: 'number',
  exclusiveMinimum: 0,
  description: 'Decimal in major units, at most two decimal places.',
});

/** A part of an order's breakdown: as an amount, and zero is allowed. */
export const breakdownAmount = described(
  numberSchema((text) => {
    if (text.startsWith('-')) return 'must not be negative';
    return /^0+(\.0{1,2})?$/.test(text) ? undefined : amountProblem(text);
  }),
  { type: 'number', minimum: 0, description: 'Decimal in major units, at most two decimal places.' },
);

export const object = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? 'is not a field of this request'
        : issue.input === undefined
          ? 'is required'
          : 'must be an object',
  });

/** Half a character, or a NUL, is not kept by every database. */
function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

function isWebAddress(value: string): boolean {
  // The parser corrects what is not an address: it leaves out spaces and line breaks, takes `http:thanks` for a host and
  // `\` for `/`. The address would not be the one that was given.
  if (!/^https?:\/\/[^/]/i.test(value) || /[\s\\\p{Cc}]/u.test(value) || !value.isWellFormed()) return false;
  return URL.canParse(value);
}

function hasUser(value: string): boolean {
  if (!value.includes('@')) return false;
  const { username = '', password = '' } = URL.parse(value) ?? {};
  return username !== '' || password !== '';
}
