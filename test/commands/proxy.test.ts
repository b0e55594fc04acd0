import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import Doctor from '../../src/commands/doctor.js';
import ProfilesAdd from '../../src/commands/profiles/add.js';
import SandboxBooks from '../../src/commands/sandbox/books.js';
import WebhookSend from '../../src/commands/webhook/send.js';
import type { Diagnosis } from '../../src/doctor/check.js';
import { runInProcess } from '../helpers/in-process.js';
import { envOf, openTestDesk, payments, temporaryHome, type TestDesk } from '../helpers/desk.js';
import { eventually, startReceiver, startTestSandbox } from '../helpers/sandbox.js';
import { startProxy, type ProxyBehaviour, type TestProxy } from '../helpers/proxy.js';
import {
  makeCertificates,
  SERVICE_HOST,
  startTlsFront,
  type Certificates,
  type TlsFront,
} from '../helpers/tls.js';
import { closedPort } from '../helpers/servers.js';

const PASSWORD = 'hunter22-of-the-proxy';
const TOKEN = Buffer.from(`desk:${PASSWORD}`).toString('base64');

let certificates: Certificates;
let desk: TestDesk;
let front: TlsFront;
let proxy: TestProxy;
beforeAll(async () => {
  certificates = makeCertificates();
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, readFileSync(certificates.caFile, 'utf8')]);
  desk = await openTestDesk();
  front = await startTlsFront(certificates, Number(new URL(desk.sandbox.url).port));
  proxy = await startProxy(`desk:${PASSWORD}`);
  return () => setDefaultCACertificates(trusted);
});
afterAll(async () => {
  await proxy.stop();
  await front.stop();
  await desk.sandbox.close();
  certificates.remove();
});
beforeEach(async () => {
  await proxy.seen();
  desk.requests();
});

/** The app of the sandbox, where only the proxy leads to it. */
const remote = (login = `desk:${PASSWORD}@`, behaviour?: ProxyBehaviour) => ({
  ...envOf(desk.sandbox),
  PAYDESK_BASE_URL: `https://${behaviour ? `${behaviour}.` : ''}${SERVICE_HOST}:${front.port}`,
  HTTPS_PROXY: `http://${login}127.0.0.1:${proxy.port}`,
});

async function run(verb: string, args: Array<string | number>, env: Record<string, string>) {
  const ran = await payments(env, verb, args);
  for (const secret of [PASSWORD, TOKEN]) expect(ran.stdout + ran.stderr).not.toContain(secret);
  return ran;
}

async function doctor(env: Record<string, string>) {
  const ran = await runInProcess(Doctor, ['--json', '--debug'], { env, now: new Date() });
  for (const secret of [PASSWORD, TOKEN]) expect(ran.stdout + ran.stderr).not.toContain(secret);
  const { checks } = JSON.parse(ran.stdout) as Diagnosis;
  return { ...ran, of: (name: string) => checks.find((check) => check.name === name) };
}

