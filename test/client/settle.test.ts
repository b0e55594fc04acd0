import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ServiceProblem } from '../../src/client/problems.js';
import type { SettleOperation } from '../../src/contract/states.js';
import { APP, KEY, clientFor, closedPort, http, httpServer, json, rawServer } from '../helpers/servers.js';

const operations: SettleOperation[] = ['capture', 'cancel', 'refund', 'unhold'];
const timeouts = { headersMs: 1_500, bodyMs: 1_500, attemptMs: 20_000 };

describe.each(operations)('%s is sent once', (operation) => {
  it.each<[string, (socket: Socket) => void]>([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['closed', (socket) => socket.end()],
    ['half a status line', (socket) => socket.end('HTTP/1.1 2')],
    ['half the headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nconten')],
    ['half the body', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"pay')],
    ['not HTTP', (socket) => socket.end('garbage\r\n\r\n')],
    ['a stalled body', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"pay')],
    ['500', (socket) => socket.end(http('500 Oh', '{"message":"oh"}'))],
    [
      '502 in HTML',
      (socket) => socket.end(http('502 Bad Gateway', '<html><title>Bad gateway</title></html>')),
    ],
    ['503 with Retry-After', (socket) => socket.end(http('503 Busy', '', ['retry-after: 0']))],
    ['504', (socket) => socket.end(http('504 Late', ''))],
    ['408', (socket) => socket.end(http('408 Slow', ''))],
    ['409', (socket) => socket.end(http('409 Conflict', ''))],
    ['a redirect', (socket) => socket.end(http('307 Elsewhere', '', ['location: /other']))],
    ['200 and HTML', (socket) => socket.end(http('200 OK', '<html>Sign in</html>'))],
    ['200 and half of JSON', (socket) => socket.end(http('200 OK', '{"paymentId": 7, "paymentSta'))],
    ['200 and another payment', (socket) => socket.end(http('200 OK', '{"paymentId": 8}'))],
    ['200 and another app', (socket) => socket.end(http('200 OK', '{"paymentId": 7, "appId": "other"}'))],
    ['200 and an error', (socket) => socket.end(http('200 OK', '{"error":{"message":"no"}}'))],
    ['200 and result: failed', (socket) => socket.end(http('200 OK', '{"result":"failed"}'))],
  ])('and is unknown after %s', async (_name, misbehave) => {
    const server = await rawServer({ onRequest: misbehave });
    const result = await clientFor(server.url, { timeouts }).operate(operation, '7');
    expect(result.kind).toBe('unknown');
    expect(result.attempts).toBe(1);
    expect(server).toMatchObject({ requests: 1, connections: 1 });
  });

  it('and is unknown when nothing ever comes back', async () => {
    const server = await rawServer({});
    const result = await clientFor(server.url, { timeouts: { headersMs: 200 } }).operate(operation, '7');
    expect(result).toMatchObject({
      kind: 'unknown',
      attempts: 1,
      why: expect.stringContaining('read timeout'),
    });
    expect(server).toMatchObject({ requests: 1, connections: 1 });
  });
});

describe('what an answer means', () => {
  it.each<[number, string]>([
    [200, ''],
    [204, ''],
    [202, ''],
    [201, '{}'],
    [200, '{"result":"ok"}'],
    [200, '"OK"'],
    [200, 'null'],
    [200, '{"paymentId":7,"paymentState":"Refunding"}'],
    [200, '{"data":{"payment":{"paymentId":"7","paymentState":"Refunding"}}}'],
  ])('%s %s is taken', async (status, body) => {
    const server = await httpServer((_seen, response) => void response.writeHead(status).end(body));
    const result = await clientFor(server.url).operate('refund', '7');
    expect(result.kind).toBe('taken');
    const shown = result.kind === 'taken' ? result.payment?.fields.paymentState : undefined;
    expect(shown).toBe(body.includes('Refunding') ? 'Refunding' : undefined);
  });

  it.each([400, 401, 403, 404, 405, 410, 413, 422])('%s is refused', async (status) => {
    const server = await httpServer((_seen, response) =>
      json(response, status, { code: 'no', detail: 'No.' }),
    );
    const result = await clientFor(server.url).operate('refund', '7');
    const problem: ServiceProblem = { httpStatus: status, code: 'no', message: 'No.', fieldErrors: [] };
    expect(result).toMatchObject({ kind: 'refused', problem, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it.each([425, 429])('%s is not taken, and left to the caller', async (status) => {
    const server = await httpServer((_seen, response) => json(response, status, {}, { 'retry-after': '3' }));
    const result = await clientFor(server.url).operate('refund', '7');
    expect(result).toMatchObject({ kind: 'not-taken', retryAfterMs: 3_000, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a fenced request', () => {
  it('is not written when the fence is closed, and is tried again after the intent was renewed', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, {}));
    const attempts: number[] = [];
    const fence = {
      beforeAttempt: async (attempt: number) => void attempts.push(attempt),
      beforeFirstByte: () => attempts.length > 1,
    };
    const result = await clientFor(server.url).operate('refund', '7', { fence });
    expect(result).toMatchObject({ kind: 'taken', attempts: 2 });
    expect(attempts).toEqual([1, 2]);
    expect(server.requests).toHaveLength(1);
  });

  it('is unsent when the fence stays closed', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, {}));
    const fence = { beforeAttempt: async () => undefined, beforeFirstByte: () => false };
    expect((await clientFor(server.url).operate('refund', '7', { fence })).kind).toBe('unsent');
    expect(server.requests).toEqual([]);
  });

  it('throws what the fence throws before an attempt', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, {}));
    const fence = {
      beforeAttempt: async () => {
        throw new Error('taken over');
      },
      beforeFirstByte: () => true,
    };
    await expect(clientFor(server.url).operate('refund', '7', { fence })).rejects.toThrow('taken over');
    expect(server.requests).toEqual([]);
  });
});

