import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import Doctor from '../../src/commands/doctor.js';
import ProfilesAdd from '../../src/commands/profiles/add.js';
import SandboxBooks from '../../src/commands/sandbox/books.js';
import type { Diagnosis } from '../../src/doctor/check.js';
import { runInProcess } from '../helpers/in-process.js';
import { startProxy, type ProxyBehaviour, type TestProxy } from '../helpers/proxy.js';
import {
  makeCertificates,
  SERVICE_HOST,
  startTlsFront,
  type Certificates,
  type TlsFront,
} from '../helpers/tls.js';
import { closedPort } from '../client/servers.js';
import { envOf, openTestDesk, payments, type TestDesk, type Verb } from './payments/desk.js';

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

async function run(verb: Verb, args: Array<string | number>, env: Record<string, string>) {
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

  it('refuses a proxy that is none, without repeating it', async () => {
    const HTTPS_PROXY = `socks5://desk:${PASSWORD}@127.0.0.1:1080`;
    const { code, stderr } = await run('get', ['id:1'], { ...remote(), HTTPS_PROXY });
    expect(code).toBe(2);
    expect(stderr).toContain('HTTPS_PROXY is invalid. Nothing was sent.');
  });
});

describe('what does not go through a proxy', () => {
  const everything = () => ({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url });

  it('a service on this machine, unless NO_PROXY is set and empty', async () => {
    const { paymentId } = await desk.paid();
    const env = { ...envOf(desk.sandbox), ...everything() };
    expect((await run('get', [paymentId], env)).code).toBe(0);
    expect(await proxy.seen()).toEqual([]);
    const HTTP_PROXY = `http://desk:${PASSWORD}@127.0.0.1:${proxy.port}`;
    expect((await run('get', [paymentId], { ...env, HTTP_PROXY, NO_PROXY: '' })).code).toBe(0);
    expect(await proxy.seen()).toMatchObject([{ kind: 'forward', method: 'GET' }]);
  });

  it('a service that NO_PROXY has', async () => {
    const { code } = await run('get', ['id:1'], { ...remote(), NO_PROXY: SERVICE_HOST });
    // Nobody but the proxy knows that name.
    expect(code).toBe(5);
    expect(await proxy.seen()).toEqual([]);
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
      message: 'No proxy is used: HTTP_PROXY is not set.',
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
