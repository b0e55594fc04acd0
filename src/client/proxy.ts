// Which proxy a request goes through, as the environment says it.

import type { Environment } from '../child-environment.js';
import { decodeUrlPart } from '../decode-url-part.js';
import { UsageError } from '../errors.js';
import { isLoopbackHost } from '../loopback.js';

export interface Proxy {
  /** `http://proxy.example:3128`, without credentials. */
  address: string;
  /** The variable that names it, as it is spelled. */
  variable: string;
  /** The Proxy-Authorization header. */
  authorization?: string;
  /** What must not be shown: the password, and the user name where it stands alone. */
  secrets: readonly string[];
}

type Route = { proxy: Proxy } | { proxy?: undefined; why: string };

/** How a URL is reached: through a proxy, or directly and why. */
export function routeTo(url: string, env: Environment): Route {
  const target = new URL(url);
  if (target.protocol === 'http:')
    return { why: 'the address is plain http, and a proxy could read the key' };
  const [variable, address] = variableIn(env, 'https_proxy');
  if (!address) return { why: `${variable.toUpperCase()} is not set` };
  const [noProxy, exceptions] = variableIn(env, 'no_proxy');
  // Loopback is this machine, not the proxy's: only an empty NO_PROXY sends it through the proxy.
  if (isLoopbackHost(target.hostname) && exceptions !== '')
    return { why: `${target.hostname} is this machine` };
  if (isExcepted(target, exceptions ?? '')) return { why: `${noProxy} has ${target.hostname}` };
  return { proxy: readProxy(variable, address) };
}

/** The lower-case name goes first, also when it is empty, as in curl. */
function variableIn(env: Environment, name: string): [name: string, value: string | undefined] {
  const spelling = env[name] === undefined ? name.toUpperCase() : name;
  return [spelling, env[spelling]?.trim()];
}

function readProxy(variable: string, given: string): Proxy {
  const url = URL.parse(given.includes('://') ? given : `http://${given}`);
  if (url === null || url.hostname === '') throw invalid(variable, 'not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalid(variable, `${url.protocol}// is not supported`);
  }
  const address = url.origin;
  const user = decodeUrlPart(url.username);
  const password = decodeUrlPart(url.password);
  if (user === '' && password === '') return { address, variable, secrets: [] };
  const token = Buffer.from(`${user}:${password}`).toString('base64');
  // A token is often given as the user name, with no password.
  const secrets = password === '' ? [user, url.username] : [password, url.password];
  return { address, variable, authorization: `Basic ${token}`, secrets: [...secrets, token] };
}

/** The value is not repeated: it may hold a password. */
function invalid(variable: string, problem: string): UsageError {
  return new UsageError(`${variable} is invalid. Nothing was sent.`, {
    code: 'bad-proxy',
    saysNothingSent: true,
    details: [{ input: variable, problem: `${problem}; use http://HOST:PORT or https://HOST:PORT` }],
  });
}

/** `*`, `example.com` and `.example.com` with everything below, `*.example.com`, each with an optional port. */
function isExcepted(target: URL, exceptions: string): boolean {
  const host = bare(target.hostname);
  const port = target.port || '443';
  return exceptions
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = entry, only] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
      if (only !== undefined && only !== port) return false;
      if (name === '*') return true;
      const domain = bare(name.replace(/^\*?\./, ''));
      return (host === domain && !name.startsWith('*')) || host.endsWith(`.${domain}`);
    });
}

const bare = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.+)\]$/, '$1')
    .replace(/(.)\.$/, '$1');