describe('a request that provably never left', () => {
  it('is tried again', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const result = await clientFor(url).operate('refund', '7');
    expect(result).toMatchObject({ kind: 'unsent', attempts: 5 });
  });

  it('is not tried again once interrupted', async () => {
    const server = await rawServer({});
    const result = await clientFor(server.url, { signal: AbortSignal.abort() }).operate('refund', '7');
    expect(result).toMatchObject({ kind: 'unsent', attempts: 1 });
    expect(server.connections).toBe(0);
  });

  it('is unknown when interrupted after it left', async () => {
    const server = await rawServer({});
    const controller = new AbortController();
    const pending = clientFor(server.url).operate('refund', '7', { signal: controller.signal });
    await expect.poll(() => server.requests).toBe(1);
    controller.abort();
    expect(await pending).toMatchObject({ kind: 'unknown', attempts: 1 });
    expect(server).toMatchObject({ requests: 1, connections: 1 });
  });
});

describe('the request itself', () => {
  it('goes over a connection of its own although reads keep theirs', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, { paymentId: 7 }));
    const client = clientFor(server.url);
    await client.getPayment({ paymentId: '7' });
    await client.operate('refund', '7', { description: 'parcel lost & found' });
    expect(server.connections).toBe(2);
    const { method, url, headers, body } = server.requests[1]!;
    expect({ method, url, body }).toEqual({
      method: 'POST',
      url: `/api/apps/${APP}/payments/7/refund?description=parcel+lost+%26+found`,
      body: '',
    });
    expect(headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      connection: 'close',
      'accept-encoding': 'identity',
    });
  });

  it('is not sent again when the server closes a kept-alive connection under it', async () => {
    let reads = 0;
    const server = await rawServer({
      onRequest: (socket) => {
        reads += 1;
        if (reads === 1) socket.write(http('200 OK', '{"paymentId":7}'));
        else socket.resetAndDestroy();
      },
    });
    const client = clientFor(server.url);
    await client.getPayment({ paymentId: '7' });
    expect(await client.operate('capture', '7')).toMatchObject({ kind: 'unknown' });
    expect(server.text.match(/POST /g)).toHaveLength(1);
  });

  it('works below a path of the base URL', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, { paymentId: 7 }));
    await clientFor(`${server.url}/pay/v/`).operate('cancel', '7');
    expect(server.requests[0]?.url).toBe(`/pay/v/api/apps/${APP}/payments/7/cancel`);
  });
});
