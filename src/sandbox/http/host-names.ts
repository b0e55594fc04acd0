import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { isLoopbackHost } from '../../loopback.js';

/** Every address of this machine, and so every other machine. */
const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Whether only this machine can reach a server that listens there. */
export const isOwnMachine = (host: string): boolean => isLoopbackHost(inUrl(host));

/** Where this machine reaches a server that listens at a host. */
export const localUrl = (host: string, port: number): string =>
  `http://${inUrl(WILDCARDS[host] ?? host)}:${port}`;

/** The host of a Host header, as it was sent: what a URL parser would make of it is not what a browser compared. */
export const hostOf = (header: string): string => header.replace(/:\d{1,5}$/, '').toLowerCase();

/**
 * Names under which other machines may call. Nobody outside can make one of them point here: addresses, names that no
 * public DNS has, and the name of this machine.
 */
export function isPrivateName(host: string): boolean {
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
  const isUnknownOutside = /^[\w-]+$/.test(host) || /^[\w.-]+\.(local|internal)$/.test(host);
  return isUnknownOutside || host === hostname().toLowerCase();
}
