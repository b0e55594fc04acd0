// What a target gets: the request as it came, but for what belongs to the connection that it came over.

import type { WebhookRequest } from '../inbox/inbox-writer.js';
import type { Target } from './targets.js';

const NOT_PASSED_ON = new Set([
  // The host is the target's, and undici counts the body itself.
  'host',
  'content-length',
  // Of one connection only.
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

export interface ForwardedRequest {
  origin: string;
  /** Path and query. */
  path: string;
  method: string;
  /** Name, value, name, value …: in the order and case in which they came. */
  headers: string[];
  body: Uint8Array;
}

interface Extras {
  /** Takes the secret of the listener's own address out of a text: it goes to nobody. */
  hide(text: string): string;
  /** Said by paydesk itself, such as that this is a replay. */
  marks?: ReadonlyArray<readonly [string, string]>;
}

export function forwardedRequest(
  request: Pick<WebhookRequest, 'method' | 'query' | 'headers' | 'body'>,
  target: Pick<Target, 'url' | 'headers'>,
  { hide, marks = [] }: Extras,
): ForwardedRequest {
  const { origin, pathname, search } = new URL(target.url);
  const queries = [search.slice(1), request.query].filter((part) => part !== '');
  const own = target.headers.map(({ name, value }) => [name, value] as const);
  const added = [...own, ...marks];
  const names = new Set(added.map(([name]) => name.toLowerCase()));
  const named = namedByConnection(request.headers);
  const kept = request.headers.filter(([name]) => {
    const plain = name.toLowerCase();
    return !NOT_PASSED_ON.has(plain) && !named.includes(plain) && !names.has(plain);
  });
  // A proxy may have put the whole address into a header, or a query.
  return {
    origin,
    path: pathname + (queries.length === 0 ? '' : `?${hide(queries.join('&'))}`),
    method: request.method,
    headers: [...kept, ...added].flatMap(([name, value]) => [name, hide(value)]),
    body: request.body,
  };
}

/** The headers that the request itself says are of its connection. */
const namedByConnection = (headers: WebhookRequest['headers']): string[] =>
  headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((part) => part.trim().toLowerCase()));
