import type { Tunnel } from './tunnel.js';

/** The listener's own address, for a service that runs on the same machine. */
export function createNoTunnel(): Tunnel {
  return {
    name: 'none',
    thirdParty: false,
    readyMs: 2_000,
    reconnectMs: 0,
    start: ({ localPort }) =>
      Promise.resolve({
        url: `http://127.0.0.1:${localPort}`,
        ended: new Promise<never>(() => {}),
        stop: () => Promise.resolve(),
      }),
  };
}
