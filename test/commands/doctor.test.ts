import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { execFileSync, spawnSync } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import Doctor from '../../src/commands/doctor.js';
import type { Check, Diagnosis } from '../../src/doctor/check.js';
import { checkNode } from '../../src/doctor/machine.js';
import { checkDns, checkTls } from '../../src/doctor/network.js';
import { openDeskDatabase } from '../../src/ledger/database.js';
import { openProfiles } from '../../src/profiles/store.js';
import { Secret } from '../../src/profiles/secret.js';
import { answerVariants } from '../../src/sandbox/answers.js';
import { closedPort, http, httpServer, json, rawServer } from '../helpers/servers.js';
import { cleanUp } from '../helpers/clean-up.js';
import { sql } from 'kysely';
import { describeWithPostgres } from '../helpers/postgres.js';
import { unprintable } from '../helpers/printable.js';
import { runTyped } from '../helpers/desk.js';
import { paydesk } from '../helpers/run.js';
import { temporaryFolder } from '../profiles/temporary-home.js';
import { parsed, openCustomersDesk, type CustomersDesk } from './customers/customers-desk.js';

const now = () => new Date();
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

async function examine(desk: CustomersDesk, env: Record<string, string> = {}, live = false) {
  const result = await desk.run(Doctor, ['--json'], {
    env: { PAYDESK_HOME: temporaryFolder(), ...env },
    live,
    now: now(),
  });
  const diagnosis = parsed(result) as Diagnosis;
  const of = (name: string): Check => diagnosis.checks.find((check) => check.name === name)!;
  return { ...result, diagnosis, of };
}

const failed = ({ checks }: Diagnosis) =>
  checks.filter(({ status }) => status === 'fail').map(({ name }) => name);

