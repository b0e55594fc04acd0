import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookRequest } from '../../src/webhooks/inbox/inbox-writer.js';
import {
  MAX_WEBHOOK_BYTES,
  MAX_CONCURRENT,
  type Receiver,
  startReceiver,
} from '../../src/webhooks/inbox/receiver.js';
import { eventually } from '../helpers/sandbox.js';

const SECRET = 'k3-the-secret-of-this-listener-9f';

let receiver: Receiver;
let taken: WebhookRequest[];
let errors: unknown[];
let take: (request: WebhookRequest) => Promise<number>;
const sockets: Socket[] = [];

beforeEach(async () => {
  taken = [];
  errors = [];
  take = async () => 200;
  receiver = await startReceiver({
    port: 0,
    orAnother: false,
    secret: SECRET,
    probe: (method, target) => (method === 'GET' && target === '/probe' ? 'sealed' : undefined),
    take: async (incoming) => {
      taken.push(incoming);
      return take(incoming);
    },
    now: Date.now,
    onError: (error) => errors.push(error),
  });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await receiver.close();
});

async function ask(path: string, method = 'POST', body?: string | Uint8Array) {
  const answer = await request(`http://127.0.0.1:${receiver.port}${path}`, {
    method: method as 'POST',
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.statusCode, text: await answer.body.text(), headers: answer.headers };
}

/** A connection of our own, for what no client would send. */
async function raw(text: string): Promise<{ socket: Socket; answer: () => string; ended: Promise<unknown> }> {
  const socket = connect(receiver.port, '127.0.0.1');
  sockets.push(socket);
  let answer = '';
  socket.setEncoding('latin1').on('data', (data: string) => (answer += data));
  socket.on('error', () => {});
  const ended = once(socket, 'close');
  await once(socket, 'connect');
  socket.write(text, 'latin1');
  return { socket, answer: () => answer, ended };
}

describe('what is answered', () => {
  it('is 200 under the secret, once it is kept', async () => {
    expect(await ask(`/wh/${SECRET}`)).toMatchObject({ status: 200 });
    expect(await ask(`/wh/${SECRET}/inv%2F1?a=b%20c`, 'POST', 'x')).toMatchObject({ status: 200 });
    expect(taken).toMatchObject([
      { method: 'POST', path: '', query: '' },
      { path: '/inv%2F1', query: 'a=b%20c', body: Buffer.from('x') },
    ]);
  });

  it('is 404 for everything else, whatever it is', async () => {
    const wrong = [
      '/',
      '/wh',
      '/wh/',
      `/wh/${SECRET}x`,
      `/wh/${SECRET.slice(1)}`,
      // As long as the secret.
      `/wh/${SECRET.slice(0, -1)}e`,
      `/wh/x${SECRET.slice(1)}`,
      `/wh/${SECRET.toUpperCase()}`,
      `/wh/x/${SECRET}`,
      `/${SECRET}`,
    ];
    for (const path of [...wrong, `/WH/${SECRET}`, `//wh/${SECRET}`]) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        expect([path, method, (await ask(path, method)).status]).toEqual([path, method, 404]);
      }
    }
    expect(taken).toEqual([]);
  });

  it('is 405 for other methods only to who knows the secret', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      expect(await ask(`/wh/${SECRET}/x`, method)).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    }
    expect(taken).toEqual([]);
  });

  it('is the seal of a probe, which is no delivery', async () => {
    expect(await ask('/probe', 'GET')).toMatchObject({ status: 200, text: 'sealed' });
    expect(taken).toEqual([]);
  });

  it('is 503 when it could not be kept, so that it is sent again', async () => {
    take = () => Promise.reject(new Error('the disk is full'));
    expect(await ask(`/wh/${SECRET}`, 'POST', 'x')).toMatchObject({ status: 503 });
    expect(errors).toHaveLength(1);
  });
});

