import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { API_PREFIX } from './api-listener.js';

/** One line of the log: what was asked, what was answered, and how long it took. */
export interface RequestLine {
  method: string;
  path: string;
  /** 0 when the connection was dropped. */
  status: number;
  ms: number;
  note?: string;
}

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<string | undefined>;

const REQUEST_TIMEOUT_MS = 30_000;

/** How long requests in flight may still take when it stops. */
const DRAIN_MS = 1_000;

/** Listens before anything is opened, so that a port that is taken leaves no trace. */
export async function listen(host: string, port: number): Promise<Server> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

export function serve(
  server: Server,
  api: Listener,
  app: Hono,
  onRequest?: (line: RequestLine) => void,
): void {
  const others = getRequestListener(app.fetch);
  server.on('request', (incoming, outgoing) => {
    const isApi = incoming.url?.startsWith(API_PREFIX) ?? false;
    const answered = isApi ? api(incoming, outgoing) : others(incoming, outgoing).then(() => undefined);
    if (onRequest) logWhenDone(incoming, outgoing, answered, onRequest);
  });
}

function logWhenDone(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answered: Promise<string | undefined>,
  onRequest: (line: RequestLine) => void,
): void {
  const started = performance.now();
  outgoing.once('close', () => {
    void answered.then((note) =>
      onRequest({
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        status: outgoing.writableFinished ? outgoing.statusCode : 0,
        ms: performance.now() - started,
        ...(note !== undefined && { note }),
      }),
    );
  });
}

export async function stopServing(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(timer);
}
