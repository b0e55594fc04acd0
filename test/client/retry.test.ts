import { describe, expect, it } from 'vitest';
import { exitCodeOf, InterruptedError, type PaydeskError } from '../../src/errors.js';
import { createRetryBudget, retryAfter } from '../../src/client/retry.js';
import {
  caught,
  clientFor,
  closedPort,
  http,
  httpServer,
  json,
  rawServer,
  virtualClock,
} from '../helpers/servers.js';

const payment = { paymentId: 7, paymentState: 'Captured' };
const read = { paymentId: '7' };
const charge = {
  referenceId: 'inv-1',
  amount: 10.23,
  autoCapture: true,
  customerOrder: { customer: { customerId: 'c' } },
};

describe('a read', () => {
  it.each([408, 425, 429, 500, 502, 503, 504])('is tried again after %s', async (status) => {
    const server = await httpServer((_seen, response, count) =>
      count < 3 ? json(response, status, {}) : json(response, 200, payment),
    );
    const { fields } = await clientFor(server.url).getPayment(read);
    expect(fields.paymentState).toBe('Captured');
    expect(server.requests).toHaveLength(3);
  });

  it('is tried again after a lost, cut or unreadable answer', async () => {
    const answers = [
      '',
      'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"pa',
      http('200 OK', '{"paymentId": 7, "payme'),
      http('200 OK', JSON.stringify(payment)),
    ];
    const server = await rawServer({ onRequest: (socket, count) => socket.end(answers[count - 1] ?? '') });
    expect((await clientFor(server.url).getPayment(read)).fields.paymentState).toBe('Captured');
    expect(server.requests).toBe(4);
  });

  it.each([400, 401, 403, 404, 409, 422, 301])('is not tried again after %s', async (status) => {
    const server = await httpServer((_seen, response) => json(response, status, {}));
    await caught(clientFor(server.url).getPayment(read));
    expect(server.requests).toHaveLength(1);
  });

  it('gives up after five attempts with a temporary error', async () => {
    const server = await httpServer((_seen, response) =>
      json(response, 503, { message: 'Down for repairs' }),
    );
    const clock = virtualClock();
    const error = await caught(clientFor(server.url, { clock, random: () => 1 }).getPayment(read));
    expect(exitCodeOf(error)).toBe(5);
    expect(error).toMatchObject({ httpStatus: 503, message: expect.stringContaining('Down for repairs') });
    expect(server.requests).toHaveLength(5);
    expect(clock.slept).toEqual([100, 200, 400, 800]);
  });

  it('spreads the waits by chance', async () => {
    const clock = virtualClock();
    const url = `http://127.0.0.1:${await closedPort()}`;
    const error = await caught(clientFor(url, { clock, random: () => 0.25 }).getPayment(read));
    expect(clock.slept).toEqual([25, 50, 100, 200]);
    expect(error).toMatchObject({ code: 'refused', name: 'TemporaryError' });
  });

  it('ends with the reason of whoever interrupted it', async () => {
    const server = await rawServer({});
    const controller = new AbortController();
    const pending = caught(clientFor(server.url, { signal: controller.signal }).getPayment(read));
    await expect.poll(() => server.requests).toBe(1);
    const reason = new InterruptedError('Stopped.', { code: 'interrupted' });
    controller.abort(reason);
    expect(await pending).toBe(reason);
    expect(server.requests).toBe(1);
  });
});

