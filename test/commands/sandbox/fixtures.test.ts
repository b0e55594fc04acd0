import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { paydesk } from '../../helpers/run.js';
import { startTestSandbox } from '../../helpers/sandbox.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { createHome, type Home, type Ready } from './processes.js';

// A sandbox that begins as an export left another one, and the profiles that go with it.

let home: Home;
let fixture: string;
let reference: string;
beforeAll(async () => {
  home = await createHome();
  const origin = await startTestSandbox({ clock: Date.parse('2026-03-01T12:00:00Z') });
  const { referenceId } = await origin.create();
  reference = referenceId;
  fixture = join(home.path, 'fixture.json');
  writeFileSync(fixture, (await origin.control('GET', '/export')).text);
  await origin.close();
});
afterAll(() => home.remove());

interface Failed {
  error: { code: string; message: string; details?: unknown; next: string[] };
}

const read = (key = reference) => home.json(['payments', 'get', key]);
const failure = async (code: number, ...args: string[]) =>
  (await home.json<Failed>(['sandbox', 'start', '--port', '0', ...args], code)).error;

describe('sandbox start --import and --clock', () => {
  test('the payments are there, the profiles work and the clock stands', async () => {
    const { close } = await home.serve('--memory', '--import', fixture, '--clock', '2026-04-01');
    expect(await read()).toMatchObject({ referenceId: reference, createdTime: '2026-03-01T12:00:00.000Z' });
    expect(await home.json(['sandbox', 'status'])).toMatchObject({
      payments: 1,
      clock: { now: '2026-04-01T00:00:00.000Z', stopped: true },
    });
    await close();
  });

  test('in the background too, also from stdin', async () => {
    const words = ['sandbox', 'start', '--detach', '--memory', '--port', '0', '--json', '--import', '-'];
    const { code, stderr } = await home.run(
      [...words, '--clock', '2026-04-01'],
      readFileSync(fixture, 'utf8'),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await read()).toMatchObject({ referenceId: reference });
    expect(await home.json(['sandbox', 'status'])).toMatchObject({ clock: { stopped: true } });
    await home.json(['sandbox', 'stop']);
  });

  test('a database that is in use is left alone', async () => {
    const database = join(home.path, 'used.db');
    const first = await home.serve('--database', database, '--import', fixture);
    await first.close();
    expect(await failure(9, '--database', database, '--import', fixture)).toMatchObject({
      code: 'database-in-use',
      message: 'The database already contains payments. Nothing was changed.',
    });
    expect(await failure(2, '--database', database, '--clock', '2026-01-01')).toMatchObject({
      details: [{ input: '--clock', problem: expect.stringContaining('would turn the clock back') }],
    });
    const again = await home.serve('--database', database);
    expect(await read()).toMatchObject({ referenceId: reference });
    await again.close();
  });

  test('a file that is no export starts nothing', async () => {
    const bad = join(home.path, 'bad.json');
    writeFileSync(bad, '{"format":"paydesk-sandbox-1","tables":{}}');
    expect((await failure(2, '--memory', '--import', bad)).message).toMatch(
      /^This is not an export of a sandbox: .+ The sandbox was not started\.$/,
    );
    writeFileSync(bad, 'hello\n');
    expect((await failure(2, '--memory', '--import', bad)).message).toBe(
      'The document is not valid JSON. The sandbox was not started.',
    );
    expect(await failure(2, '--memory', '--import', join(home.path, 'none.json'))).toMatchObject({
      code: 'bad-file',
    });
  });
});

test('sandbox reset puts the clock back to where sandbox start --clock stopped it', async () => {
  const { close } = await home.serve('--memory', '--clock', '2026-04-01');
  await home.json(['sandbox', 'clock', 'advance', '7d']);
  await home.json(['sandbox', 'reset']);
  expect(await home.json(['sandbox', 'clock'])).toEqual({ now: '2026-04-01T00:00:00.000Z', stopped: true });
  await close();
});

