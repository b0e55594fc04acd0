// Apart from problem.ts, which needs zod: a sandbox starts without it.

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
  'unsupported-media-type': {
    status: 415,
    title: 'The body must be application/json in UTF-8, not compressed',
  },
  'operation-not-allowed': { status: 422, title: 'The state of the payment does not allow this' },
  'method-not-chargeable': { status: 422, title: 'There is no stored method to charge' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;
