import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createNetServer, type AddressInfo, type Socket } from 'node:net';
import { createClient, type Client, type ClientOptions } from '../../src/client/client.js';
import type { Clock } from '../../src/client/clock.js';
import { cleanUp } from './clean-up.js';

export const APP = 'app-1';
export const KEY = 'sk_canary_5f2c9e71';

export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface TestServer {
  url: string;
  port: number;
  requests: Seen[];
  connections: number;
}

type Reply = (request: Seen, response: ServerResponse, count: number) => unknown;

/** An HTTP server that keeps what it was asked. */
export async function httpServer(reply: Reply): Promise<TestServer> {
  const server = createHttpServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const seen = { method, url, headers, body: Buffer.concat(chunks).toString() };
      state.requests.push(seen);
      reply(seen, response, state.requests.length);
    });
  });
  // A machine that stood still for a while is no reason to close a connection.
  server.keepAliveTimeout = 0;
  const state: TestServer = { url: '', port: 0, requests: [], connections: 0 };
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    state.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.port = (server.address() as AddressInfo).port;
  state.url = `http://127.0.0.1:${state.port}`;
  cleanUp(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return state;
}

export interface RawServer {
  url: string;
  port: number;
  connections: number;
  /** Requests whose head arrived completely. */
  requests: number;
  text: string;
}

/** A bare socket server: `onRequest` runs once the head of a request is complete. */
export async function rawServer(script: {
  onConnection?: (socket: Socket, count: number) => void;
  onRequest?: (socket: Socket, count: number) => void;
}): Promise<RawServer> {
  const state: RawServer = { url: '', port: 0, connections: 0, requests: 0, text: '' };
  const sockets = new Set<Socket>();
  const server = createNetServer((socket) => {
    state.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    let head = '';
    socket.on('data', (chunk) => {
      state.text += chunk.toString();
      head += chunk.toString();
      while (head.includes('\r\n\r\n')) {
        head = head.slice(head.indexOf('\r\n\r\n') + 4);
        state.requests += 1;
        script.onRequest?.(socket, state.requests);
      }
    });
    script.onConnection?.(socket, state.connections);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.port = (server.address() as AddressInfo).port;
  state.url = `http://127.0.0.1:${state.port}`;
  cleanUp(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return state;
}

/** A port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const server = createNetServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Time that passes only when someone sleeps. */
export function virtualClock(start = Date.parse('2026-11-14T09:00:00Z')): Clock & { slept: number[] } {
  let now = start;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    monotonic: () => now - start,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
  };
}

export function clientFor(url: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({
    baseUrl: url,
    appId: APP,
    apiKey: () => KEY,
    clock: virtualClock(),
    ...options,
  });
  cleanUp(() => client.close());
  return client;
}

export function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

export function http(status: string, body: string, headers: string[] = []): string {
  const lines = [`HTTP/1.1 ${status}`, `content-length: ${Buffer.byteLength(body)}`, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

export async function caught(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection');
}

/** Everything of an error that could be printed. */
export function everythingIn(error: unknown): string {
  const parts: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) {
    parts.push(at.message, at.stack ?? '', JSON.stringify(Object.getOwnPropertyDescriptors(at)));
  }
  return parts.join('\n');
}
