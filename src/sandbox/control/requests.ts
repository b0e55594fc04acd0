// What the control API takes.

import * as z from 'zod/mini';
import { id, text, webAddress } from '../../contract/fields.js';
import { amountProblem } from '../../contract/money.js';
import { checkoutMethods } from '../../contract/checkout-methods.js';
import { fieldErrors } from '../../contract/problem.js';
import { cardNames } from '../domain/cards.js';
import { challengeResults, providerAnswers } from './choices.js';
import { faultKindNames } from '../domain/fault-kinds.js';
import { fraudRules } from '../domain/fraud.js';
import { invalidRequest } from '../domain/references.js';
import { DAY_MS } from '../../day.js';

const kinds: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  string: 'a string',
  object: 'an object',
  array: 'a list',
};

/** What is wrong with a field whose schema has no words of its own. */
function inWords(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') return 'is not a field of this request';
  if (issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_type') return `must be ${kinds[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`;
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`;
  return 'has an invalid value';
}

z.config({ localeError: inWords });

const name = text.check(z.minLength(1, 'must not be empty'));
const object = z.strictObject;
// oxlint-disable-next-line no-underscore-dangle -- zod's own name for it
const withDefault = z._default;

export const payBody = object({
  card: z.optional(z.enum(cardNames, `must be one of ${cardNames.join(', ')}`)),
  method: z.optional(z.enum(checkoutMethods)),
  paymentProfileId: z.optional(id),
  saveMethod: z.optional(z.boolean()),
  challenge: z.optional(z.enum(challengeResults)),
});

export const providerBody = object({ answer: z.enum(providerAnswers) });

const atLeastOne = 'must be a whole number, at least 1';
const share = 'must be between 0 and 1';
const serverError = 'must be between 400 and 599';
const aDay = 'must be at most 24 hours';

export const faultBody = object({
  kind: z.enum(faultKindNames, `must be one of ${faultKindNames.join(', ')}`),
  route: withDefault(z.string(), '*'),
  next: z.optional(z.int(atLeastOne).check(z.minimum(1, atLeastOne))),
  probability: z.optional(z.number(share).check(z.gt(0, share), z.maximum(1, share))),
  status: z.optional(z.int(serverError).check(z.minimum(400, serverError), z.maximum(599, serverError))),
  delayMs: z.optional(z.int(aDay).check(z.minimum(0, aDay), z.maximum(DAY_MS, aDay))),
  afterCommit: z.optional(z.boolean()),
  retryAfterS: z.optional(z.int().check(z.minimum(0))),
});

export const clockBody = object({
  action: z.enum(['stop', 'set', 'advance', 'resume']),
  /** An instant in milliseconds for set, a duration for advance. */
  value: z.optional(z.number()),
});

export const appBody = object({ friendlyName: name, isSandbox: withDefault(z.boolean(), true) });

export const appPatch = object({
  webhookUrl: z.optional(z.nullable(webAddress)),
  isBlocked: z.optional(z.boolean()),
  fraudPolicyId: z.optional(z.nullable(id)),
  profile: z.optional(
    object({
      paymentProfileId: id,
      isActive: z.optional(z.boolean()),
      windowMs: z.optional(z.int().check(z.minimum(1))),
      delayMs: z.optional(z.int().check(z.minimum(0))),
    }),
  ),
  policy: z.optional(
    object({
      name,
      rule: z.enum(fraudRules),
      threshold: z.optional(
        z
          .string()
          .check(
            z.refine((value) => amountProblem(value) === undefined, 'must be an amount, for example 100.00'),
          ),
      ),
    }).check(
      z.refine(({ rule, threshold }) => rule !== 'hold-above' || threshold !== undefined, {
        message: 'is required for hold-above',
        path: ['threshold'],
      }),
    ),
  ),
});

/** Validates a control request the way the service validates its own. */
export function check<T extends z.ZodMiniType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = fieldErrors(parsed.error);
  throw invalidRequest(errors);
}
