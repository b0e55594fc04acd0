import * as z from 'zod';
import { id, text, webAddress } from '../contract/fields.js';
import { amountProblem } from '../contract/money.js';
import { checkoutMethods } from '../contract/payment.js';
import { fieldErrors } from '../contract/problem.js';
import { cardNames } from './domain/cards.js';
import { faultKindNames } from './domain/faults.js';
import { fraudRules } from './domain/fraud.js';
import { Refusal } from './domain/refusal.js';

// What the control API takes.

const name = text.min(1, 'must not be empty');
const object = z.strictObject;

export const payBody = object({
  card: z.enum(cardNames, `must be one of ${cardNames.join(', ')}`).optional(),
  method: z.enum(checkoutMethods).optional(),
  paymentProfileId: id.optional(),
  saveMethod: z.boolean().optional(),
  challenge: z.enum(['passed', 'failed']).optional(),
});

export const providerBody = object({ answer: z.enum(['confirm', 'decline', 'hold']) });

export const faultBody = object({
  kind: z.enum(faultKindNames, `must be one of ${faultKindNames.join(', ')}`),
  route: z.string().default('*'),
  next: z.int().min(1).optional(),
  probability: z.number().gt(0).max(1).optional(),
  status: z.int().min(500).max(599).optional(),
  delayMs: z.int().min(0).max(86_400_000).optional(),
  afterCommit: z.boolean().optional(),
  retryAfterS: z.int().min(0).optional(),
});

export const clockBody = object({
  action: z.enum(['stop', 'set', 'advance', 'resume']),
  /** An instant in milliseconds for set, a duration for advance. */
  value: z.number().optional(),
});

export const appBody = object({ friendlyName: name, isSandbox: z.boolean().default(true) });

export const appPatch = object({
  webhookUrl: webAddress.nullable().optional(),
  isBlocked: z.boolean().optional(),
  fraudPolicyId: id.nullable().optional(),
  profile: object({
    paymentProfileId: id,
    isActive: z.boolean().optional(),
    windowMs: z.int().min(1).optional(),
    delayMs: z.int().min(0).optional(),
  }).optional(),
  policy: object({
    name,
    rule: z.enum(fraudRules),
    threshold: z
      .string()
      .refine((value) => amountProblem(value) === undefined, 'must be an amount, for example 100.00')
      .optional(),
  }).optional(),
});

/** Validates a control request the way the service validates its own. */
export function check<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = fieldErrors(parsed.error);
  throw new Refusal('invalid-request', errors.map(({ path, message }) => `${path} ${message}`).join('; '), {
    errors,
  });
}
