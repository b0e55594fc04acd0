// Where webhooks arrive: on this machine alone, under a path that holds a secret. Everything else is answered as if
// nothing were here.

import { paydesk } from '../../next-command.js';
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { closeServer } from '../../close-server.js';
import { ServiceError } from '../../errors.js';
import { WEBHOOK_PATH } from '../webhook-path.js';
import type { WebhookRequest } from './inbox-writer.js';

export interface Receiver {
  readonly port: number;
  /** No further request is taken; those under way are answered. */
  close(): Promise<void>;
}

interface ReceiverOptions {
  port: number;
  /** Where that port is taken, any other will do. */
  orAnother: boolean;
  secret: string;
  /** Answers a probe of our own; undefined for everything else. */
  probe(method: string | undefined, target: string | undefined): string | undefined;
  /** Resolves to the status to answer with, once it is kept. */
  take(request: WebhookRequest): Promise<number>;
  now: () => number;
  onError(error: unknown): void;
}

export const MAX_WEBHOOK_BYTES = 1024 * 1024;
export const MAX_CONCURRENT = 256;
const HOST = '127.0.0.1';
const MAX_HEADER_BYTES = 16 * 1024;
/** For the headers, and again for the body. */
const READ_TIMEOUT_MS = 10_000;
/** How long requests in flight may still take when it stops. */
const DRAIN_MS = 2_000;
/** The secret, the rest of the path, and the query. */
const WEBHOOK_TARGET = new RegExp(`^${WEBHOOK_PATH}([^/?]*)([^?]*)(?:\\?(.*))?$`, 's');

export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { createServer } = process.getBuiltinModule('node:http');
  const answer = createAnswerer(options);
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: READ_TIMEOUT_MS,
    requestTimeout: 2 * READ_TIMEOUT_MS,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: READ_TIMEOUT_MS,
  });
  server.on('request', answer);
  // A sender that waits for 100 Continue gets it only if the path is right.
  server.on('checkContinue', answer);
  try {
    await listen(server, options.port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || !options.orAnother) {
      throw cannotListen(options.port, error);
    }
    await listen(server, 0);
  }
  const { port } = server.address() as { port: number };
  return { port, close: () => closeServer(server, DRAIN_MS) };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function cannotListen(port: number, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  const next = [paydesk('webhook', 'listen', '--port', '0')];
  if (code === 'EADDRINUSE') {
    return new ServiceError(`Port ${port} is in use by another program.`, {
      code: 'port-taken',
      next,
      cause,
    });
  }
  if (code === 'EACCES') {
    return new ServiceError(`You do not have permission to listen on port ${port}.`, {
      code: 'port-forbidden',
      next,
      cause,
    });
  }
  if (code === 'EADDRNOTAVAIL') {
    return new ServiceError(`This machine has no address ${HOST} to listen on.`, {
      code: 'host-unavailable',
      cause,
    });
  }
  return cause;
}

function createAnswerer({ secret, probe, take, now, onError }: ReceiverOptions) {
  const isSecret = createComparison(secret);
  let underWay = 0;

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method, url = '' } = incoming;
    const sealed = probe(method, url);
    if (sealed !== undefined) {
      const headers = { 'content-type': 'text/plain', 'cache-control': 'no-store' };
      outgoing.writeHead(200, headers).end(sealed);
      return;
    }
    const [, given = '', path = '', query = ''] = WEBHOOK_TARGET.exec(url) ?? [];
    if (!isSecret(given)) return refuse(incoming, outgoing, 404);
    if (method !== 'POST') return refuse(incoming, outgoing, 405, { allow: 'POST' });
    if (underWay >= MAX_CONCURRENT) return refuse(incoming, outgoing, 503, { 'retry-after': '1' });
    underWay += 1;
    try {
      const time = now();
      if (incoming.headers.expect !== undefined) outgoing.writeContinue();
      const body = await readBody(incoming);
      if (typeof body === 'number') return refuse(incoming, outgoing, body);
      const status = await take({ time, method, path, query, headers: pairs(incoming.rawHeaders), body });
      outgoing.writeHead(status).end();
    } finally {
      underWay -= 1;
    }
  }

  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    // A request that was cut off is ignored.
    incoming.on('error', () => undefined);
    outgoing.on('error', () => undefined);
    void handle(incoming, outgoing).catch((error: unknown) => {
      onError(error);
      // It was not kept, so the service must send it again.
      refuse(incoming, outgoing, 503, { 'retry-after': '5' });
    });
  };
}

/** What is left of the request is not waited for. */
function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
): void {
  if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy();
  outgoing.writeHead(status, { ...headers, connection: 'close', 'content-length': '0' });
  outgoing.end(() => {
    if (!incoming.complete) incoming.socket.destroySoon();
  });
}

/** The time that it takes tells nothing but the length, which everybody knows. */
function createComparison(secret: string): (text: string) => boolean {
  const expected = Buffer.from(secret);
  return (text) => {
    const given = Buffer.from(text);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
}

/** The bytes, or the status to refuse them with. */
function readBody(incoming: IncomingMessage): Promise<Uint8Array | number> {
  if (Number(incoming.headers['content-length'] ?? 0) > MAX_WEBHOOK_BYTES) return Promise.resolve(413);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (result: Uint8Array | number) => {
      clearTimeout(timer);
      incoming.pause();
      resolve(result);
    };
    const timer = setTimeout(finish, READ_TIMEOUT_MS, 408);
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > MAX_WEBHOOK_BYTES) finish(413);
    });
    incoming.on('end', () => finish(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    incoming.on('close', () => finish(408));
  });
}

function pairs(raw: readonly string[]): Array<[string, string]> {
  return Array.from({ length: raw.length / 2 }, (_, index) => [
    raw[2 * index] ?? '',
    raw[2 * index + 1] ?? '',
  ]);
}
