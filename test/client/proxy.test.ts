import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SendRequest } from '../../src/client/exchange.js';
import { routeTo, type Proxy } from '../../src/client/proxy.js';
import { createTransport, type TransportTimeouts } from '../../src/client/transport.js';
import { startProxy, type ProxyBehaviour, type TestProxy } from '../helpers/proxy.js';
import { makeCertificates, SERVICE_HOST, startTlsFront, type Certificates } from '../helpers/tls.js';
import { cleanUp } from '../helpers/clean-up.js';
import { outline, sendOne } from './one-request.js';
import { closedPort, http, httpServer, json, rawServer } from '../helpers/servers.js';

const through = (url: string, env: Record<string, string>) => routeTo(url, env).proxy?.address;
const SERVICE = 'https://payments.example.com';

describe('which proxy is used', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    [SERVICE, {}, undefined],
    [SERVICE, { HTTPS_PROXY: 'http://proxy:3128' }, 'http://proxy:3128'],
    [SERVICE, { https_proxy: 'http://proxy:3128' }, 'http://proxy:3128'],
    [SERVICE, { https_proxy: 'http://lower:1', HTTPS_PROXY: 'http://upper:2' }, 'http://lower:1'],
    [SERVICE, { https_proxy: '', HTTPS_PROXY: 'http://upper:2' }, undefined],
    [SERVICE, { HTTPS_PROXY: 'proxy:3128' }, 'http://proxy:3128'],
    [SERVICE, { HTTPS_PROXY: 'https://proxy:3129' }, 'https://proxy:3129'],
    [SERVICE, { HTTPS_PROXY: 'http://user:secret@proxy:3128' }, 'http://proxy:3128'],
    // A proxy for plain http is not one for https.
    [SERVICE, { HTTP_PROXY: 'http://proxy:3128' }, undefined],
    // A proxy could read the key of a plain request, so it never gets one.
    ['http://127.0.0.1:4010', { HTTP_PROXY: 'http://proxy:3128', NO_PROXY: '' }, undefined],
    ['http://127.0.0.1:4010', { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '' }, undefined],
  ])('%s with %j goes through %s', (url, env, expected) => {
    expect(through(url, env)).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    [SERVICE, 'payments.example.com', false],
    [SERVICE, 'PAYMENTS.example.com.', false],
    [SERVICE, 'example.com', false],
    [SERVICE, '.example.com', false],
    [SERVICE, '*.example.com', false],
    ['https://example.com', '*.example.com', true],
    ['https://example.com', '.example.com', false],
    [SERVICE, 'other.org, example.com', false],
    [SERVICE, 'other.org example.com', false],
    [SERVICE, '*', false],
    [SERVICE, 'example.com:443', false],
    [SERVICE, 'example.com:8443', true],
    [`${SERVICE}:8443`, 'example.com:8443', false],
    [SERVICE, 'ample.com', true],
    [SERVICE, 'other.org', true],
    [SERVICE, '', true],
    ['https://[2001:db8::1]', '2001:db8::1', false],
    ['https://[2001:db8::1]:8443', '[2001:db8::1]:8443', false],
    ['https://[2001:db8::2]', '2001:db8::1', true],
  ])('%s with NO_PROXY=%j is proxied: %s', (url, NO_PROXY, expected) => {
    const env = { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY };
    expect(through(url, env) !== undefined).toBe(expected);
    const { NO_PROXY: no_proxy, ...rest } = env;
    expect(through(url, { ...rest, no_proxy }) !== undefined).toBe(expected);
  });

  it.each(['https://localhost:4010', 'https://[::1]:4010', 'https://127.8.9.1'])(
    'never for %s, unless NO_PROXY is set and empty',
    (url) => {
      const env = { HTTPS_PROXY: 'http://proxy:3128' };
      expect(through(url, env)).toBeUndefined();
      expect(through(url, { ...env, NO_PROXY: 'other.org' })).toBeUndefined();
      expect(through(url, { ...env, NO_PROXY: '' })).toBe('http://proxy:3128');
    },
  );

  it.each([
    'socks5://user:hunter22@proxy:1080',
    'http://',
    'http://:hunter22@',
    'http://user:hunter22@proxy:x',
  ])('refuses %s without repeating it', (HTTPS_PROXY) => {
    const refuse = () => routeTo(SERVICE, { HTTPS_PROXY });
    expect(refuse).toThrow('HTTPS_PROXY is invalid. Nothing was sent.');
    expect(refuse).not.toThrow(/hunter22/);
  });
});

let certificates: Certificates;
let proxy: TestProxy;
beforeAll(async () => {
  certificates = makeCertificates();
  proxy = await startProxy();
});
afterAll(async () => {
  certificates.remove();
  await proxy.stop();
});
beforeEach(() => proxy.seen());

async function carefulProxy(): Promise<TestProxy> {
  const started = await startProxy('desk:hunter22');
  cleanUp(() => started.stop());
  return started;
}

const proxyOf = ({ port }: { port: number }, login = ''): Proxy =>
  routeTo(SERVICE, { HTTPS_PROXY: `http://${login}127.0.0.1:${port}` }).proxy!;

/** A service behind TLS that only the proxy leads to. */
async function securedService({ port }: { port: number }, behaviour?: ProxyBehaviour): Promise<string> {
  const front = await startTlsFront(certificates, port);
  cleanUp(() => front.stop());
  return `https://${behaviour === undefined ? '' : `${behaviour}.`}${SERVICE_HOST}:${front.port}`;
}

/** Long enough for a busy machine, where a test is not about them. */
const patient: TransportTimeouts = { connectMs: 60_000, headersMs: 60_000, bodyMs: 60_000 };