describe('doctor', async () => {
  const desk = await openCustomersDesk();

  it('passes where everything is well, and changes nothing', async () => {
    await desk.sandbox.call('POST', '/customers', { customerId: 'c1' });
    desk.asked();
    const { code, diagnosis, of } = await examine(desk);
    expect({ code, ok: diagnosis.ok, failed: failed(diagnosis) }).toEqual({ code: 0, ok: true, failed: [] });
    expect(diagnosis.checks.map(({ name }) => name)).toEqual([
      'node',
      'config',
      'modes',
      'keyring',
      'ledger',
      'profile',
      'proxy',
      'dns',
      'tls',
      'service',
      'clock',
      'key',
      'kind',
    ]);
    expect(new Set(diagnosis.checks.map(({ status }) => status))).toEqual(new Set(['pass']));
    expect(of('kind').message).toBe('The app is sandbox, as in the profile.');
    expect(desk.asked().every((line) => line.startsWith('GET '))).toBe(true);
  });

  it('fails where the address only sends us elsewhere', async () => {
    const server = await httpServer(
      (_seen, response) => void response.writeHead(307, { location: 'https://pay.example/api' }).end(),
    );
    const { code, diagnosis, of } = await examine(desk, { PAYDESK_BASE_URL: server.url });
    expect({ code, failed: failed(diagnosis) }).toEqual({ code: 5, failed: ['service'] });
    expect(of('service').message).toContain('a redirect to https://pay.example (HTTP 307)');
    expect(of('service').fix).toContain('Check the base URL');
    expect(of('key').message).toBe('Not checked: the service is elsewhere.');
  });

  it('ends where the list of customers never does', async () => {
    const server = await httpServer((_seen, response, count) =>
      json(response, 200, { items: [], nextCursor: `c${count}` }),
    );
    const { code, of } = await examine(desk, { PAYDESK_BASE_URL: server.url });
    expect(code).toBe(0);
    expect(of('key')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('3 empty pages in a row') as unknown,
    });
    expect(server.requests).toHaveLength(3);
  });

  it('is read at a glance on a terminal', async () => {
    const env = { PAYDESK_HOME: temporaryFolder(), PAYDESK_API_KEY: 'sk_wrong_key' };
    const { stdout, stderr, code } = await desk.run(Doctor, [], {
      terminal: true,
      columns: 120,
      env,
      now: now(),
    });
    expect(code).toBe(4);
    expect(stdout).toMatch(/^ {2}status +check +message\n {2}pass +node +Node 2\d/);
    expect(stdout).toMatch(/\n {2}fail +key +The service does not accept the API key/);
    expect(stdout).toMatch(/\nHow to fix it\n(.*\n)*? {2}key +Set PAYDESK_APP_ID and PAYDESK_API_KEY/);
    expect(stderr).toBe('Error: 1 check failed: key.\n');
    expect(unprintable(stdout, '\n')).toEqual([]);
  });

  it('warns when there is no customer to ask by', async () => {
    const empty = await openCustomersDesk();
    const { code, of } = await examine(empty);
    expect(code).toBe(0);
    expect(of('kind')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('no customer yet') as unknown,
    });
  });

  it('fails when the service is of the other kind', async () => {
    const { code, diagnosis, of } = await examine(desk, { PAYDESK_KIND: 'live' });
    expect(code).toBe(4);
    expect(failed(diagnosis)).toEqual(['kind']);
    expect(of('kind').fix).toBe('Set PAYDESK_KIND=sandbox');
  });

  it('fails for an app that is blocked', async () => {
    const blocked = await openCustomersDesk();
    await blocked.sandbox.call('POST', '/customers', { customerId: 'c1' });
    const { appId } = blocked.sandbox.app;
    await blocked.sandbox.control('PATCH', `/apps/${appId}`, { isBlocked: true });
    const { code, of } = await examine(blocked);
    expect(code).toBe(4);
    expect(of('key')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('is blocked') as unknown,
    });
  });

  it('fails without a profile, and says how to get one', async () => {
    const home = temporaryFolder();
    const { code, stdout } = await runTyped(['doctor', '--json'], { home });
    expect(code).toBe(4);
    const { checks } = JSON.parse(stdout) as Diagnosis;
    expect(checks.find(({ name }) => name === 'profile')).toMatchObject({
      status: 'fail',
      fix: 'paydesk sandbox start',
    });
    expect(checks.find(({ name }) => name === 'key')!.message).toContain('Not checked');
  });

  it('fails with 5 when the service is gone', async () => {
    const { code, diagnosis } = await examine(desk, {
      PAYDESK_BASE_URL: `http://127.0.0.1:${await closedPort()}`,
    });
    expect({ code, failed: failed(diagnosis) }).toEqual({ code: 5, failed: ['service'] });
  });

  it('fails with 5 when the service only has errors', async () => {
    const server = await httpServer((_seen, response) => json(response, 503, { message: 'tired' }));
    const { code, of } = await examine(desk, { PAYDESK_BASE_URL: server.url });
    expect(code).toBe(5);
    expect(of('service').message).toContain('tired');
    expect(of('clock').status).toBe('pass');
  });

  it('does not wait for a service that does not answer', async () => {
    const server = await rawServer({});
    const began = performance.now();
    const { code } = await examine(desk, { PAYDESK_BASE_URL: server.url });
    expect(code).toBe(5);
    expect(performance.now() - began).toBeLessThan(29_000);
  });

  it.each([
    [-3600, /is 60 min ahead of/],
    [10_800, /is 3 h behind/],
  ])('warns of a clock that differs by %s s', async (seconds, message) => {
    const date = new Date(Date.now() + seconds * 1000).toUTCString();
    const server = await rawServer({
      onRequest: (socket) =>
        socket.write(http('200 OK', '[]', [`date: ${date}`, 'content-type: application/json'])),
    });
    const { code, of } = await examine(desk, { PAYDESK_BASE_URL: server.url });
    expect(code).toBe(0);
    expect(of('clock')).toMatchObject({
      status: 'warn',
      fix: expect.stringContaining('Set the clock') as unknown,
    });
    expect(of('clock').message).toMatch(message);
  });

  it('warns when the service does not tell its time, and asks a customer for the app', async () => {
    const server = await httpServer((seen, response) => {
      response.sendDate = false;
      if (seen.url.includes('/customers/')) {
        return json(response, 200, {
          customerId: 'a',
          app: { appId: desk.sandbox.app.appId, isSandbox: true },
        });
      }
      return json(response, 200, { items: [{ customerId: 'a' }] });
    });
    const { of } = await examine(desk, { PAYDESK_BASE_URL: server.url });
    expect(of('clock').status).toBe('warn');
    expect(of('kind').status).toBe('pass');
  });

  it('fails when another app answers', async () => {
    const server = await httpServer((_seen, response) =>
      json(response, 200, [{ customerId: 'a', app: { appId: 'another' } }]),
    );
    const { code, of } = await examine(desk, { PAYDESK_BASE_URL: server.url });
    expect(code).toBe(4);
    expect(of('key').message).toContain('app another answered');
  });
});