test('a new sandbox stands at its first instant, whatever the date', async () => {
  const sandbox = await startTestSandbox({ clock: Date.parse('2020-02-29T00:00:00Z') });
  expect(await sandbox.create()).toMatchObject({ createdTime: '2020-02-29T00:00:00.000Z' });
  expect((await sandbox.call('GET', '/customers/c1')).body).toMatchObject({
    app: { createdTime: '2020-02-29T00:00:00.000Z' },
  });
  await sandbox.close();
});

test('after sandbox import the profiles of the sandbox work, and others are left alone', async () => {
  const { ready, close } = await home.serve('--memory');
  const [app] = ready.apps;
  await home.run(
    [
      'profiles',
      'add',
      'mine',
      '--base-url',
      ready.url,
      '--app-id',
      app!.appId,
      '--sandbox',
      '--api-key-stdin',
    ],
    app!.apiKey,
  );
  const imported = await home.run(['sandbox', 'import', fixture]);
  expect(imported).toEqual({
    code: 0,
    stdout: 'imported\t1\t1\n',
    stderr:
      'Updated the profiles local, local-live to the imported apps.\n' +
      'The sandbox no longer has the apps of your profile mine.\n',
  });
  expect(await home.json(['payments', 'get', reference, '-p', 'local'])).toMatchObject({
    referenceId: reference,
  });
  expect(await home.json(['customers', 'list', '-p', 'local-live'])).toEqual([]);
  expect(await home.json(['profiles', 'show', 'mine'])).toMatchObject({ appId: app!.appId });
  expect(await home.json(['sandbox', 'import', fixture])).toMatchObject({
    profiles: { updated: [], stale: ['mine'] },
  });
  await close();
});

describe('PAYDESK_SANDBOX_DATABASE', () => {
  test('names the database, unless --database does', async () => {
    const PAYDESK_SANDBOX_DATABASE = 'mysql://team@db.example/sandbox';
    const { code, stderr } = await paydesk(['sandbox', 'start'], { env: { PAYDESK_SANDBOX_DATABASE } });
    expect(code).toBe(2);
    expect(stderr).toContain('PAYDESK_SANDBOX_DATABASE');
    expect(stderr).toContain('postgres://');
  });
});

describeWithPostgres('a database with a password', (postgres) => {
  test('is in no arguments, no note and no output', async () => {
    const address = new URL(await postgres().createDatabase());
    address.password = 'sw0rdfish';
    const env = { PAYDESK_SANDBOX_DATABASE: address.href };
    const words = ['sandbox', 'start', '--detach', '--port', '0', '--json'];
    const { stdout, stderr, code } = await paydesk(words, { home: home.path, env });
    expect(code).toBe(0);
    const { url } = JSON.parse(stdout) as Ready;
    const { pid, database } = await home.json<{ pid: number; database: string }>(['sandbox', 'status']);
    expect(database).toContain(address.pathname);
    const port = new URL(url).port;
    const note = readFileSync(join(home.path, 'data', 'sandbox', `${port}.json`), 'utf8');
    const log = readFileSync(join(home.path, 'data', 'sandbox', 'sandbox.log'), 'utf8');
    const seen = [stdout, stderr, database, note, log, readFileSync(`/proc/${pid}/cmdline`, 'utf8')].join(
      '\n',
    );
    expect(seen).toContain('--no-profiles');
    expect(seen).not.toContain('sw0rdfish');
    await home.json(['sandbox', 'stop']);
  });

  test('is warned about on the command line', async () => {
    const address = new URL(await postgres().createDatabase());
    address.password = 'sw0rdfish';
    const { ready, close } = await home.serve('--no-profiles', '--database', address.href);
    const stderr = await close();
    expect(stderr).toContain('other users of this machine can see the password in --database');
    expect(JSON.stringify(ready) + stderr).not.toContain('sw0rdfish');
  });
});
