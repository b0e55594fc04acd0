import { commandText, paydesk } from '../next-command.js';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Connection } from '../client/dispatchers.js';
import type { FailureReason } from '../client/exchange.js';
import { ConnectFailure } from '../client/failures.js';
import { INSECURE_TLS_FIX, INSECURE_TLS_IGNORED } from '../client/insecure-tls.js';
import { routeTo } from '../client/proxy.js';
import { openProxyTunnel } from '../client/tunnel.js';
import type { Environment } from '../child-environment.js';
import { counted } from '../contract/amount-format.js';
import { fail, pass, warn, type Check } from './check.js';
import { DAY_MS } from '../day.js';

const TIMEOUT_MS = 5_000;
const NO_ANSWER = `no answer within ${TIMEOUT_MS / 1_000} s`;
const EXPIRES_SOON_DAYS = 14;
const hostOf = (baseUrl: string): string => new URL(baseUrl).hostname.replace(/^\[(.*)\]$/, '$1');

export async function checkDns(baseUrl: string): Promise<Check> {
  const host = hostOf(baseUrl);
  if (isIP(host) > 0) return pass('dns', `${host} is an IP address.`);
  const timer = new AbortController();
  const late = new Promise<string>((resolve) => {
    const timeout = setTimeout(resolve, TIMEOUT_MS, NO_ANSWER);
    timer.signal.addEventListener('abort', () => clearTimeout(timeout));
  });
  const found = lookup(host, { all: true }).then(
    (addresses) => addresses.map(({ address }) => address),
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
  const result = await Promise.race([found, late]);
  timer.abort();
  if (Array.isArray(result)) return pass('dns', `${host} is ${result.slice(0, 3).join(', ')}.`);
  return fail(
    'dns',
    `${host} could not be looked up (${result}).`,
    `Check the base URL: ${commandText(paydesk('whoami'))}`,
  );
}

/** Which proxy is used, and whether it opens a connection to the service. */
export async function checkProxy(baseUrl: string, env: Environment): Promise<Check> {
  const { host, port } = new URL(baseUrl);
  const route = routeTo(baseUrl, env);
  if (route.proxy === undefined) return pass('proxy', `No proxy is used: ${route.why}.`);
  const { address, variable } = route.proxy;
  const who = `Requests go through ${address} (${variable})`;
  try {
    const socket = await openProxyTunnel(route.proxy, port ? host : `${host}:443`, { timeoutMs: TIMEOUT_MS });
    socket.destroy();
    return pass('proxy', `${who}, which connects to ${host}.`);
  } catch (error) {
    if (!(error instanceof ConnectFailure)) throw error;
    const { reason, message } = error.failure;
    return fail('proxy', `${who}: ${message}.`, proxyFix(reason, variable, hostOf(baseUrl)));
  }
}

function proxyFix(reason: FailureReason, variable: string, host: string): string {
  if (reason === 'proxy-credentials') return `Set ${variable} to http://USER:PASSWORD@HOST:PORT.`;
  if (reason === 'proxy-refused') return `Ask for access to ${host}, or add ${host} to NO_PROXY.`;
  return `Check ${variable}, or add ${host} to NO_PROXY.`;
}

export const lookedUpByProxy = (baseUrl: string): Check =>
  pass('dns', `The proxy looks up ${hostOf(baseUrl)}.`);

/** The certificate of the service; only a handshake, no request. */
export async function checkTls(
  baseUrl: string,
  connection: Connection,
  now: Date,
  insecure = false,
): Promise<Check> {
  const check = await checkCertificate(baseUrl, connection, now);
  if (!insecure || check.status === 'fail') return check;
  return warn('tls', `${check.message} ${INSECURE_TLS_IGNORED}`, INSECURE_TLS_FIX);
}

async function checkCertificate(baseUrl: string, connection: Connection, now: Date): Promise<Check> {
  const url = new URL(baseUrl);
  if (url.protocol === 'http:') return pass('tls', 'Plain http, as the service is on this machine.');
  const host = hostOf(baseUrl);
  const shaken = await handshake(host, Number(url.port || 443), connection);
  if (typeof shaken === 'string') {
    const fix = /^(CERT|UNABLE|SELF|DEPTH|ERR_TLS)/.test(shaken)
      ? `If you use your own certificate authority: ${commandText(paydesk('profiles', 'set', 'NAME', '--ca-file', 'FILE'))}, or NODE_EXTRA_CA_CERTS`
      : `Check the base URL and the network: ${commandText(paydesk('whoami'))}`;
    return fail('tls', `No secure connection to ${url.host} (${shaken}).`, fix);
  }
  const days = Math.floor((shaken.getTime() - now.getTime()) / DAY_MS);
  const message = `The certificate of ${host} is valid for ${counted(days, 'more day')}.`;
  return days >= EXPIRES_SOON_DAYS
    ? pass('tls', message)
    : warn('tls', message, 'Tell the operator of the service.');
}

/** The end of the certificate, or why there is none. */
async function handshake(host: string, port: number, { proxy, tls }: Connection): Promise<Date | string> {
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const tunnel = proxy && (await openProxyTunnel(proxy, target, { timeoutMs: TIMEOUT_MS }).catch(String));
  if (typeof tunnel === 'string') return tunnel;
  return new Promise((resolve) => {
    const end = (result: Date | string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => end(NO_ANSWER), TIMEOUT_MS);
    const socket: TLSSocket = connect({
      ...(tunnel === undefined ? { host, port } : { socket: tunnel }),
      ...tls,
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
      ...(isIP(host) > 0 ? {} : { servername: host }),
    });
    socket.once('secureConnect', () => end(new Date(socket.getPeerCertificate().valid_to)));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
