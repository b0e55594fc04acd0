import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createProbe, sendProbe } from '../../../src/webhooks/tunnels/probe.js';

describe('a probe', () => {
  it('is known to the one who asked, and answered so that the asker knows it', () => {
    const probe = createProbe();
    const { path, isAnswer } = probe.question();
    const answer = probe.answer('GET', path);
    expect(answer).toBeDefined();
    expect(isAnswer(answer as string)).toBe(true);
  });

  it('is nothing to another listener, so that nobody learns that one is here', () => {
    const [ours, theirs] = [createProbe(), createProbe()];
    expect(theirs.answer('GET', ours.question().path)).toBeUndefined();
  });

  it('asks something new each time, and takes only the answer to that', () => {
    const probe = createProbe();
    const [first, second] = [probe.question(), probe.question()];
    expect(first.path).not.toBe(second.path);
    const answer = probe.answer('GET', first.path) as string;
    expect(second.isAnswer(answer)).toBe(false);
  });

  it.each([
    ['another method', 'POST', (path: string) => path],
    ['a letter changed', 'GET', (path: string) => path.slice(0, -2) + (path.endsWith('A') ? 'BB' : 'AA')],
    ['its seal cut', 'GET', (path: string) => path.slice(0, -4)],
    ['no seal', 'GET', (path: string) => path.replace(/\..*/, '')],
    ['no nonce', 'GET', (path: string) => path.replace(/probe\/[^.]+/, 'probe/')],
    ['something more', 'GET', (path: string) => `${path}.x`],
    ['another place', 'GET', (path: string) => path.replace('.probe', 'probe')],
  ])('with %s is no probe', (_, method, change) => {
    const probe = createProbe();
    expect(probe.answer(method, change(probe.question().path))).toBeUndefined();
  });
});

describe('sending a probe', () => {
  async function sentTo(listener: RequestListener, timeoutMs = 2_000) {
    const probe = createProbe();
    const server = createServer(listener);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const why = await sendProbe({ probe, url, timeoutMs, signals: [] });
    server.closeAllConnections();
    server.close();
    return why;
  }

  it('comes back from the right place', async () => {
    const probe = createProbe();
    const server = createServer(
      (asked, response) => void response.end(probe.answer(asked.method, asked.url)),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await sendProbe({ probe, url, timeoutMs: 2_000, signals: [] })).toBeUndefined();
    server.close();
  });

  it('does not take its own words for an answer', async () => {
    expect(await sentTo((asked, response) => void response.end(asked.url))).toBe(
      'something else answers there',
    );
    const seal = (url = '') => url.split('.').at(-1);
    expect(await sentTo((asked, response) => void response.end(seal(asked.url)))).toBe(
      'something else answers there',
    );
  });

  it('follows nobody elsewhere', async () => {
    const why = await sentTo((_, response) => void response.writeHead(302, { location: '/elsewhere' }).end());
    expect(why).toBe('something else answers there (HTTP 302)');
  });

  it('waits only so long', async () => {
    expect(await sentTo(() => {}, 50)).toBe('no answer within 0.05 s');
    const slow: RequestListener = (_, response) => void response.writeHead(200).write('A');
    expect(await sentTo(slow, 50)).toBe('no answer within 0.05 s');
  });

  it('says so when nobody is there, and when the answer is cut', async () => {
    const probe = createProbe();
    const refused = { probe, url: 'http://127.0.0.1:9', timeoutMs: 2_000, signals: [] };
    expect(await sendProbe(refused)).toBe('the connection is refused');
    expect(await sentTo((asked) => void asked.socket.destroy())).toBe('the connection was cut');
  });

  it('ends when it is not needed any more', async () => {
    const gone = AbortSignal.abort();
    const why = await sendProbe({
      probe: createProbe(),
      url: 'http://127.0.0.1:9',
      timeoutMs: 60_000,
      signals: [gone],
    });
    expect(why).toBe('it was interrupted');
  });
});
