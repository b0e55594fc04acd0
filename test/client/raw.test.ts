import { describe, expect, it } from 'vitest';
import { endpointNames, endpointOf, pathOf } from '../../src/contract/endpoints.js';
import { resolvePath } from '../../src/client/app-path.js';
import { APP, caught, clientFor, httpServer, json } from '../helpers/servers.js';

const root = `/api/apps/${APP}`;

describe('a typed path', () => {
  it.each([
    ['/payments/7', `${root}/payments/7`],
    ['payments/7', `${root}/payments/7`],
    [`${root}/payments/7`, `${root}/payments/7`],
    ['/payments/referenceId:a b', `${root}/payments/referenceId:a%20b`],
    ['/payments/referenceId:a%2Fb', `${root}/payments/referenceId:a%2Fb`],
    ['/customers?limit=2&x=%20', `${root}/customers?limit=2&x=%20`],
    ['/custom%65rs', `${root}/customers`],
    ['/api/apps/other/payments', `${root}/api/apps/other/payments`],
  ])('%s becomes %s', (typed, path) => {
    expect(resolvePath('get', typed, APP).path).toBe(path);
  });

  it.each([
    'https://evil.example/x',
    '//evil.example/x',
    '\\\\evil.example',
    '/..',
    '/../other/payments',
    '/payments/../../other',
    '/%2e%2E/other',
    '/.%2e/x',
    '/payments/.',
    '/payments//7',
    '/payments/7#x',
    '/a\\b',
    '/a\nb',
    '/\ud800',
  ])('%j is refused', (typed) => {
    for (const method of ['GET', 'POST'])
      expect(() => resolvePath(method, typed, APP)).toThrow(/cannot be used/);
  });

  it('cannot hide a money verb from the guards', () => {
    for (const typed of [
      '/payments/7/refund',
      '/payments/7/%72efund',
      '/payments/7/refund/',
      '/Payments/7/REFUND',
      '/payments/7/refund?x=1',
    ]) {
      expect(resolvePath('post', typed, APP)).toMatchObject({
        endpoint: 'refundPayment',
        parameters: { paymentId: '7' },
        repeat: 'settle',
      });
    }
    for (const typed of [
      '/payments/7%2Frefund',
      '/payments%2f7/refund',
      '/payments/7/refund;x',
      '/payments/7%5Crefund',
    ]) {
      expect(() => resolvePath('POST', typed, APP)).toThrow(/encoded slash/);
    }
  });

  it('is repeated as the contract says, and sent once where it says nothing', () => {
    for (const name of endpointNames) {
      const { method, repeat } = endpointOf(name);
      const path = pathOf(name, {
        appId: APP,
        paymentId: '7',
        referenceId: 'r',
        customerId: 'c',
        paymentMethodId: '5',
        customerAutomaticProfileId: '6',
      });
      expect(resolvePath(method, path, APP)).toMatchObject({ endpoint: name, repeat, path });
    }
    expect(resolvePath('GET', '/reports', APP)).toMatchObject({ endpoint: undefined, repeat: 'read' });
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      expect(resolvePath(method, '/reports', APP)).toMatchObject({ endpoint: undefined, repeat: 'settle' });
    }
  });
});

describe('raw', () => {
  it('sends the body exactly and gives the answer as it is', async () => {
    const server = await httpServer((_seen, response) => json(response, 418, '{"n":10.10}', { 'x-a': 'b' }));
    const { last, endpoint } = await clientFor(server.url).raw('post', '/reports', {
      query: { 'a b': 'c&d' },
      body: { list: [1, 'x'] },
    });
    expect(last).toMatchObject({ kind: 'answer', status: 418, body: '{"n":10.10}', headers: { 'x-a': 'b' } });
    expect(endpoint).toBeUndefined();
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      url: `${root}/reports?a+b=c%26d`,
      body: '{"list":[1,"x"]}',
      headers: { 'content-type': 'application/json' },
    });
  });

  it('sends an unknown write once and a read again', async () => {
    const server = await httpServer((_seen, response) => json(response, 500, {}));
    const client = clientFor(server.url);
    await client.raw('PUT', '/reports');
    expect(server.requests).toHaveLength(1);
    await client.raw('GET', '/reports');
    expect(server.requests).toHaveLength(6);
  });

  it('refuses a bad path before anything is sent', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, {}));
    expect(await caught(clientFor(server.url).raw('GET', '/../x'))).toMatchObject({ name: 'UsageError' });
    expect(server.connections).toBe(0);
  });
});
