import * as z from 'zod/mini';
import { described } from './described.js';

/** Failure conditions of the service and the status that the sandbox answers with. */
export const problems = {
  'missing-authorization': { status: 401, title: 'The Authorization header is missing' },
  'malformed-authorization': { status: 401, title: 'The Authorization header is not "Bearer <API_KEY>"' },
  'unknown-key': { status: 401, title: 'The API key is not known' },
  'wrong-app': { status: 403, title: 'The API key belongs to another app' },
  'wrong-host': { status: 403, title: 'The Host header is not a name of this machine' },
  'app-blocked': { status: 403, title: 'The app is blocked' },
  'invalid-json': { status: 400, title: 'The body is not valid JSON' },
  'invalid-request': { status: 400, title: 'The request has invalid fields' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'This path does not take that method' },
  'body-timeout': { status: 408, title: 'The body did not arrive in time' },
  'reference-conflict': { status: 409, title: 'The referenceId is in use for another request' },
  'customer-conflict': { status: 409, title: 'The customerId is in use' },
  'body-too-large': { status: 413, title: 'The body is larger than 1 MiB' },
  'unsupported-media-type': { status: 415, title: 'The body must be application/json' },
  'operation-not-allowed': { status: 422, title: 'The state of the payment does not allow this' },
  'method-not-chargeable': { status: 422, title: 'There is no stored method to charge' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

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