function sender(baseUrl: string, through: Proxy, timeouts: Partial<TransportTimeouts> = {}) {
  const tls = { ca: readFileSync(certificates.caFile, 'utf8') };
  const transport = createTransport({
    baseUrl,
    connection: { proxy: through, tls },
    timeouts: { ...patient, ...timeouts },
  });
  cleanUp(() => transport.close());
  return (request: Partial<SendRequest> = {}) => sendOne(transport, request);
}

describe.each([true, false])('how far a request got through a tunnel, fresh: %s', (fresh) => {
  it('is answered, and the proxy sees only the host', async () => {
    const service = await httpServer((_seen, response) => json(response, 200, { fine: true }));
    const careful = await carefulProxy();
    const send = sender(await securedService(service), proxyOf(careful, 'desk:hunter22@'));
    const headers = { authorization: 'Bearer key' };
    expect(outline(await send({ fresh, headers }))).toBe('answer 200');
    expect(service.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
    expect(service.requests[0]?.headers).toMatchObject(headers);
    const seen = await careful.seen();
    expect(seen).toMatchObject([{ kind: 'connect' }]);
    expect(JSON.stringify(seen)).not.toContain('Bearer');
  });

  it.each<[ProxyBehaviour, string]>([
    ['answers-403', 'unsent proxy-refused'],
    ['answers-502', 'unsent proxy-refused'],
    ['answers-503', 'unsent proxy-refused'],
    ['hangs-up', 'unsent proxy-unreachable'],
    ['closes', 'unsent proxy-unreachable'],
    ['garbage', 'unsent proxy-unreachable'],
    ['silent', 'unsent connect-timeout'],
    ['cuts-tunnel', 'unsent reset'],
  ])('is unsent when the proxy answers CONNECT like this: %s', async (behaviour, expected) => {
    const service = await rawServer({});
    const send = sender(await securedService(service, behaviour), proxyOf(proxy), { connectMs: 500 });
    expect(outline(await send({ fresh }))).toBe(expected);
    expect(service.requests).toBe(0);
  });

  it.each(['', 'desk:wrong-password@'])('is unsent without the right credentials: %j', async (given) => {
    const service = await rawServer({});
    const send = sender(await securedService(service), proxyOf(await carefulProxy(), given));
    const exchange = await send({ fresh });
    expect(exchange).toMatchObject({
      kind: 'unsent',
      failure: { reason: 'proxy-credentials', permanent: true },
    });
    expect(JSON.stringify(exchange)).not.toMatch(/wrong-password|desk:/);
    expect(service.connections).toBe(0);
  });

  it('is unsent when there is no proxy', async () => {
    const send = sender(`https://${SERVICE_HOST}`, proxyOf({ port: await closedPort() }));
    const exchange = await send({ fresh });
    expect(exchange).toMatchObject({ kind: 'unsent', failure: { reason: 'proxy-unreachable' } });
    expect(exchange).toHaveProperty('failure.message', expect.stringContaining('refused'));
  });

  it('is unsent when the certificate behind the proxy cannot be trusted', async () => {
    const service = await rawServer({});
    const baseUrl = await securedService(service);
    const transport = createTransport({ baseUrl, connection: { proxy: proxyOf(proxy) } });
    cleanUp(() => transport.close());
    const exchange = await transport.send({ method: 'POST', path: '/', headers: {}, fresh, limitMs: 5_000 });
    expect(exchange).toMatchObject({ kind: 'unsent', failure: { reason: 'tls', permanent: true } });
    expect(service.requests).toBe(0);
  });

  it.each<[string, NonNullable<Parameters<typeof rawServer>[0]['onRequest']>, string]>([
    ['a reset', (socket) => socket.resetAndDestroy(), 'lost closed'],
    ['an early end', (socket) => socket.end(), 'lost closed'],
    ['half an answer', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'), 'lost'],
    ['silence', () => undefined, 'lost headers-timeout'],
    ['a 502 of the service', (socket) => socket.end(http('502 Bad Gateway', '')), 'answer 502'],
  ])('may have arrived after %s, and is sent once', async (_name, onRequest, expected) => {
    const service = await rawServer({ onRequest });
    const send = sender(await securedService(service), proxyOf(proxy), { headersMs: 300 });
    expect(outline(await send({ fresh, body: '{"n":1}' }))).toContain(expected);
    expect(service.requests).toBe(1);
  });

  it('may have arrived when the proxy dies afterwards', async () => {
    const service = await rawServer({});
    const mortal = await carefulProxy();
    const send = sender(await securedService(service), proxyOf(mortal, 'desk:hunter22@'));
    const pending = send({ fresh });
    await expect.poll(() => service.requests).toBe(1);
    await mortal.stop();
    expect(outline(await pending)).toMatch(/^lost (closed|reset)$/);
  });

  it('is not written when it was given up while the tunnel was being made', async () => {
    const service = await rawServer({});
    const send = sender(await securedService(service, 'silent'), proxyOf(proxy));
    const giveUp = new AbortController();
    const pending = send({ fresh, signal: giveUp.signal });
    await expect.poll(() => proxy.seen()).toHaveLength(1);
    giveUp.abort();
    expect(outline(await pending)).toBe('unsent aborted');
    expect(service.connections).toBe(0);
  });

  it('asks right before the first byte, after the tunnel is there', async () => {
    const service = await rawServer({});
    const send = sender(await securedService(service), proxyOf(proxy));
    expect(outline(await send({ fresh, beforeFirstByte: () => false }))).toBe('unsent late');
    expect(await proxy.seen()).toHaveLength(1);
    expect(service.requests).toBe(0);
  });
});