describe.each(answerVariants.auth)('a wrong key that is refused in the way: %s', async (auth) => {
  const desk = await openCustomersDesk({ auth });
  const other = await openCustomersDesk({ auth, errors: 'html' });

  it('fails with 4', async () => {
    for (const [at, key] of [
      [desk, 'sk_wrong_key'],
      [desk, desk.sandbox.live.apiKey],
      [other, 'sk_wrong_key'],
    ] as const) {
      const { code, diagnosis } = await examine(at, { PAYDESK_API_KEY: key });
      expect({ code, failed: failed(diagnosis) }).toEqual({ code: 4, failed: ['key'] });
    }
  });
});

describe('the machine', async () => {
  const desk = await openCustomersDesk();
  const none = { PAYDESK_BASE_URL: '', PAYDESK_APP_ID: '', PAYDESK_API_KEY: '', PAYDESK_KIND: '' };

  async function stored(home: string) {
    const { appId, apiKey } = desk.sandbox.app;
    const profile = { name: 'shop', baseUrl: desk.sandbox.url, appId, kind: 'sandbox' as const };
    await openProfiles({ PAYDESK_HOME: home }).add({ ...profile, apiKey: new Secret(apiKey) });
  }

  it('warns of files that others can read, with the command that fixes it', async () => {
    const home = join(temporaryFolder(), "it's here");
    mkdirSync(home, { mode: 0o700 });
    await stored(home);
    const env = { ...none, PAYDESK_HOME: home };
    expect((await examine(desk, env)).of('modes').status).toBe('pass');

    const [key] = readdirSync(join(home, 'keys'));
    chmodSync(join(home, 'config.json'), 0o644);
    chmodSync(join(home, 'keys', key!), 0o640);
    chmodSync(home, 0o755);
    const result = await examine(desk, env);
    expect(result.code).toBe(0);
    const { status, message, fix } = result.of('modes');
    expect(status).toBe('warn');
    expect(message).toContain('config.json (0644)');
    execFileSync('sh', ['-c', fix!]);
    expect((await examine(desk, env)).of('modes').status).toBe('pass');
    expect(result.of('profile').message).toContain('Profile shop: sandbox app');
    expect(result.of('key').status).toBe('pass');
  });

  it('fails for a config that is broken, and keeps it', async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, 'config.json'), '{', { mode: 0o600 });
    const { code, diagnosis } = await examine(desk, { ...none, PAYDESK_HOME: home });
    expect({ code, failed: failed(diagnosis) }).toEqual({ code: 4, failed: ['config', 'profile'] });
  });

  it('says where keys go when there is no keyring', async () => {
    const { of } = await examine(desk);
    expect(of('keyring')).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('private files') as unknown,
    });
  });

  it.each([
    ['24.14.9', 'fail'],
    ['22.20.0', 'fail'],
    ['24.15.0', 'pass'],
    ['26.0.0', 'pass'],
  ])('Node %s: %s', (version, status) => {
    expect(checkNode(version, '>=24.15').status).toBe(status);
  });
});

describe('the way to the service', () => {
  it('looks names up', async () => {
    expect((await checkDns('http://localhost:1')).status).toBe('pass');
    expect((await checkDns('http://[::1]:1')).status).toBe('pass');
    expect(await checkDns('https://nowhere.invalid')).toMatchObject({ status: 'fail' });
  });

  it.skipIf(!hasOpenssl)('looks at the certificate', async () => {
    const folder = temporaryFolder();
    const key = join(folder, 'key.pem');
    const cert = join(folder, 'cert.pem');
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '5',
        '-keyout',
        key,
        '-out',
        cert,
        ...subject,
      ],
      { stdio: 'ignore' },
    );
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) =>
      response.writeHead(401).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    const url = `https://localhost:${port}`;
    expect(await checkTls(url, {}, now())).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('SELF_SIGNED') as unknown,
      fix: expect.stringContaining('NODE_EXTRA_CA_CERTS') as unknown,
    });
    const env = {
      PAYDESK_BASE_URL: url,
      PAYDESK_APP_ID: 'a',
      PAYDESK_API_KEY: 'sk_x',
      NODE_EXTRA_CA_CERTS: cert,
    };
    const { stdout } = await paydesk(['doctor', '--json'], { env });
    const tls = (JSON.parse(stdout) as Diagnosis).checks.find(({ name }) => name === 'tls');
    expect(tls).toMatchObject({
      status: 'warn',
      message: 'The certificate of localhost is valid for 4 more days.',
    });
    expect(await checkTls(`https://127.0.0.1:${await closedPort()}`, {}, now())).toMatchObject({
      status: 'fail',
    });
  });
});