describe('money through a proxy', () => {
  it('is moved once, and --debug names the proxy without its credentials', async () => {
    const { paymentId } = await desk.paid();
    const { code, stderr } = await run('refund', [`id:${paymentId}`, '--debug', '--wait'], remote());
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain(`proxy http://127.0.0.1:${proxy.port} (HTTPS_PROXY)`);
    expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
    // One tunnel for the reads, and one of its own for the refund.
    const seen = await proxy.seen();
    expect(seen.length).toBeGreaterThan(1);
    expect(new Set(seen.map(({ target }) => target))).toEqual(new Set([`${SERVICE_HOST}:${front.port}`]));
  });

  it.each<[string, ProxyBehaviour | undefined, string, RegExp]>([
    ['does not know the service', 'answers-502', `desk:${PASSWORD}@`, /could not connect to .*HTTP 502/],
    ['refuses it', 'answers-403', `desk:${PASSWORD}@`, /refused to connect to .*HTTP 403/],
    ['hangs up', 'hangs-up', `desk:${PASSWORD}@`, /the proxy http:\S+ could not be used/],
    ['asks for credentials', undefined, '', /asks for a user name and a password \(HTTP 407\)/],
    [
      'wants others',
      undefined,
      `desk:${PASSWORD}x@`,
      /did not accept the user name and the password in HTTPS_/,
    ],
  ])('does not leave when the proxy %s: exit 5', async (_name, behaviour, login, message) => {
    const { paymentId } = await desk.paid();
    desk.requests();
    const { code, stderr } = await run('refund', [`id:${paymentId}`], remote(login, behaviour));
    expect({ code, stderr: stderr.replaceAll('\n', ' ') }).toEqual({
      code: 5,
      stderr: expect.stringMatching(message) as string,
    });
    expect(stderr).toContain('Nothing was sent');
    expect(desk.requests()).toEqual([]);
  });

  it.each<[ProxyBehaviour, RegExp]>([
    ['later-answers-502', /could not connect to .*HTTP 502/],
    ['later-answers-407', /did not accept the user name and the password in HTTPS_PROXY/],
    ['later-answers-403', /refused to connect to .*HTTP 403/],
    ['later-hangs-up', /the proxy \S+ could not be used/],
    ['later-garbage', /the proxy \S+ could not be used/],
  ])(
    'does not leave when only its own tunnel fails (%s), and may be sent again',
    async (behaviour, message) => {
      const { paymentId } = await desk.paid();
      desk.requests();
      const PAYDESK_HOME = temporaryHome();
      const failing = { ...remote(undefined, behaviour), PAYDESK_HOME };
      const { code, stderr } = await run('refund', [`id:${paymentId}`], failing);
      expect({ code, stderr: stderr.replaceAll(/\s+/g, ' ') }).toEqual({
        code: 5,
        stderr: expect.stringMatching(message) as string,
      });
      expect(stderr).toContain('Nothing was sent');
      const seen = desk.requests();
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.filter((line) => !line.startsWith('GET '))).toEqual([]);
      const again = await run('refund', [`id:${paymentId}`, '--wait'], { ...remote(), PAYDESK_HOME });
      expect(again.code).toBe(0);
      expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
    },
  );

  const verbs = ['refund', 'capture', 'cancel', 'unhold'] as const;
  const lost = [
    ['drop-after-commit', true],
    ['error-after-commit', true],
    ['truncate', true],
    ['drop-before-commit', false],
    ['error-before-commit', false],
  ] as const;
  // Each verb and each way once; the matrix through a proxy has all of them.
  it.each(lost.map(([kind, isDone], at) => [verbs[at % verbs.length]!, kind, isDone] as const))(
    'a %s whose answer is lost (%s) is sent once, however often it is asked for',
    async (verb, kind, isDone) => {
      const make = {
        refund: desk.paid,
        capture: desk.authorised,
        cancel: desk.authorised,
        unhold: desk.held,
      };
      const { paymentId } = await make[verb]();
      await desk.fault({ kind, route: verb, next: 1 });
      desk.requests();
      const env = { ...remote(), PAYDESK_HOME: temporaryHome() };
      const { code, json } = await run(verb, [`id:${paymentId}`, '--json'], env);
      expect(code).toBe(isDone ? 0 : 6);
      expect(isDone ? ['done', 'accepted'] : ['unknown']).toContain(json.outcome);
      await run(verb, [`id:${paymentId}`, '--json'], env);
      await run(verb, [`id:${paymentId}`, '--again', '--json'], env);
      const sent = desk.requests().filter((line) => line.startsWith('POST ') && !line.includes('/recheck'));
      expect(sent).toHaveLength(1);
      expect(sent[0]).toContain(`/${verb}`);
    },
  );

  it('does not leave when the time is up before its own tunnel is open, and may be sent again', async () => {
    const { paymentId } = await desk.paid();
    desk.requests();
    const PAYDESK_HOME = temporaryHome();
    const failing = { ...remote(undefined, 'later-silent'), PAYDESK_HOME };
    const { code, stderr } = await run('refund', [`id:${paymentId}`, '--timeout', '1500ms'], failing);
    expect([code, stderr]).toEqual([8, expect.stringContaining('Nothing was sent')]);
    expect(desk.requests().filter((line) => !line.startsWith('GET '))).toEqual([]);
    const again = await run('refund', [`id:${paymentId}`, '--wait'], { ...remote(), PAYDESK_HOME });
    expect(again.code).toBe(0);
    expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
  });

  it('is moved once through a proxy that is reached by TLS', async () => {
    const tlsProxy = await startTlsFront(certificates, proxy.port);
    try {
      const { paymentId } = await desk.paid();
      const HTTPS_PROXY = `https://desk:${PASSWORD}@127.0.0.1:${tlsProxy.port}`;
      const env = { ...remote(), HTTPS_PROXY };
      expect((await run('refund', [`id:${paymentId}`, '--wait'], env)).code).toBe(0);
      expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
      expect((await proxy.seen()).every(({ kind }) => kind === 'connect')).toBe(true);
      expect(tlsProxy.clients.length).toBeGreaterThan(1);
      const { of } = await doctor(env);
      expect(of('proxy')).toMatchObject({
        status: 'pass',
        message: expect.stringContaining(`https://127.0.0.1:${tlsProxy.port} (HTTPS_PROXY)`) as string,
      });
    } finally {
      await tlsProxy.stop();
    }
  });

  it('does not leave when the certificate of such a proxy is not trusted', async () => {
    const { strangerCert, strangerKey } = certificates;
    const tlsProxy = await startTlsFront(certificates, proxy.port, {
      cert: readFileSync(strangerCert),
      key: readFileSync(strangerKey),
    });
    try {
      const HTTPS_PROXY = `https://desk:${PASSWORD}@127.0.0.1:${tlsProxy.port}`;
      const { code, stderr } = await run('refund', ['id:1'], { ...remote(), HTTPS_PROXY });
      expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
        5,
        expect.stringMatching(
          /Nothing was sent.*the TLS handshake failed|the TLS handshake failed.*Nothing was sent/,
        ),
      ]);
      expect(await proxy.seen()).toEqual([]);
    } finally {
      await tlsProxy.stop();
    }
  });

  it('refuses a proxy that is none, without repeating it', async () => {
    const HTTPS_PROXY = `socks5://desk:${PASSWORD}@127.0.0.1:1080`;
    const { code, stderr } = await run('get', ['id:1'], { ...remote(), HTTPS_PROXY });
    expect(code).toBe(2);
    expect(stderr).toContain('HTTPS_PROXY is invalid. Nothing was sent.');
  });
});