describe('Retry-After', () => {
  it('is waited for', async () => {
    const server = await httpServer((_seen, response, count) =>
      count === 1 ? json(response, 429, {}, { 'retry-after': '7' }) : json(response, 200, payment),
    );
    const clock = virtualClock();
    await clientFor(server.url, { clock }).getPayment(read);
    expect(clock.slept).toEqual([7_000]);
  });

  it('beyond the time for the call ends it at once and says how long', async () => {
    const server = await httpServer((_seen, response) => json(response, 429, {}, { 'retry-after': '3600' }));
    const clock = virtualClock();
    const error = await caught(clientFor(server.url, { clock }).getPayment(read));
    expect(clock.slept).toEqual([]);
    expect(error).toMatchObject({ name: 'TemporaryError', details: { retryAfterMs: 3_600_000 } });
  });

  it('is read as seconds or as a date by the clock of the server', () => {
    const now = Date.parse('2026-11-14T09:00:00Z');
    const at = 'Sat, 14 Nov 2026 09:00:30 GMT';
    expect(retryAfter({ 'retry-after': '12' }, now)).toBe(12_000);
    expect(retryAfter({ 'retry-after': at }, now)).toBe(30_000);
    expect(retryAfter({ 'retry-after': at, date: 'Sat, 14 Nov 2026 09:00:25 GMT' }, now)).toBe(5_000);
    expect(retryAfter({ 'retry-after': 'Sat, 14 Nov 2020 09:00:30 GMT' }, now)).toBe(0);
    expect(retryAfter({ 'retry-after': 'soon' }, now)).toBeUndefined();
    expect(retryAfter({}, now)).toBeUndefined();
  });
});

describe('the retry budget', () => {
  it('keeps an outage from being hammered', async () => {
    const server = await httpServer((_seen, response) => json(response, 503, {}));
    const client = clientFor(server.url);
    for (let n = 0; n < 50; n += 1) await caught(client.getPayment(read));
    expect(server.requests).toHaveLength(60);
  });

  it('comes back with calls that go through', () => {
    const budget = createRetryBudget(2, 0.5);
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
    budget.succeeded();
    expect(budget.take()).toBe(false);
    budget.succeeded();
    expect(budget.take()).toBe(true);
    for (let n = 0; n < 100; n += 1) budget.succeeded();
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
  });
});

describe('a keyed create', () => {
  const created = { ...payment, referenceId: 'inv-1' };

  it('is sent again with the identical body after a dropped answer', async () => {
    const server = await httpServer((_seen, response, count) =>
      count === 1 ? response.destroy() : json(response, 201, created),
    );
    const body = { ...charge, currency: 'EUR', amount: 10.1 };
    const result = await clientFor(server.url).createPayment('plain', body);
    expect(result).toMatchObject({ created: 'unknown', attempts: 2, earlierMayHaveArrived: true });
    expect(server.requests).toHaveLength(2);
    expect(server.requests[0]?.body).toBe(JSON.stringify(body));
    expect(server.requests[1]?.body).toBe(server.requests[0]?.body);
    expect(server.requests[1]?.url).toBe(server.requests[0]?.url);
  });

  it.each<[number, unknown, boolean | 'unknown']>([
    [201, created, true],
    [200, created, false],
    [202, '', 'unknown'],
    [409, { code: 'reference-conflict' }, false],
  ])('%s says whether it was made', async (status, body, expected) => {
    const server = await httpServer((_seen, response) => json(response, status, body));
    const result = await clientFor(server.url).createPayment('plain', { ...charge, currency: 'EUR' });
    expect(result.created).toBe(expected);
    expect(result.conflict?.code).toBe(status === 409 ? 'reference-conflict' : undefined);
    expect(result.value?.fields.referenceId).toBe(status <= 201 ? 'inv-1' : undefined);
  });

  it('a charge is never called made by its 200', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, created));
    expect((await clientFor(server.url).charge(charge)).created).toBe('unknown');
  });

  it('a conflict after a lost answer may be with ourselves', async () => {
    const server = await httpServer((_seen, response, count) =>
      count === 1 ? response.destroy() : json(response, 409, { message: 'In use' }),
    );
    const result = await clientFor(server.url).charge(charge);
    expect(result).toMatchObject({ created: 'unknown', conflict: { message: 'In use' }, value: undefined });
  });

  it('is unknown (6) when every answer is lost or 5xx, temporary (5) when it never left', async () => {
    const lost = await rawServer({ onRequest: (socket) => socket.resetAndDestroy() });
    const error = await caught(clientFor(lost.url).charge(charge));
    expect(exitCodeOf(error)).toBe(6);
    expect(lost.requests).toBe(5);
    const broken = await httpServer((_seen, response) => json(response, 500, {}));
    expect(exitCodeOf(await caught(clientFor(broken.url).charge(charge)))).toBe(6);
    const saying = await httpServer((_seen, response) => json(response, 500, { message: 'It broke.' }));
    expect(await caught(clientFor(saying.url).charge(charge))).toMatchObject({
      message: expect.stringContaining('answered 500: It broke.\nRunning it again') as string,
    });
    const closed = `http://127.0.0.1:${await closedPort()}`;
    expect(exitCodeOf(await caught(clientFor(closed).charge(charge)))).toBe(5);
    const busy = await httpServer((_seen, response) => json(response, 429, {}));
    expect(exitCodeOf(await caught(clientFor(busy.url).charge(charge)))).toBe(5);
    const both = await httpServer((_seen, response, count) =>
      count === 1 ? response.destroy() : json(response, 429, {}),
    );
    expect(exitCodeOf(await caught(clientFor(both.url).charge(charge)))).toBe(6);
  });

  it('shows an answer with another reference to nobody', async () => {
    const server = await httpServer((_seen, response) =>
      json(response, 201, { ...created, referenceId: 'x' }),
    );
    expect(await clientFor(server.url).charge(charge)).toMatchObject({
      created: 'unknown',
      value: undefined,
    });
  });
});

