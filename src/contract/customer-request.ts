import * as z from 'zod/mini';
import { described } from './described.js';
import { email, id, identifier, object, phone, text } from './fields.js';

export const customerBody = described(
  object({
    customerId: identifier,
    firstName: z.optional(text),
    lastName: z.optional(text),
    email: z.optional(email),
    mobileNumber: z.optional(phone),
    fraudPolicyId: z.optional(id),
  }),
  { id: 'CustomerBody' },
);

export const customerPatch = described(
  object({
    firstName: z.optional(text),
    lastName: z.optional(text),
    email: z.optional(email),
    mobileNumber: z.optional(phone),
  }),
  { id: 'CustomerPatch' },
);

export const customerListQuery = object({
  cursor: z.optional(z.string()),
  limit: z.optional(
    described(
      z.coerce
        .number('must be a whole number')
        .check(
          z.refine(Number.isInteger, 'must be a whole number'),
          z.minimum(1, 'must be at least 1'),
          z.maximum(100, 'must be at most 100'),
        ),
      { type: 'integer' },
    ),
  ),
});

export type CustomerBody = z.infer<typeof customerBody>;
export type CustomerPatch = z.infer<typeof customerPatch>;