describe('what does not go through a proxy', () => {
  const everything = () => ({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url });

  it('a service with a plain http address, also where NO_PROXY is set and empty', async () => {
    const { paymentId } = await desk.paid();
    const env = { ...envOf(desk.sandbox), ...everything() };
    expect((await run('get', [paymentId], env)).code).toBe(0);
    expect(await proxy.seen()).toEqual([]);
    const HTTP_PROXY = `http://desk:${PASSWORD}@127.0.0.1:${proxy.port}`;
    expect((await run('get', [paymentId], { ...env, HTTP_PROXY, NO_PROXY: '' })).code).toBe(0);
    expect(await proxy.seen()).toEqual([]);
  });

  it('a service that NO_PROXY has', async () => {
    const { code } = await run('get', ['id:1'], { ...remote(), NO_PROXY: SERVICE_HOST });
    // Nobody but the proxy knows that name.
    expect(code).toBe(5);
    expect(await proxy.seen()).toEqual([]);
  });

  it('what forwards webhooks to a handler', async () => {
    const { paymentId } = await desk.paid();
    const receiver = await startReceiver();
    try {
      const HTTP_PROXY = `http://desk:${PASSWORD}@127.0.0.1:${proxy.port}`;
      const env = { ...envOf(desk.sandbox), HTTP_PROXY, NO_PROXY: '' };
      const words = [String(paymentId), '--to', receiver.url];
      expect(await runInProcess(WebhookSend, words, { env, now: new Date() })).toMatchObject({ code: 0 });
      expect(receiver.requests).toHaveLength(1);
      expect(await proxy.seen()).toEqual([]);
    } finally {
      await receiver.close();
    }
  });

  it('what a sandbox sends', async () => {
    const receiver = await startReceiver();
    vi.stubEnv('HTTP_PROXY', proxy.url);
    vi.stubEnv('NO_PROXY', '');
    const sandbox = await startTestSandbox();
    try {
      const { paymentId } = await sandbox.create({ webhookUrl: receiver.url });
      await sandbox.pay(paymentId);
      await sandbox.settle();
      await eventually(() => expect(receiver.requests.length).toBeGreaterThan(0));
      expect(await proxy.seen()).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
      await sandbox.close();
      await receiver.close();
    }
  });

  it('what controls a sandbox', async () => {
    await runInProcess(SandboxBooks, ['id:1'], { env: { ...everything(), NO_PROXY: '' } });
    expect(await proxy.seen()).toEqual([]);
  });
});

