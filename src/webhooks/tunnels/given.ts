import { isLoopbackHost } from '../../loopback.js';
import type { Tunnel } from './tunnel.js';

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
      return Promise.resolve({
        url: url.origin,
        ended: new Promise<never>(() => {}),
        stop: () => Promise.resolve(),
      });
    },
  };
}
