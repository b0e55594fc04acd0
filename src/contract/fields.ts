import * as z from 'zod';

// Field rules that several resources share. Lengths are the sandbox's choice; the service names none.

const required = (kind: string) => ({
  error: (issue: { input?: unknown }) => (issue.input === undefined ? 'is required' : `must be ${kind}`),
});

const printable = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;

/** The merchant's own identifiers: `referenceId`, `customerId`. */
export const identifier = z
  .string(required('a string'))
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .regex(printable, 'must not contain control characters')
  .refine((value) => value.isWellFormed(), 'must be well-formed text')
  .refine((value) => value.trim() === value, 'must not begin or end with a space')
  .refine((value) => value !== '.' && value !== '..', 'must be something that a path can name');

export const text = z
  .string(required('a string'))
  .max(1000, 'must have at most 1000 characters')
  .refine(isStorable, 'must be well-formed text');

export const flag = z.boolean(required('true or false'));

export const id = z.int(required('a whole number')).positive('must be a positive whole number');

export const instant = z.iso.datetime({
  offset: true,
  error: (issue) =>
    issue.input === undefined
      ? 'is required'
      : 'must be an ISO 8601 instant, for example 2026-12-01T12:00:00Z',
});

export const email = text.regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address');

export const phone = text.regex(/^\+?[\d\s().-]{3,}$/, 'must be a phone number');

export const webAddress = z
  .string(required('a string'))
  .max(2048, 'must have at most 2048 characters')
  .refine(isWebAddress, 'must be an absolute http or https address')
  .meta({ format: 'uri' });

export const currency = z
  .string(required('a string'))
  .regex(/^[A-Z]{3}$/, 'must be three capital letters, for example EUR');

export const object = <Shape extends z.ZodRawShape>(shape: Shape) =>
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
  // The parser would leave out spaces and line breaks, and the address would not be the one that was given.
  if (/[\s\p{Cc}]/u.test(value) || !value.isWellFormed() || !URL.canParse(value)) return false;
  const { protocol } = new URL(value);
  return protocol === 'http:' || protocol === 'https:';
}
