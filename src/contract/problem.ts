import * as z from 'zod/mini';
import { described } from './described.js';

const fieldError = z.looseObject({ path: z.string(), message: z.string() });
export type FieldError = z.infer<typeof fieldError>;

export const problem = described(
  z.looseObject({
    type: z.optional(z.string()),
    title: z.optional(z.string()),
    status: z.optional(z.int()),
    detail: z.optional(z.string()),
    code: z.optional(z.string()),
    errors: z.optional(z.array(fieldError)),
    requestId: z.optional(z.string()),
  }),
  {
    id: 'Problem',
    description: 'RFC 9457 problem details.',
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  },
);

export type Problem = z.infer<typeof problem>;

/** Every failing field of a body at once, by its path (`customerOrder.amount.items.0.name`). */
export function fieldErrors(error: z.core.$ZodError): FieldError[] {
  return error.issues.flatMap((issue) => {
    const at = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys') return [{ path: at.join('.'), message: issue.message }];
    return issue.keys.map((key) => ({ path: [...at, key].join('.'), message: issue.message }));
  });
}
