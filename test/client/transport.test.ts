import { getEventListeners } from 'node:events';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../src/client/exchange.js';
import { createTransport, type TransportTimeouts } from '../../src/client/transport.js';
import { cleanUp } from '../helpers/clean-up.js';
import { outline, sendOne } from './one-request.js';
import { closedPort, http, httpServer, json, rawServer } from '../helpers/servers.js';

function transportFor(url: string, timeouts?: Partial<TransportTimeouts>, maxBody?: number): Transport {
  const transport = createTransport({
    baseUrl: url,
    ...(timeouts ? { timeouts } : {}),
    ...(maxBody === undefined ? {} : { maxBody }),
  });
  cleanUp(() => transport.close());
  return transport;
}

// Fresh connections are for settle calls, the others go through the pool.
describe.each([true, false])('how far a request got, fresh: %s', (fresh) => {
  it('is unsent when the connection is refused', async () => {
    const transport = transportFor(`http://127.0.0.1:${await closedPort()}`);
    expect(outline(await sendOne(transport, { fresh }))).toBe('unsent refused');
  });

  it('is unsent when the name is not found', async () => {
    const transport = transportFor('http://no-such-host.invalid');
    expect(outline(await sendOne(transport, { fresh }))).toMatch(/^unsent name-(not-found|lookup-failed)$/);
  });

  it('is unsent when connecting takes too long', async () => {
    // A TLS server that never says anything: the handshake does not end.
    const server = await rawServer({});
    const transport = transportFor(server.url.replace('http', 'https'), { connectMs: 200 });
    expect(outline(await sendOne(transport, { fresh }))).toBe('unsent connect-timeout');
    expect(server.requests).toBe(0);
  });

  it('is unsent when the other side does not speak TLS', async () => {
    const server = await rawServer({
      onConnection: (socket) => socket.write('hello, this is no TLS\r\n\r\n'),
    });
    const transport = transportFor(server.url.replace('http', 'https'));
    expect(outline(await sendOne(transport, { fresh }))).toBe('unsent tls');
  });

  it('is unsent when the other side hangs up during the handshake', async () => {
    const server = await rawServer({
      onConnection: (socket) => socket.once('data', () => socket.resetAndDestroy()),
    });
    const transport = transportFor(server.url.replace('http', 'https'));
    expect(outline(await sendOne(transport, { fresh }))).toBe('unsent reset');
  });

  it('is unsent when it was interrupted before', async () => {
    const server = await rawServer({});
    const signal = AbortSignal.abort();
    expect(outline(await sendOne(transportFor(server.url), { fresh, signal }))).toBe('unsent aborted');
    expect(server.connections).toBe(0);
  });

  it('is unsent when interrupted while connecting, and nothing is written later', async () => {
    const server = await rawServer({});
    const transport = transportFor(server.url.replace('http', 'https'), { connectMs: 500 });
    const controller = new AbortController();
    const pending = sendOne(transport, { fresh, signal: controller.signal });
    await expect.poll(() => server.connections).toBe(1);
    controller.abort();
    expect(outline(await pending)).toBe('unsent aborted');
  });

  it.each<[string, (socket: Socket) => void, string]>([
    ['a reset without an answer', (socket) => socket.resetAndDestroy(), 'lost reset'],
    ['a close without an answer', (socket) => socket.end(), 'lost closed'],
    ['half a status line', (socket) => socket.end('HTTP/1.1 20'), 'lost closed'],
    ['half the headers', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'), 'lost closed'],
    ['something that is not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), 'lost malformed'],
    ['silence', () => undefined, 'lost headers-timeout'],
    [
      'a 100 Continue that nobody asked for',
      (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
      'lost closed',
    ],
    ['only a 103', (socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 'lost headers-timeout'],
    [
      'a body shorter than announced',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"a"'),
      'lost closed',
    ],
    [
      'a short body on a closing connection',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 9\r\n\r\n{"a"'),
      'lost cut',
    ],
    [
      'a reset in the body',
      (socket) =>
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"a"', () => socket.resetAndDestroy()),
      'lost reset',
    ],
    [
      'chunks that break off',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{"a"\r\n'),
      'lost closed',
    ],
    [
      'a body that stalls',
      (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"a"'),
      'lost body-timeout',
    ],
    [
      'broken chunks',
      (socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n'),
      'lost malformed',
    ],
  ])('is lost after %s, and sent once', async (_name, misbehave, expected) => {
    const server = await rawServer({ onRequest: misbehave });
    const transport = transportFor(server.url, { headersMs: 300, bodyMs: 300 });
    expect(outline(await sendOne(transport, { fresh, body: '{"n":1}' }))).toBe(expected);
    expect(server).toMatchObject({ connections: 1, requests: 1 });
  });

  it('is called unsent after a reset right after accepting only when no byte was written', async () => {
    const server = await rawServer({ onConnection: (socket) => socket.resetAndDestroy() });
    const exchange = await sendOne(transportFor(server.url), { fresh });
    expect(server).toMatchObject({ connections: 1, requests: 0 });
    expect(exchange.kind === 'lost' || server.text === '').toBe(true);
  });

  it('is lost when the time is up or it is interrupted after sending', async () => {
    const server = await rawServer({});
    const transport = transportFor(server.url);
    expect(outline(await sendOne(transport, { fresh, limitMs: 1_000 }))).toBe('lost time-up');
    const controller = new AbortController();
    const pending = sendOne(transport, { fresh, signal: controller.signal });
    await expect.poll(() => server.requests).toBe(2);
    controller.abort();
    expect(outline(await pending)).toBe('lost aborted');
  });

  it('is lost with all others under way with its signal, which keeps nothing of them', async () => {
    const server = await rawServer({});
    const transport = transportFor(server.url);
    const controller = new AbortController();
    const { signal } = controller;
    expect(outline(await sendOne(transport, { fresh, limitMs: 1_000, signal }))).toBe('lost time-up');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const pending = [1, 2, 3].map(() => sendOne(transport, { fresh, signal }));
    const other = sendOne(transport, { fresh, limitMs: 5_000, signal: new AbortController().signal });
    await expect.poll(() => server.requests).toBe(5);
    controller.abort();
    expect((await Promise.all(pending)).map(outline)).toEqual([
      'lost aborted',
      'lost aborted',
      'lost aborted',
    ]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(outline(await other)).toBe('lost time-up');
  });

  it('keeps to the limit of the whole attempt when the body only drips', async () => {
    const server = await rawServer({
      onRequest: (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n');
        const timer = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => clearInterval(timer));
      },
    });
    const exchange = await sendOne(transportFor(server.url), { fresh, limitMs: 3_000 });
    expect(exchange).toMatchObject({ kind: 'lost', status: 200, failure: { reason: 'time-up' } });
  });

  it('stops at the size limit', async () => {
    const server = await httpServer((_seen, response) => response.end('x'.repeat(5_000)));
    const exchange = await sendOne(transportFor(server.url, {}, 1_000), { fresh });
    expect(exchange).toMatchObject({ kind: 'lost', failure: { reason: 'too-large', permanent: true } });
  });

  it('reads an answer whose end is the end of the connection', async () => {
    const server = await rawServer({
      onRequest: (socket) => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"a":1}'),
    });
    expect(await sendOne(transportFor(server.url), { fresh })).toMatchObject({
      kind: 'answer',
      body: '{"a":1}',
    });
  });

  it('reads an answer that came before a 103, in many small pieces', async () => {
    const text = `HTTP/1.1 103 Early Hints\r\n\r\n${http('200 OK', '{"name":"Zoë"}', ['X-Request-Id: r1'])}`;
    const server = await rawServer({
      onRequest: (socket) => {
        socket.setNoDelay(true);
        for (const byte of Buffer.from(text)) socket.write(Buffer.from([byte]));
      },
    });
    expect(await sendOne(transportFor(server.url), { fresh })).toMatchObject({
      kind: 'answer',
      status: 200,
      body: '{"name":"Zoë"}',
      headers: { 'x-request-id': 'r1' },
    });
  });
});

describe('connections', () => {
  it('keeps one alive for reads and takes a fresh one for each settle call', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, {}));
    const transport = transportFor(server.url);
    for (let n = 0; n < 20; n += 1) await sendOne(transport, { method: 'GET', fresh: false });
    // undici leaves a connection alone for one turn of the event loop, so two take turns.
    const kept = server.connections;
    expect(kept).toBeLessThanOrEqual(2);
    for (let n = 0; n < 3; n += 1) await sendOne(transport, { fresh: true });
    expect(server.connections).toBe(kept + 3);
    expect(server.requests.slice(20).every(({ headers }) => headers.connection === 'close')).toBe(true);
  });

  it('does not replay when a kept-alive connection is closed at the wrong moment', async () => {
    const server = await rawServer({
      onRequest: (socket, count) =>
        count === 1 ? socket.write(http('200 OK', '{}')) : socket.resetAndDestroy(),
    });
    const transport = transportFor(server.url);
    expect(outline(await sendOne(transport, { fresh: false }))).toBe('answer 200');
    // Once the connection has had its turn of rest it is taken again.
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(outline(await sendOne(transport, { fresh: false }))).toBe('lost reset');
    expect(server).toMatchObject({ connections: 1, requests: 2 });
  });

  it('a fresh call is not touched by idle connections that the server has closed', async () => {
    const server = await rawServer({
      onRequest: (socket, count) => {
        socket.write(http('200 OK', '{}'));
        if (count === 1) socket.end();
      },
    });
    const transport = transportFor(server.url);
    await sendOne(transport, { fresh: false });
    expect(outline(await sendOne(transport, { fresh: true }))).toBe('answer 200');
    expect(server).toMatchObject({ connections: 2, requests: 2 });
  });

  it('does not write a request that was interrupted while its connection was being made', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, {}));
    const transport = transportFor(server.url);
    await sendOne(transport, { fresh: false, path: '/first' });
    const controller = new AbortController();
    const first = sendOne(transport, { fresh: false, path: '/second' });
    const second = sendOne(transport, { fresh: false, path: '/interrupted', signal: controller.signal });
    // Within this turn of the event loop: dispatched, and not connected yet.
    for (let step = 0; step < 20; step += 1) await Promise.resolve();
    controller.abort();
    expect(outline(await second)).toBe('unsent aborted');
    await first;
    await expect.poll(() => server.connections).toBeGreaterThan(1);
    for (let turn = 0; turn < 5; turn += 1) await sendOne(transport, { fresh: false, path: '/later' });
    expect(server.requests.map(({ url }) => url)).not.toContain('/interrupted');
  });

  it('speaks HTTP/1.1 only', async () => {
    const server = await rawServer({ onRequest: (socket) => socket.end(http('200 OK', '{}')) });
    await sendOne(transportFor(server.url));
    expect(server.text).toMatch(/^POST \/x HTTP\/1\.1\r\n/);
    expect(server.text).not.toMatch(/upgrade|h2/i);
  });
});

describe('TLS', () => {
  let folder: string;
  let credentials: { key: string; cert: string };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'paydesk-tls-'));
    const make = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost';
    const files = [
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-keyout',
      `${folder}/key`,
      '-out',
      `${folder}/cert`,
    ];
    execFileSync('openssl', ['req', ...make.split(' '), ...files], { stdio: 'ignore' });
    credentials = {
      key: readFileSync(`${folder}/key`, 'utf8'),
      cert: readFileSync(`${folder}/cert`, 'utf8'),
    };
    return () => rmSync(folder, { recursive: true });
  });

  async function listen(server: Server): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp(() => new Promise((resolve) => server.close(resolve)));
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it.each([undefined, '0'])('is unsent when the certificate cannot be trusted (%s)', async (variable) => {
    if (variable !== undefined) {
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = variable;
      cleanUp(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
    }
    let bytes = 0;
    const server = createTlsServer(credentials, (socket) => {
      socket.on('data', (chunk) => (bytes += chunk.length));
      socket.on('error', () => undefined);
    });
    server.on('tlsClientError', () => undefined);
    const transport = transportFor(await listen(server));
    for (const fresh of [true, false]) {
      const exchange = await sendOne(transport, { fresh });
      expect(exchange).toMatchObject({ kind: 'unsent', failure: { reason: 'tls', permanent: true } });
    }
    expect(bytes).toBe(0);
  });

  it('does not take up HTTP/2 where it is offered', async () => {
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, credentials.cert]);
    cleanUp(() => setDefaultCACertificates(trusted));
    const server = createSecureServer({ ...credentials, allowHTTP1: true }, (request, response) => {
      response.end(request.httpVersion);
    });
    const transport = transportFor(await listen(server));
    for (const fresh of [true, false]) {
      expect(await sendOne(transport, { fresh })).toMatchObject({ kind: 'answer', body: '1.1' });
    }
    await transport.close();
  });
});

describe('a streamed body', () => {
  it('is held up when nobody reads it', async () => {
    let written = 0;
    const piece = Buffer.alloc(64 * 1024, 120);
    const server = await httpServer((_seen, response) => {
      const more = () => {
        while (written < 200 * 1024 * 1024) {
          written += piece.length;
          if (!response.write(piece)) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    const open = await transportFor(server.url).send({
      method: 'GET',
      path: '/',
      headers: {},
      fresh: false,
      limitMs: 1_000,
      stream: true,
    });
    if (open.kind !== 'open') throw new Error('not open');
    const reader = open.body[Symbol.asyncIterator]();
    await reader.next();
    let before = -1;
    // It has stopped writing when two looks a while apart agree.
    await expect
      .poll(
        () => {
          const still = before === written;
          before = written;
          return still;
        },
        { interval: 200 },
      )
      .toBe(true);
    expect(written).toBeLessThan(50 * 1024 * 1024);
    await reader.return?.();
  });
});
