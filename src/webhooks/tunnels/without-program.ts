// Addresses that need no program: the listener's own, and one that the user leads here.

import { isLoopbackHost } from '../../loopback.js';
import type { Tunnel } from './tunnel.js';

const opened = (url: string) =>
  Promise.resolve({ url, ended: new Promise<never>(() => {}), stop: () => Promise.resolve() });

/** The listener's own address, for a service that runs on the same machine. */
export function createNoTunnel(): Tunnel {
  return {
    name: 'none',
    thirdParty: false,
    readyMs: 2_000,
    reconnectMs: 0,
    start: ({ localPort }) => opened(`http://127.0.0.1:${localPort}`),
  };
}

/** A public address that the user leads here by means of their own: a proxy, a forwarded port, a tunnel that runs already. */
export function createGivenTunnel(url: URL): Tunnel {
  return {
    name: url.origin,
    thirdParty: false,
    readyMs: 5_000,
    reconnectMs: 0,
    start({ note }) {
      if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
        note(`${url.origin} is not encrypted, so others on the network can read the webhooks.`);
      }
      return opened(url.origin);
    },
  };
}
