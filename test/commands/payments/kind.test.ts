import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFlags, envOf, openTestDesk, payments, type TestDesk } from '../../helpers/desk.js';
import { newReference } from '../../helpers/sandbox.js';

// An app in the environment whose base URL is on loopback, and PAYDESK_KIND is not set.

let desk: TestDesk;
beforeAll(async () => {
  desk = await openTestDesk();
});
afterAll(() => desk.sandbox.close());

const unsaid = (kind: 'sandbox' | 'live') => {
  const { PAYDESK_KIND: _, ...env } = envOf(desk.sandbox, kind);
  return env as Record<string, string>;
};

async function captured(kind: 'sandbox' | 'live'): Promise<number> {
  const { appId, apiKey } = kind === 'live' ? desk.sandbox.live : desk.sandbox.app;
  const { paymentId } = await desk.sandbox.create({}, { appId, key: apiKey });
  await desk.sandbox.pay(paymentId);
  await desk.sandbox.settle();
  return paymentId;
}

describe('the service says which kind of app it is', () => {
  it('a test app needs no confirmation', async () => {
    const paymentId = await captured('sandbox');
    const { code, stderr } = await payments(unsaid('sandbox'), 'refund', [paymentId]);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('LIVE')]);
  });

  it('also of a sandbox that has no customers yet', async () => {
    const fresh = await openTestDesk();
    try {
      const { PAYDESK_KIND: _, ...env } = envOf(fresh.sandbox, 'sandbox');
      const created = await payments(env, 'create', createFlags(newReference()));
      expect([created.code, created.stderr]).toEqual([0, expect.not.stringContaining('LIVE')]);
      const { PAYDESK_KIND: __, ...live } = envOf(fresh.sandbox, 'live');
      const refused = await payments(live, 'create', createFlags(newReference()));
      expect(refused.code).toBe(9);
    } finally {
      await fresh.sandbox.close();
    }
  });

  it('a blocked app is told as such, and nobody is asked to confirm', async () => {
    const { appId } = desk.sandbox.app;
    await desk.sandbox.control('PATCH', `/apps/${appId}`, { isBlocked: true });
    const refused = await payments(unsaid('sandbox'), 'create', [...createFlags(newReference()), '--json']);
    await desk.sandbox.control('PATCH', `/apps/${appId}`, { isBlocked: false });
    expect([refused.code, refused.json['error']]).toMatchObject([
      4,
      { code: 'app-blocked', message: expect.stringContaining('is blocked') },
    ]);
    expect(refused.stderr).not.toContain('treats it as live');
  });

  it('a live app does', async () => {
    const paymentId = await captured('live');
    const refused = await payments(unsaid('live'), 'refund', [paymentId]);
    expect([refused.code, refused.stderr]).toEqual([9, expect.stringContaining('LIVE')]);
    expect(await desk.sandbox.books(paymentId)).not.toHaveProperty('refund');
    const { appId } = desk.sandbox.live;
    const confirmed = await payments(unsaid('live'), 'refund', [paymentId, '--confirm', appId]);
    expect(confirmed.code).toBe(0);
  });

  it('and a live app in CI needs a shared ledger', async () => {
    const paymentId = await captured('live');
    const { appId } = desk.sandbox.live;
    const words = [paymentId, '--confirm', appId, '--json'];
    const refused = await payments(unsaid('live'), 'refund', words, { env: { CI: 'true' } });
    expect([refused.code, refused.json['error']]).toMatchObject([9, { code: 'local-ledger' }]);
  });
});

describe('where it does not say, the app is live', () => {
  it.each([
    ['there is no customer', () => ({ status: 200, body: '{"items":[]}' })],
    ['customers do not show the app', () => ({ status: 200, body: '{"items":[{"customerId":"c1"}]}' })],
    ['customers must not be read', () => ({ status: 403, body: '' })],
    ['there are no customers at all', () => ({ status: 404, body: '' })],
  ])('%s', async (_, answer) => {
    const paymentId = await captured('sandbox');
    const { url, close } = await relay(desk.sandbox.url, answer);
    const env = { ...unsaid('sandbox'), PAYDESK_BASE_URL: url };
    const refused = await payments(env, 'refund', [paymentId]);
    expect(refused.code).toBe(9);
    expect(refused.stderr).toContain('so paydesk treats it as live');
    expect(refused.stderr).toContain('PAYDESK_KIND=sandbox');
    expect(await desk.sandbox.books(paymentId)).not.toHaveProperty('refund');
    const said = await payments({ ...env, PAYDESK_KIND: 'sandbox' }, 'refund', [paymentId]);
    expect(said.code).toBe(0);
    await close();
  });

  it('a key that is not accepted is told as such, and so is a service that does not answer', async () => {
    const wrongKey = { ...unsaid('sandbox'), PAYDESK_API_KEY: 'sk_wrong' };
    expect((await payments(wrongKey, 'refund', [1])).code).toBe(4);
    const nobody = { ...unsaid('sandbox'), PAYDESK_BASE_URL: 'http://127.0.0.1:9' };
    expect((await payments(nobody, 'refund', [1])).code).toBe(5);
  });
});

/** Passes everything on, but answers by itself what is asked of customers. */
async function relay(target: string, answer: () => { status: number; body: string }) {
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.includes('/customers')) {
      const { status, body } = answer();
      const isList = !/\/customers\/[^/?]+/.test(request.url);
      response.writeHead(status, { 'content-type': 'application/json' });
      return response.end(isList ? body : '{"customerId":"c1"}');
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { authorization = '' } = request.headers;
    const passed = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization, 'content-type': 'application/json' },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    response.writeHead(passed.status, { 'content-type': 'application/json' });
    return response.end(await passed.text());
  };
  const server = createServer((request, response) => void pass(request, response));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise<void>((closed) => void server.close(() => closed())),
  };
}
