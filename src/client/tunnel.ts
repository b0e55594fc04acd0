import type { Socket } from 'node:net';
import type { Failure } from './exchange.js';
import { ConnectFailure, failure, failureOf } from './failures.js';
import type { Proxy } from './proxy.js';

/** Has a proxy open a connection to `target`, which is a host and a port. Throws a `ConnectFailure`. */
export async function openProxyTunnel(
  proxy: Proxy,
  target: string,
  limits: { timeoutMs: number; signal?: AbortSignal },
): Promise<Socket> {
  const { request } = proxy.address.startsWith('https:')
    ? await import('node:https')
    : await import('node:http');
  const late = AbortSignal.timeout(limits.timeoutMs);
  return new Promise((resolve, reject) => {
    const fail = (why: Failure) => reject(new ConnectFailure(why));
    const asking = request(proxy.address, {
      method: 'CONNECT',
      path: target,
      headers: {
        host: target,
        ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
      },
      // A connection of its own, that no variable of the environment makes less careful.
      agent: false,
      rejectUnauthorized: true,
      signal: limits.signal ? AbortSignal.any([late, limits.signal]) : late,
    });
    asking.once('connect', ({ statusCode = 0 }, socket: Socket, head) => {
      const refused = refusal(proxy, target, statusCode);
      if (refused !== undefined) {
        socket.on('error', () => undefined).destroy();
        return fail(refused);
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asking.once('error', (error) => {
      if (late.aborted) fail(failure('connect-timeout', `the proxy ${proxy.address} did not answer`, false));
      else fail(unreachable(proxy, failureOf(error, true)));
    });
    asking.end();
  });
}

function unreachable(proxy: Proxy, why: Failure): Failure {
  const message = `the proxy ${proxy.address} could not be used: ${why.message}`;
  return failure('proxy-unreachable', message, why.permanent);
}

function refusal(proxy: Proxy, target: string, status: number): Failure | undefined {
  if (status >= 200 && status < 300) return undefined;
  const who = `the proxy ${proxy.address}`;
  if (status === 407) {
    const message =
      proxy.authorization === undefined
        ? `${who} asks for a user name and a password`
        : `${who} did not accept the user name and the password in ${proxy.variable}`;
    return failure('proxy-credentials', `${message} (HTTP 407)`, true);
  }
  const isTemporary = status >= 500 || status === 408 || status === 429;
  const refused = isTemporary ? 'could not connect' : 'refused to connect';
  return failure('proxy-refused', `${who} ${refused} to ${target} (HTTP ${status})`, !isTemporary);
}