describe('profiles add', () => {
  it('tries the key through the proxy', async () => {
    const { PAYDESK_BASE_URL, PAYDESK_APP_ID, PAYDESK_API_KEY, HTTPS_PROXY } = remote() as Record<
      string,
      string
    >;
    const words = [
      'shop',
      '--base-url',
      PAYDESK_BASE_URL!,
      '--app-id',
      PAYDESK_APP_ID!,
      '--sandbox',
      '--api-key-stdin',
    ];
    const ran = await runInProcess(ProfilesAdd, words, {
      env: { HTTPS_PROXY: HTTPS_PROXY! },
      input: PAYDESK_API_KEY!,
    });
    expect(ran.stderr).toContain('The service accepted the key.');
    expect(await proxy.seen()).toMatchObject([{ kind: 'connect' }]);
  });
});

describe('doctor', () => {
  it('says that there is none', async () => {
    const { of } = await doctor(envOf(desk.sandbox));
    expect(of('proxy')).toEqual({
      name: 'proxy',
      status: 'pass',
      message: 'No proxy is used: the address is plain http, and a proxy could read the key.',
    });
  });

  it('tests the one that is used', async () => {
    const { code, of } = await doctor(remote());
    expect(code).toBe(0);
    const address = `http://127.0.0.1:${proxy.port}`;
    expect(of('proxy')).toEqual({
      name: 'proxy',
      status: 'pass',
      message: `Requests go through ${address} (HTTPS_PROXY), which connects to ${SERVICE_HOST}:${front.port}.`,
    });
    expect(of('dns')).toMatchObject({ status: 'pass', message: `The proxy looks up ${SERVICE_HOST}.` });
    expect(of('tls')).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('valid for') as string,
    });
    expect(of('service')).toMatchObject({ status: 'pass' });
  });

  it.each<[string, () => Promise<Record<string, string>>, string, string]>([
    ['wants credentials', async () => remote(''), 'HTTP 407', 'USER:PASSWORD'],
    ['refuses', async () => remote(undefined, 'answers-403'), 'HTTP 403', 'Ask for access'],
    [
      'is not there',
      async () => ({ ...remote(), HTTPS_PROXY: `http://desk:${PASSWORD}@127.0.0.1:${await closedPort()}` }),
      'refused',
      'Check HTTPS_PROXY',
    ],
  ])('fails with 5 and a fix when the proxy %s', async (_name, env, message, fix) => {
    const { code, of } = await doctor(await env());
    expect(code).toBe(5);
    expect(of('proxy')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining(message) as string,
      fix: expect.stringContaining(fix) as string,
    });
    expect(of('service')).toMatchObject({
      status: 'warn',
      message: 'Not checked: the proxy opened no connection.',
    });
  });
});