describe('the ledger', () => {
  const check = async (home: string, env: Record<string, string> = {}) => {
    const { stdout, code } = await runTyped(['doctor', '--json'], { home, env });
    const { checks } = JSON.parse(stdout) as Diagnosis;
    return { code, ledger: checks.find(({ name }) => name === 'ledger') };
  };
  const database = (home: string) => join(home, 'data', 'desk.db');

  it('is read through, and damage in it fails', async () => {
    const home = temporaryFolder();
    expect((await check(home)).ledger).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('no ledger yet'),
    });
    mkdirSync(join(home, 'data'), { mode: 0o700 });
    const opened = await openDeskDatabase({ location: database(home), operator: 'test' });
    await opened.close();
    const whole = readFileSync(database(home));
    expect((await check(home)).ledger).toEqual({
      name: 'ledger',
      status: 'pass',
      message: `The ledger ${database(home)} is intact.`,
    });
    expect(readFileSync(database(home))).toEqual(whole);

    // The page of an index, overwritten in the middle of the file.
    const spoiled = Buffer.from(whole);
    spoiled.fill(0xa5, 5 * 4096, 6 * 4096);
    writeFileSync(database(home), spoiled);
    expect((await check(home)).ledger).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('damaged'),
      fix: expect.stringContaining('backup'),
    });
    writeFileSync(database(home), whole);
    chmodSync(database(home), 0o666);
    expect((await check(home)).ledger).toMatchObject({ status: 'fail', fix: `chmod 600 ${database(home)}` });
    chmodSync(database(home), 0o600);
    writeFileSync(database(home), '');
    expect((await check(home)).ledger).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('0 bytes'),
    });
  });

  it('is restored only when it is damaged', async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'data'), { mode: 0o700 });
    const opened = await openDeskDatabase({ location: database(home), operator: 'test' });
    await opened.store.transaction((tx) =>
      sql`insert into store_migration (format, name, applied_time) values (99, 'from-the-future', 0)`.execute(
        tx,
      ),
    );
    await opened.close();
    expect((await check(home)).ledger).toMatchObject({ status: 'fail', fix: 'Update paydesk.' });

    const other = new DatabaseSync(database(home));
    other.exec('pragma locking_mode = exclusive; begin exclusive');
    expect((await check(home)).ledger).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('is locked by another process'),
      fix: 'Wait until the other process has ended.',
    });
    other.close();
  });

  it('of a server that does not answer asks for the server, and not for a backup', async () => {
    const PAYDESK_DATABASE = 'postgres://127.0.0.1:9/desk';
    expect((await check(temporaryFolder(), { PAYDESK_DATABASE })).ledger).toMatchObject({
      status: 'fail',
      fix: 'Start the database, or correct PAYDESK_DATABASE.',
    });
  });
});

describeWithPostgres('the ledger in PostgreSQL', (postgres) => {
  it('is readable and up to date, or is told to be otherwise', async () => {
    const PAYDESK_DATABASE = await postgres().createDatabase();
    const ledger = async () => {
      const { stdout } = await runTyped(['doctor', '--json'], {
        home: temporaryFolder(),
        env: { PAYDESK_DATABASE },
      });
      return (JSON.parse(stdout) as Diagnosis).checks.find(({ name }) => name === 'ledger');
    };
    expect(await ledger()).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('no ledger yet'),
    });
    await (await openDeskDatabase({ location: PAYDESK_DATABASE, operator: 'test' })).close();
    expect(await ledger()).toMatchObject({ status: 'pass', message: 'The ledger in PostgreSQL is intact.' });
    const store = await openDeskDatabase({ location: PAYDESK_DATABASE, operator: 'test' });
    await store.store.transaction((tx) =>
      sql`insert into store_migration (format, name, applied_time) values (99, 'from-the-future', 0)`.execute(
        tx,
      ),
    );
    await store.close();
    expect(await ledger()).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('newer paydesk'),
    });
  });
});

it('suggests to start the sandbox that was stopped', async () => {
  const port = await closedPort();
  const env = { PAYDESK_APP_ID: 'a', PAYDESK_API_KEY: 'sk_of_a_sandbox' };
  const service = async (at: string) => {
    const { stdout } = await runTyped(['doctor', '--json'], {
      home: temporaryFolder(),
      env: { ...env, PAYDESK_BASE_URL: at },
    });
    return (JSON.parse(stdout) as Diagnosis).checks.find(({ name }) => name === 'service');
  };
  expect(await service(`http://127.0.0.1:${port}`)).toMatchObject({
    status: 'fail',
    fix: `paydesk sandbox start --port ${port}`,
  });
});
