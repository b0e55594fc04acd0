import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Hono } from 'hono';
import { loadOnce } from '../../concurrency.js';
import { isLoopbackHost } from '../../loopback.js';
import { hostOf, isPrivateName } from './host-names.js';
import { defaultAnswers, shapeFailure } from '../answers.js';
import { loggedPath } from './logged-path.js';
import { APPS_PATH } from '../../contract/endpoints.js';
import { createDescriptionListener } from './description-listener.js';

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

/**
 * Listens before anything is opened, so that a port that is taken leaves no trace. Requests that come before there
 * is a listener wait for it.
 */
export async function startListening(
  host: string,
  port: number,
  listener: Promise<RequestListener>,
): Promise<Server> {
  // As an import of its own it would load a second HTTP stack.
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer({
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    // A request without a body has no stream of one, which a read would only wait for.
    optimizeEmptyRequests: true,
    // Clients close their idle connections: one that ended here just as a request was sent would look like a fault.
    keepAliveTimeout: 0,
  });
  const early: RequestListener = (...request) => void listener.then((answer) => answer(...request));
  server.on('request', early);
  void listener.then((answer) => server.off('request', early).on('request', answer));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

/** The service itself, and beside it what is loaded only when somebody asks for it. */
export function createRequestListener(
  api: Listener,
  loadApp: () => Promise<Hono>,
  { remote, onRequest }: { remote: boolean; onRequest?: ((line: RequestLine) => void) | undefined },
): RequestListener {
  const loadOthers = loadOnce(() => listenerOf(loadApp));
  const others: Listener = async (...request) => (await loadOthers())(...request);
  const description = createDescriptionListener();
  const listenerFor = (incoming: IncomingMessage): Listener => {
    if (!isForThisHost(incoming, remote)) return refuseHost;
    if (incoming.url?.startsWith(APPS_PATH)) return api;
    return description.answers(incoming) ? description.listener : others;
  };
  return (incoming, outgoing) => {
    const listener = listenerFor(incoming);
    const answered = listener(incoming, outgoing);
    if (onRequest) logWhenDone(incoming, outgoing, answered, onRequest);
  };
}

/**
 * Before anything else is looked at: a page in a browser may have this machine's address under a name of its own, and
 * would then be of the same origin as everything here.
 */
const refuseHost: Listener = async (incoming, outgoing) => {
  incoming.resume();
  const { body, headers, status } = shapeFailure(defaultAnswers, {
    code: 'wrong-host',
    detail:
      'The sandbox answers only to localhost, 127.0.0.1 and [::1]; with --allow-remote also to addresses and names ' +
      'of a private network.',
    errors: [],
    headers: {},
    requestId: '',
  });
  outgoing.writeHead(status, { ...headers, 'cache-control': 'no-store' }).end(body);
  return 'the Host header is not a name of this machine';
};

/** One Host header with a name of this machine, and no other name in the request line. */
function isForThisHost({ headers: { host }, rawHeaders, url }: IncomingMessage, remote: boolean): boolean {
  const name = hostOf(host ?? '');
  if (!isLoopbackHost(name) && !(remote && isPrivateName(name))) return false;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 && url?.startsWith('/') === true;
}

async function listenerOf(loadApp: () => Promise<Hono>): Promise<Listener> {
  const [{ getRequestListener }, app] = await Promise.all([import('@hono/node-server'), loadApp()]);
  const listener = getRequestListener(app.fetch);
  return async (incoming, outgoing) => {
    await listener(incoming, outgoing);
    return undefined;
  };
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
        path: loggedPath(incoming.url ?? ''),
        status: outgoing.writableFinished ? outgoing.statusCode : 0,
        ms: performance.now() - started,
        ...(note !== undefined && { note: loggedPath(note) }),
      }),
    );
  });
}