describe('a repeatable call', () => {
  it('a 404 says of a DELETE whose earlier answer was lost that it was repeated', async () => {
    for (const firstStatus of [0, 500]) {
      const server = await httpServer((_seen, response, count) => {
        if (count > 1) json(response, 404, {});
        else if (firstStatus === 0) response.destroy();
        else json(response, firstStatus, {});
      });
      const client = clientFor(server.url);
      expect(await client.removePaymentMethod('c', '5')).toEqual({ attempts: 2, repeated: true });
    }
  });

  it('a 404 is an error on the first, nor after attempts that were turned away', async () => {
    const missing = await httpServer((_seen, response) => json(response, 404, {}));
    const error = (await caught(clientFor(missing.url).stopAutoPayment('c', '5'))) as PaydeskError;
    expect(error).toMatchObject({ name: 'ServiceError', code: 'not-found' });
    const busy = await httpServer((_seen, response, count) => json(response, count === 1 ? 429 : 404, {}));
    expect(await caught(clientFor(busy.url).removePaymentMethod('c', '5'))).toMatchObject({
      code: 'not-found',
    });
    expect(busy.requests).toHaveLength(2);
  });

  it.each([200, 204])('any 2xx is success (%s)', async (status) => {
    const server = await httpServer((_seen, response) => void response.writeHead(status).end());
    expect(await clientFor(server.url).removePaymentMethod('c', '5')).toEqual({
      attempts: 1,
      repeated: false,
    });
  });

  it.each([
    ['a failure', 200, '{"success":false,"error":{"message":"not allowed"}}', 'odd-answer'],
    ['that nothing was deleted', 200, '{"deleted":false}', 'odd-answer'],
    ['a page', 200, '<html>Please log in</html>', 'odd-answer'],
    ['a list', 200, '[]', 'odd-answer'],
    ['a no', 200, 'false', 'odd-answer'],
    ['that it is queued', 202, '', 'not-confirmed'],
    ['that it is pending', 200, '{"status":"pending"}', 'not-confirmed'],
  ])('a DELETE is not done when a 2xx says: %s', async (_name, status, body, code) => {
    const server = await httpServer((_seen, response) => json(response, status, body));
    expect(await caught(clientFor(server.url).stopAutoPayment('c', '5'))).toMatchObject({ code });
    expect(server.requests).toHaveLength(1);
  });

  it('recheck and update are sent again', async () => {
    const server = await httpServer((_seen, response, count) =>
      count % 2 === 1 ? response.destroy() : response.writeHead(204).end(),
    );
    const client = clientFor(server.url);
    expect(await client.recheck('7')).toMatchObject({ value: undefined, attempts: 2 });
    expect(await client.updateCustomer('c', { firstName: 'A' })).toMatchObject({
      value: undefined,
      attempts: 2,
    });
    expect(server.requests[3]).toMatchObject({ method: 'PATCH', body: '{"firstName":"A"}' });
  });
});
