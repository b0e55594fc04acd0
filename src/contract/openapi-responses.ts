import { endpointOf, pathParameters, type EndpointName } from './endpoints.js';
import type { Json } from './openapi-schemas.js';
import { problems } from './problem-codes.js';
import { schemasOf } from './schemas.js';

/** What an operation is refused with, by its kind. Every operation may also end with what `default` describes. */
function failureStatuses(name: EndpointName): number[] {
  const { method, path, repeat } = endpointOf(name);
  const { query, body } = schemasOf(name);
  // An operation without one refuses whatever a body asks of it.
  const readsBody = body !== undefined || method === 'POST';
  const isKept = pathParameters(path).length > 0;
  return [
    ...(query || readsBody ? [400] : []),
    401,
    403,
    ...(isKept ? [404] : []),
    ...(repeat === 'keyed' ? [409] : []),
    ...(readsBody ? [413, 415] : []),
    ...(repeat === 'settle' || name === 'recheckPayment' || name === 'createAutoPayment' ? [422] : []),
    429,
  ];
}

const titles: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'TooLarge',
  415: 'UnsupportedMediaType',
  422: 'NotPossible',
  429: 'TooManyRequests',
};

const problemContent = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

/** The answers that operations share, by name; of some statuses or of all. */
export function failureResponses(statuses: readonly number[] = Object.keys(titles).map(Number)): Json {
  const shared = statuses.map((status) => {
    const codes = Object.entries(problems).filter(([, problem]) => problem.status === status);
    return [
      titles[status] as string,
      {
        description: codes.map(([code, problem]) => `\`${code}\`: ${problem.title}.`).join(' '),
        ...(status === 401 && { headers: { 'WWW-Authenticate': scheme } }),
        ...(status === 429 && { headers: { 'Retry-After': retryAfter } }),
        content: problemContent,
      },
    ] as const;
  });
  return {
    ...Object.fromEntries(shared),
    Failure: { description: 'Any other failure.', content: problemContent },
  };
}

const scheme = { description: 'How to authenticate.', schema: { const: 'Bearer' } };
const retryAfter = { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } };

/** The answers of an operation; `content` is that of a success. */
export function responsesOf(name: EndpointName, content: Json | undefined): Json {
  const { success, repeat } = endpointOf(name);
  const answer = (description: string) => ({ description, ...(content && { content }) });
  return {
    ...(repeat === 'keyed' && success === 201
      ? { 200: answer('The same request was carried out before. This is what it created.') }
      : {}),
    [success]: answer(success === 201 ? 'Created.' : 'Done.'),
    ...failuresOf(failureStatuses(name)),
  };
}

/** References to the shared answers of these statuses, and to that of any other failure. */
export function failuresOf(statuses: readonly number[]): Json {
  return {
    ...Object.fromEntries(statuses.map((status) => [status, response(titles[status] as string)])),
    default: response('Failure'),
  };
}

const response = (title: string) => ({ $ref: `#/components/responses/${title}` });
