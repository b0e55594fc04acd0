import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ClientEvent } from '../../src/client/call.js';
import { hideLinks } from '../../src/redact.js';
import {
  KEY,
  caught,
  clientFor,
  closedPort,
  everythingIn,
  http,
  httpServer,
  json,
  rawServer,
} from '../helpers/servers.js';

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('%s is an error, and the key goes nowhere else', async (status) => {
    const other = await httpServer((_seen, response) => json(response, 200, { paymentId: 7 }));
    const server = await httpServer(
      (_seen, response) => void response.writeHead(status, { location: `${other.url}/secret?t=1` }).end(),
    );
    const client = clientFor(server.url);
    const error = await caught(client.getPayment({ paymentId: '7' }));
    expect(error).toMatchObject({ name: 'ServiceError', code: 'redirected', httpStatus: status });
    expect((error as Error).message).toContain(`redirect to ${other.url} `);
    expect((error as Error).message).not.toContain('secret');
    expect((await client.operate('refund', '7')).kind).toBe('unknown');
    expect(other).toMatchObject({ connections: 0, requests: [] });
    expect(server.requests).toHaveLength(2);
  });
});

describe('the key', () => {
  it('is asked for once, and a key that no header can carry is refused before anything is sent', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, { paymentId: 7 }));
    let asked = 0;
    const client = clientFor(server.url, { apiKey: async () => `${KEY}${(asked += 1)}` });
    for (let n = 0; n < 3; n += 1) await client.getPayment({ paymentId: '7' });
    expect(asked).toBe(1);
    for (const key of ['', 'two words', 'line\nbreak', 'clé']) {
      const error = await caught(clientFor(server.url, { apiKey: () => key }).getPayment({ paymentId: '7' }));
      expect(error).toMatchObject({ name: 'ProfileError', code: 'bad-key' });
      if (key !== '') expect(everythingIn(error)).not.toContain(key);
    }
    expect(server.requests).toHaveLength(3);
  });

  it('appears in no event, error or answer, whatever goes wrong', async () => {
    const echo = `{"message":"unknown key ${KEY}","error":{"code":"${KEY}","requestId":"${KEY}"}}`;
    const servers = [
      (await httpServer((_seen, response) => json(response, 401, echo, { 'x-request-id': KEY }))).url,
      (await httpServer((_seen, response) => json(response, 500, echo))).url,
      (await httpServer((_seen, response) => json(response, 200, `{"paymentId":7,"note":"${KEY}"}`))).url,
      (await httpServer((_seen, response) => json(response, 200, `{"items":[{"customerId":"${KEY}"}]}`))).url,
      (await rawServer({ onRequest: (socket) => socket.resetAndDestroy() })).url,
      (await rawServer({ onRequest: (socket) => socket.end(`garbage ${KEY}\r\n\r\n`) })).url,
      (await rawServer({ onRequest: (socket) => socket.end(http('200 OK', `<title>${KEY}</title>`)) })).url,
      `http://127.0.0.1:${await closedPort()}`,
      'http://no-such-host.invalid',
    ];
    const events: ClientEvent[] = [];
    let shown = '';
    for (const url of servers) {
      const client = clientFor(url, { onEvent: (event) => events.push(event) });
      const body = {
        referenceId: 'r',
        amount: 1,
        autoCapture: true,
        customerOrder: { customer: { customerId: KEY } },
      };
      const calls = [
        () => client.getPayment({ paymentId: '7' }),
        () => client.operate('refund', '7'),
        () => client.charge(body),
        () => client.raw('GET', '/payments/7'),
        () => Array.fromAsync(client.listCustomers()),
      ];
      for (const call of calls) {
        const result = await call().catch((error: unknown) => error);
        shown += inspect(result, { depth: 20, showHidden: true }) + everythingIn(result);
      }
    }
    shown += inspect(events, { depth: 20, maxArrayLength: null, maxStringLength: null });
    expect(events.length).toBeGreaterThan(50);
    expect(shown).toContain('[redacted]');
    expect(shown).not.toContain(KEY);
  });
});

describe('events', () => {
  it('tell what happened, with links hidden', async () => {
    const server = await httpServer((_seen, response, count) => {
      if (count === 1) return json(response, 503, { message: 'Busy' });
      json(
        response,
        200,
        { paymentId: 7, redirectUrl: 'https://pay.example/checkout/SECRET?t=SECRET' },
        { 'x-request-id': 'r1' },
      );
    });
    const events: ClientEvent[] = [];
    await clientFor(server.url, { onEvent: (event) => events.push(event), random: () => 1 }).getPayment({
      paymentId: '7',
    });
    const about = { call: 1, method: 'GET', path: '/api/apps/app-1/payments/7' };
    expect(events).toMatchObject([
      { type: 'request', attempt: 1, ...about },
      { type: 'answer', attempt: 1, httpStatus: 503, body: '{"message":"Busy"}' },
      { type: 'retry', attempt: 1, waitMs: 100 },
      { type: 'request', attempt: 2 },
      { type: 'answer', attempt: 2, httpStatus: 200, requestId: 'r1' },
    ]);
    const last = events.at(-1);
    expect(last).toHaveProperty('body', '{"paymentId":7,"redirectUrl":"https://pay.example/[redacted]"}');
  });

  it('hide the panel link in every shape', async () => {
    for (const body of ['"https://p.example/SECRET"', '{"link":"https:\\/\\/p.example\\/SECRET"}']) {
      const server = await httpServer((_seen, response) => json(response, 200, body));
      const events: ClientEvent[] = [];
      const link = await clientFor(server.url, { onEvent: (event) => events.push(event) }).panelLink('c');
      expect(link.url).toBe('https://p.example/SECRET');
      expect(JSON.stringify(events)).not.toContain('SECRET');
    }
  });

  it.each([
    ['see https://a.example/x?y#z now', 'see https://a.example/[redacted] now'],
    ['http://user:pass@a.example:81/x', 'http://a.example:81/[redacted]'],
    ['"HTTPS://a.example"', '"HTTPS://a.example/[redacted]"'],
    ['no link', 'no link'],
  ])('%s', (text, hidden) => {
    expect(hideLinks(text)).toBe(hidden);
  });

  it('say how far a request got', async () => {
    const events: ClientEvent[] = [];
    const onEvent = (event: ClientEvent) => events.push(event);
    await clientFor(`http://127.0.0.1:${await closedPort()}`, { onEvent }).operate('refund', '7');
    const server = await rawServer({ onRequest: (socket) => socket.resetAndDestroy() });
    await clientFor(server.url, { onEvent }).operate('refund', '7');
    const failures = events.filter((event) => event.type === 'failure');
    expect(failures.at(0)).toMatchObject({ sent: 'no', reason: 'refused' });
    expect(failures.at(-1)).toMatchObject({ sent: 'maybe', reason: 'reset' });
  });
});
