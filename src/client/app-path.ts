import {
  APP_PATH,
  endpointOf,
  matchEndpoint,
  type EndpointName,
  type RepeatClass,
} from '../contract/endpoints.js';
import { UsageError } from '../errors.js';

interface ResolvedPath {
  method: string;
  /** Path and query below the base URL. */
  path: string;
  /** The endpoint of the contract that it reaches, if any, and the values in its path. */
  endpoint: EndpointName | undefined;
  parameters: Record<string, string>;
  repeat: RepeatClass;
}

/**
 * What a method and a path that a person typed come to below the app. A path that a server could take for
 * another one (dot segments, encoded slashes, another host) is refused, so that guards see what will be reached.
 */
export function resolvePath(
  typedMethod: string,
  typed: string,
  appId: string,
  query: Record<string, string> = {},
): ResolvedPath {
  const method = typedMethod.toUpperCase();
  const refuse = (why: string) =>
    new UsageError(`The path ${JSON.stringify(typed)} cannot be used: ${why}.`, { code: 'bad-path' });
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(typed) || /^[\\/]{2}/.test(typed)) {
    throw refuse('it contains a host, and paydesk sends the key only to the host of the profile');
  }
  if (!typed.isWellFormed() || /[\p{Cc}\\#]/u.test(typed))
    throw refuse('it has characters that are not allowed in a path');

  const root = APP_PATH.replace('{appId}', encodeURIComponent(appId));
  const rooted = typed.startsWith('/') ? typed : `/${typed}`;
  const whole = rooted.startsWith(`${root}/`) ? rooted : root + rooted;
  const [typedPath = '', ...rest] = whole.split('?');
  const path = plainEncoding(typedPath);
  if (/\/\.{1,2}(\/|$)/.test(path)) throw refuse('it has dot segments');
  if (path.includes('//')) throw refuse('it has an empty part');
  if (method !== 'GET' && /%2f|%5c|;/i.test(path)) throw refuse('it has an encoded slash or a semicolon');

  const url = new URL(`${path}?${rest.join('?')}`, 'http://path.invalid');
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const below = url.pathname.slice(root.length).replace(/\/$/, '');
  const match = named(method, below) ?? named(method, below.toLowerCase());
  return {
    method,
    path: url.pathname + url.search,
    endpoint: match?.name,
    parameters: match?.parameters ?? {},
    repeat: match ? endpointOf(match.name).repeat : method === 'GET' ? 'read' : 'settle',
  };
}

/** Servers may not tell `/Refund` from `/refund`, so neither do we. */
function named(method: string, path: string) {
  const match = matchEndpoint(method, path);
  return match && 'name' in match ? match : undefined;
}

/** Letters and digits need no encoding: `%72efund` is `refund` to a server. */
function plainEncoding(path: string): string {
  return path.replaceAll(/%([2-7][0-9a-f])/gi, (whole, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(character) ? character : whole;
  });
}
