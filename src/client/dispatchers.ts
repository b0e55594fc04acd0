import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import type { SendRequest } from './exchange.js';
import { ConnectFailure, failureOf } from './failures.js';
import type { Proxy } from './proxy.js';
import { openProxyTunnel, unreachable } from './tunnel.js';

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

/** Connections to one origin, directly or through a proxy: a pool, and one of its own for each `fresh` request. */
export function createDispatchers(
  origin: string,
  timeouts: { connectMs: number; headersMs: number; bodyMs: number },
  { proxy, tls }: Connection,
): Dispatchers {
  // A plain request is handed to the proxy with its whole address; for TLS the proxy opens a tunnel.
  const forwarder = proxy !== undefined && origin.startsWith('http:') ? proxy : undefined;
  const tunnelled = proxy !== undefined && forwarder === undefined ? proxy : undefined;
  const connect = {
    timeout: timeouts.connectMs,
    // Said here, so that no variable of the environment can say otherwise: the key goes over this connection.
    rejectUnauthorized: true,
    ...(forwarder === undefined ? tls : {}),
  };
  const to = forwarder?.address ?? origin;
  let pool: Promise<{ dispatcher: Pool; stop: () => void }> | undefined;

  /** `stop` ends what is still connecting. */
  async function settings() {
    const stopping = new AbortController();
    const connector = tunnelled
      ? await tunnelConnector(tunnelled, connect, stopping.signal)
      : forwarder
        ? await namedConnector(forwarder, connect)
        : connect;
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
    return { dispatcher: new OwnPool(to, options), stop };
  }

  return {
    async lease(fresh) {
      if (!fresh) return { dispatcher: (await (pool ??= openPool())).dispatcher, done: () => undefined };
      const { default: OwnClient } = await import('undici/lib/dispatcher/client.js');
      const { options, stop } = await settings();
      const dispatcher = new OwnClient(to, options);
      const done = () => {
        stop();
        dispatcher.destroy().catch(() => undefined);
      };
      return { dispatcher, done };
    },
    options({ path, method, headers, body, fresh }) {
      const common = { method, body: body ?? null, reset: fresh };
      if (forwarder === undefined) return { ...common, path, headers };
      const authorization = forwarder.authorization && { 'proxy-authorization': forwarder.authorization };
      return {
        ...common,
        path: origin + path,
        headers: { ...headers, host: new URL(origin).host, ...authorization },
        // undici would take it from the Host header.
        servername: new URL(forwarder.address).hostname,
      } as Dispatcher.DispatchOptions;
    },
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

/** A proxy that cannot be reached is not to be taken for the service. */
async function namedConnector(proxy: Proxy, settings: ConnectSettings): Promise<buildConnector.connector> {
  const connect = await buildOwnConnector(settings);
  return (target, callback) =>
    connect(target, (...result) => {
      const [error] = result;
      if (error === null) return callback(...result);
      callback(new ConnectFailure(unreachable(proxy, failureOf(error, true))), null);
    });
}