describe('what arrives', () => {
  it('is kept byte for byte, headers in their order and case', async () => {
    const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1');
    const { answer } = await raw(
      `POST /wh/${SECRET}/r HTTP/1.1\r\nHOST: x\r\nx-OdD: 1\r\nX-odd: \xe9\r\nEmpty:\r\ncontent-length: 256\r\n\r\n${body}`,
    );
    await eventually(() => expect(answer()).toContain('200 OK'));
    expect(taken[0]?.headers).toEqual([
      ['HOST', 'x'],
      ['x-OdD', '1'],
      ['X-odd', '\xe9'],
      ['Empty', ''],
      ['content-length', '256'],
    ]);
    expect(Buffer.from(taken[0]?.body ?? []).toString('latin1')).toBe(body);
  });

  it('may come in pieces, and with a question before the body', async () => {
    const { socket, answer } = await raw(
      `POST /wh/${SECRET} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    await eventually(() => expect(answer()).toContain('100 Continue'));
    for (const part of ['2\r\n{"', '\r\n3\r\na":', '\r\n2\r\n1}\r\n0\r\n\r\n']) socket.write(part);
    await eventually(() => expect(answer()).toContain('200 OK'));
    expect(Buffer.from(taken[0]?.body ?? []).toString()).toBe('{"a":1}');
  });

  it('may have 1 MiB and no more', async () => {
    expect(await ask(`/wh/${SECRET}`, 'POST', Buffer.alloc(MAX_WEBHOOK_BYTES, 1))).toMatchObject({
      status: 200,
    });
    expect(taken[0]?.body).toHaveLength(MAX_WEBHOOK_BYTES);
    const { answer, ended } = await raw(
      `POST /wh/${SECRET} HTTP/1.1\r\nhost: x\r\ncontent-length: ${MAX_WEBHOOK_BYTES + 1}\r\n\r\n`,
    );
    await ended;
    expect(answer()).toContain('413 ');
    expect(taken).toHaveLength(1);
  });

  it('may not be more than it said, without saying how much', async () => {
    const { socket, answer, ended } = await raw(
      `POST /wh/${SECRET} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    socket.write(`${(MAX_WEBHOOK_BYTES + 10).toString(16)}\r\n${'x'.repeat(MAX_WEBHOOK_BYTES + 10)}\r\n`);
    await ended;
    expect(answer()).toContain('413 ');
    expect(taken).toEqual([]);
  });

  it('may not have headers without end', async () => {
    const { answer, ended } = await raw(
      `POST /wh/${SECRET} HTTP/1.1\r\nhost: x\r\nbig: ${'x'.repeat(20_000)}\r\n\r\n`,
    );
    await ended;
    expect(answer()).toContain('431 ');
  });

  it('may not stop half-way: it is cut off, and nothing is kept', async () => {
    const { answer, ended } = await raw(
      `POST /wh/${SECRET} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf`,
    );
    await ended;
    expect(answer()).toContain('408 ');
    expect(taken).toEqual([]);
  });

  it('is not waited for by who does not know the secret', async () => {
    const { answer, ended } = await raw(
      `POST /wh/wrong HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n`,
    );
    await ended;
    expect(answer()).toContain('404 ');
    expect(answer()).not.toContain('100 Continue');
  });

  it('is too much at a time beyond a number', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    take = () => held.then(() => 200);
    const first = Array.from({ length: MAX_CONCURRENT }, () => ask(`/wh/${SECRET}`));
    await eventually(() => expect(taken).toHaveLength(MAX_CONCURRENT));
    expect(await ask(`/wh/${SECRET}`)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    release();
    expect((await Promise.all(first)).every(({ status }) => status === 200)).toBe(true);
  });

  it('listens on this machine alone, and says when a port is taken', async () => {
    const again = { port: receiver.port, orAnother: false, secret: SECRET, now: Date.now, onError: () => {} };
    const options = { ...again, probe: () => undefined, take: async () => 200 };
    await expect(startReceiver(options)).rejects.toMatchObject({ code: 'port-taken' });
    const other = await startReceiver({ ...options, orAnother: true });
    expect(other.port).not.toBe(receiver.port);
    await other.close();
    // There is no such port, which is not for want of permission.
    const none = startReceiver({ ...options, port: 70_000 });
    await expect(none).rejects.toMatchObject({ code: 'ERR_SOCKET_BAD_PORT' });
  });
});
