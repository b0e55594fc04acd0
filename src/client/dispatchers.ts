import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import type { SendRequest } from './exchange.js';
import type { Proxy } from './proxy.js';
import { openProxyTunnel } from './tunnel.js';

/** How the service is reached, beside its address. */
export interface Connection {
  proxy?: Proxy | undefined;
  tls?: TlsMaterial | undefined;
}

/** PEM texts. */
export interface TlsMaterial {
  /** Trusted instead of the authorities that Node knows. */
  ca?: string;
  cert?: string;
  key?: string;
}

export interface Leased {
  dispatcher: Client | Pool;
  /** Ends a connection that was made for one request. */
  done: () => void;
}

interface Dispatchers {
  lease(fresh: boolean): Promise<Leased>;
  /** What undici is told to send. */
  options(request: SendRequest): Dispatcher.DispatchOptions;
  close(): Promise<void>;
}

/** Connections to one origin, directly or through a tunnel that a proxy opens: a pool, and one of its own for each `fresh` request. */
export function createDispatchers(
  origin: string,
  timeouts: { connectMs: number; headersMs: number; bodyMs: number },
  { proxy, tls }: Connection,
): Dispatchers {
  const connect = {
    timeout: timeouts.connectMs,
    // Said here, so that no variable of the environment can say otherwise: the key goes over this connection.
    rejectUnauthorized: true,
    ...tls,
  };
  let pool: Promise<{ dispatcher: Pool; stop: () => void }> | undefined;

  /** `stop` ends what is still connecting. */
  async function settings() {
    const stopping = new AbortController();
    const connector = proxy ? await tunnelConnector(proxy, connect, stopping.signal) : connect;
    return {
      stop: () => stopping.abort(),
      options: {
        // Over HTTP/2 a GOAWAY may make undici send a POST a second time.
        allowH2: false,
        pipelining: 1,
        connect: connector,
        headersTimeout: timeouts.headersMs,
        bodyTimeout: timeouts.bodyMs,
      },
    };
  }

  async function openPool() {
    const { default: OwnPool } = await import('undici/lib/dispatcher/pool.js');
    const { options, stop } = await settings();
    return { dispatcher: new OwnPool(origin, options), stop };
  }

  return {
    async lease(fresh) {
      if (!fresh) return { dispatcher: (await (pool ??= openPool())).dispatcher, done: () => undefined };
      const { default: OwnClient } = await import('undici/lib/dispatcher/client.js');
      const { options, stop } = await settings();
      const dispatcher = new OwnClient(origin, options);
      const done = () => {
        stop();
        dispatcher.destroy().catch(() => undefined);
      };
      return { dispatcher, done };
    },
    options: ({ path, method, headers, body, fresh }) => ({
      path,
      method,
      headers,
      body: body ?? null,
      reset: fresh,
    }),
    async close() {
      const opened = await pool;
      pool = undefined;
      opened?.stop();
      await opened?.dispatcher.destroy();
    },
  };
}

type ConnectSettings = buildConnector.BuildOptions & TlsMaterial;

const buildOwnConnector = async (settings: ConnectSettings): Promise<buildConnector.connector> => {
  const { default: build } = await import('undici/lib/core/connect.js');
  return build({ ...settings, allowH2: false });
};

/** Whatever fails here failed before the request: the tunnel, or the handshake with the service inside of it. */
async function tunnelConnector(
  proxy: Proxy,
  settings: ConnectSettings,
  signal: AbortSignal,
): Promise<buildConnector.connector> {
  const shakeHands = await buildOwnConnector(settings);
  const timeoutMs = settings.timeout ?? 5_000;
  return (target, callback) => {
    const host = target.hostname.includes(':') ? `[${target.hostname}]` : target.hostname;
    openProxyTunnel(proxy, `${host}:${target.port || '443'}`, { timeoutMs, signal }).then(
      (socket) => shakeHands({ ...target, httpSocket: socket }, callback),
      (error: Error) => callback(error, null),
    );
  };
}
