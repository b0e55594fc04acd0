import { readFileSync, readdirSync, statSync, writeFileSync, existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answerVariants } from '../../../src/sandbox/answers.js';
import { parseAnswer } from '../../../src/cli/flags/sandbox-flags.js';
import { paydeskTty } from '../../helpers/run.js';
import { createHome, createPayment, type Home } from './processes.js';

let home: Home;
beforeEach(async () => {
  home = await createHome();
});
afterEach(() => home.remove());

const runFiles = () =>
  readdirSync(join(home.path, 'data', 'sandbox')).filter((name) => name.endsWith('.json'));

describe('sandbox start --json', () => {
  test('prints one line once it answers, and nothing after it', async () => {
    const sandbox = await home.start('--memory');
    const { url, consoleUrl, controlToken, apps } = sandbox.ready;
    expect(Object.keys(sandbox.ready)).toEqual(['url', 'consoleUrl', 'controlToken', 'apps']);
    expect(apps.map((app) => Object.keys(app))).toEqual([
      ['appId', 'apiKey', 'friendlyName', 'isSandbox'],
      ['appId', 'apiKey', 'friendlyName', 'isSandbox'],
    ]);
    expect(apps.map(({ isSandbox }) => isSandbox)).toEqual([true, false]);
    expect(consoleUrl).toBe(`${url}/console?token=${controlToken}`);
    expect((await createPayment(sandbox.ready, 'inv-1')).status).toBe(201);
    const entered = await fetch(consoleUrl, { redirect: 'manual' });
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/console']);
    sandbox.kill('SIGTERM');
    expect(await sandbox.ended).toBe(0);
    expect(sandbox.stdout().split('\n')).toHaveLength(2);
    expect(sandbox.stderr()).toBe('');
  });

  test('leaves a private note of itself while it runs', async () => {
    const sandbox = await home.start('--memory');
    const [name] = runFiles();
    expect(name).toBe(`${new URL(sandbox.ready.url).port}.json`);
    const file = join(home.path, 'data', 'sandbox', name!);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      url: sandbox.ready.url,
      controlToken: sandbox.ready.controlToken,
      pid: sandbox.pid,
      database: ':memory:',
    });
    sandbox.kill('SIGINT');
    expect(await sandbox.ended).toBe(130);
    expect(runFiles()).toEqual([]);
    expect(sandbox.stdout().split('\n')).toHaveLength(2);
  });

  test('ends properly when its terminal is closed', async () => {
    const sandbox = await home.start('--memory');
    sandbox.kill('SIGHUP');
    expect(await sandbox.ended).toBe(0);
    expect(runFiles()).toEqual([]);
  });

  test('logs requests on stderr when it is asked to, without secrets', async () => {
    const sandbox = await home.start('--memory', '--debug');
    const created = (await (await createPayment(sandbox.ready, 'inv-1')).json()) as { redirectUrl: string };
    await fetch(created.redirectUrl);
    await fetch(created.redirectUrl.replace('/checkout/', '/provider/'));
    await fetch(sandbox.ready.consoleUrl);
    await fetch(`${sandbox.ready.url}/nothing`);
    sandbox.kill('SIGTERM');
    await sandbox.ended;
    expect(sandbox.stderr()).toMatch(/201 {2}POST .* \/api\/apps\/app_\w+\/payments\/hosted-page/);
    expect(sandbox.stderr()).toMatch(/404 {2}GET .* \/nothing/);
    expect(sandbox.stderr()).toContain('/checkout/100001-…');
    expect(sandbox.stderr()).toContain('/provider/100001-…');
    expect(sandbox.stderr()).not.toContain(created.redirectUrl.split('-').at(-1));
    expect(sandbox.stderr()).not.toContain(sandbox.ready.controlToken);
  });

  test('logs webhooks that are not sent, and how to allow them', async () => {
    const sandbox = await home.serve('--memory', '--debug');
    const [app] = sandbox.ready.apps;
    await home.json(['sandbox', 'apps', 'set', app!.appId, '--webhook-url', 'https://x.example/hook']);
    await createPayment(sandbox.ready, 'inv-1');
    // Webhooks have left when it returns.
    await home.json(['sandbox', 'clock', 'advance', '1s']);
    expect(await sandbox.close()).toMatch(
      /\d\d:\d\d:\d\d {2}note {2}webhook of 100001 \(Created\) not sent: .* --webhook-host x\.example\n/,
    );
  });

  test('a seed makes ids and keys repeatable', async () => {
    const first = await home.start('--memory', '--seed', '7', '--no-profiles');
    const second = await home.serve('--memory', '--seed', '7', '--no-profiles');
    const third = await home.serve('--memory', '--seed', '8', '--no-profiles');
    expect(second.ready.apps).toEqual(first.ready.apps);
    expect(third.ready.apps).not.toEqual(first.ready.apps);
    expect(first.stderr()).toContain('Warning: --seed makes API keys and links predictable.');
  });
});

describe('for people', () => {
  test('a terminal gets a banner and one line per request; Ctrl-C ends it', async () => {
    const tty = await paydeskTty(['sandbox', 'start', '--port', '0'], { home: home.path });
    const banner = await tty.waitFor('Ctrl-C');
    expect(banner).toMatch(/^Sandbox http:\/\/127\.0\.0\.1:\d+ +ready/);
    expect(banner).toMatch(/Database +\S+\/data\/sandbox\.db/);
    expect(banner).toMatch(/Apps +app_\w+ {2}Sandbox shop/);
    expect(banner).toMatch(/Profiles +local \(default\), local-live/);
    expect(banner).toMatch(/See: +http:\S+\/console\?token=\S{32}\n/);
    expect(banner).not.toContain('sk_sandbox');
    expect(Math.max(...banner.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(banner) ?? [];
    const hangs = { method: 'POST', headers: { authorization: 'Bearer no' } };
    await fetch(`${url}/api/apps/x/payments`, hangs);
    await tty.waitFor(/\d\d:\d\d:\d\d {2}401 {2}POST +(\d+ ms|\d\.\d s) {2}\/api\/apps\/x\/payments/);
    expect(tty.raw()).toContain('\u001B[33m401');
    tty.press('ctrl-c');
    await tty.waitFor(/\^C\nStopped the sandbox at http\S+\.\nIts contents are /);
    expect(await tty.ended()).toBe(130);
    expect(tty.text().endsWith('\n')).toBe(true);
  });

  test('requests in flight do not hold up a stop', async () => {
    const sandbox = await home.start('--memory');
    await home.json(['sandbox', 'fault', 'add', 'latency', '--delay', '1h']);
    const slow = createPayment(sandbox.ready, 'inv-1').catch(() => 'cut');
    await expect
      .poll(async () => (await home.json<Array<{ seen: number }>>(['sandbox', 'fault']))[0]?.seen)
      .toBe(1);
    const asked = performance.now();
    sandbox.kill('SIGTERM');
    expect(await sandbox.ended).toBe(0);
    expect(performance.now() - asked).toBeLessThan(60_000);
    expect(await slow).toBe('cut');
  });

  test('a pipe gets plain lines; keys are shown where no profile holds them', async () => {
    const args = ['sandbox', 'start', '--port', '0', '--memory', '--no-profiles', '--timeout', '1s'];
    const { stdout, stderr, code } = await home.run(args);
    expect(code).toBe(8);
    expect(stdout).toMatch(/^sandbox\thttp:\/\/127\.0\.0\.1:\d+\nstate\tready\nconsole\thttp:/);
    expect(stdout).toMatch(/\nkey\tsk_sandbox_\w+\n/);
    expect(stdout).not.toContain('profiles');
    expect(stdout + stderr).not.toContain('\u001B');
    expect(existsSync(join(home.path, 'config.json'))).toBe(false);
  });
});

describe('profiles', () => {
  test('local and local-live point at it, and local is the default', async () => {
    const sandbox = await home.serve('--memory');
    const profiles = await home.json<unknown[]>(['profiles', 'list']);
    expect(profiles).toMatchObject([
      { name: 'local', kind: 'sandbox', isDefault: true, baseUrl: sandbox.ready.url, madeBy: 'sandbox' },
      { name: 'local-live', kind: 'live', isDefault: false, baseUrl: sandbox.ready.url, madeBy: 'sandbox' },
    ]);
  });

  test('one that somebody else made is left alone, and named', async () => {
    const add = [
      'profiles',
      'add',
      'local',
      '--base-url',
      'https://pay.example',
      '--app-id',
      'a1',
      '--sandbox',
    ];
    expect((await home.run([...add, '--api-key-stdin'], 'sk_mine\n')).code).toBe(0);
    const sandbox = await home.start('--memory');
    expect(sandbox.stderr()).toContain('Not changed: you created the profile local');
    const profiles = await home.json<unknown[]>(['profiles', 'list']);
    expect(profiles).toMatchObject([
      { name: 'local', baseUrl: 'https://pay.example', appId: 'a1' },
      { name: 'local-live', baseUrl: sandbox.ready.url },
    ]);
  });
});

describe('what is in the way', () => {
  const failure = (args: string[], code = 1) =>
    home
      .json<{ error: { code: string; message: string; next: string[]; details?: unknown } }>(
        ['sandbox', 'start', ...args],
        code,
      )
      .then(({ error }) => error);

  test('a port that a sandbox of ours has: which one, and what to type', async () => {
    const sandbox = await home.serve('--memory');
    const port = new URL(sandbox.ready.url).port;
    const error = await failure(['--port', port]);
    expect(error).toMatchObject({
      code: 'port-taken',
      message: `Port ${port} is in use by a running sandbox (pid ${process.pid}, database :memory:).`,
      next: [
        `paydesk sandbox status --port ${port}`,
        `paydesk sandbox stop --port ${port}`,
        'paydesk sandbox start --port 0',
      ],
    });
  });

  test('a port that another program has', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const error = await failure(['--memory', '--port', String(port)]);
    expect(error).toMatchObject({
      code: 'port-taken',
      message: `Port ${port} is in use by another program.`,
      next: ['paydesk sandbox start --port 0'],
    });
    other.close();
  });

  test('a database that another sandbox has', async () => {
    const sandbox = await home.start();
    const error = await failure(['--port', '0']);
    expect(error.code).toBe('store-held');
    expect(error.message).toContain(`pid ${sandbox.pid}, url ${sandbox.ready.url}`);
    expect(error.next).toContain('paydesk sandbox stop');
    // The one that runs has lost nothing by it.
    expect((await createPayment(sandbox.ready, 'inv-1')).status).toBe(201);
  });

  test('a file that is no database, a folder that is not there, and a folder instead of a file', async () => {
    const file = join(home.path, 'notes.txt');
    writeFileSync(file, 'not a database, but more than enough text to be read as the head of one');
    expect((await failure(['--port', '0', '--database', file])).code).toBe('store-unusable');
    expect(readFileSync(file, 'utf8')).toContain('not a database');
    const nowhere = await failure(['--port', '0', '--database', join(home.path, 'nowhere', 'x.db')]);
    expect(nowhere.code).toBe('store-unusable');
    const folder = await failure(['--port', '0', '--database', home.path]);
    expect(folder).toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining(`${home.path} is a folder`),
      next: ['paydesk sandbox start --database FILE', 'paydesk sandbox start --memory'],
    });
  });

  test('values that cannot be used, all at once', async () => {
    const bad = ['--port', '70000', '--host', '10.0.0.1', '--memory', '--database', 'x.db'];
    const more = [
      '--rate-limit',
      'fast',
      '--webhook-host',
      'https://x',
      '--answers',
      'error=html',
      '--seed',
      '-1',
    ];
    const { details } = await failure([...bad, ...more], 2);
    const inputs = (details as Array<{ input: string }>).map(({ input }) => input);
    expect(new Set(inputs)).toEqual(
      new Set(['--port', '--host', '--database', '--rate-limit', '--webhook-host', '--answers', '--seed']),
    );
    expect(JSON.stringify(details)).toContain('Did you mean errors?');
    expect(JSON.stringify(details)).toContain('localhost for this machine alone');
  });

  test('an answer given twice, and a variant that is not there', async () => {
    const twice = await failure(['--memory', '--answers', 'errors=html', '--answers', 'errors=text'], 2);
    expect(twice.message).toBe('--answers errors was used twice; choose one.');
    const { details } = await failure(['--memory', '--answers', 'errors=htm'], 2);
    expect(details).toEqual([
      {
        input: '--answers',
        value: 'errors=htm',
        problem:
          'errors is answered as one of problem, error, message, errors, text, html, empty. Did you mean html?',
      },
    ]);
  });
});

test('every answer has every variant, and the sandbox gives them', async () => {
  const all = Object.entries(answerVariants).flatMap(([name, variants]) =>
    variants.map((variant) => [name, variant] as const),
  );
  for (const [name, variant] of all)
    expect(await parseAnswer(`${name}=${variant}`)).toEqual({ [name]: variant });
  const last = Object.entries(answerVariants).map(([name, variants]) => [name, variants.at(-1)!] as const);
  const flags = last.flatMap(([name, variant]) => ['--answers', `${name}=${variant}`]);
  const sandbox = await home.serve('--memory', ...flags);
  const status = await home.json(['sandbox', 'status']);
  expect(status['answers']).toEqual(Object.fromEntries(last));
  const refused = await fetch(`${sandbox.ready.url}/api/apps/x/payments/1`);
  expect(await refused.text()).toBe('');
});

test('a rate limit answers 429', async () => {
  const sandbox = await home.serve('--memory', '--rate-limit', '1/s');
  const statuses = [];
  for (let n = 0; n < 5; n++) statuses.push((await createPayment(sandbox.ready, `inv-${n}`)).status);
  expect(statuses).toContain(429);
});

test('after kill -9 everything is there again, and the note it left is cleaned away', async () => {
  const sandbox = await home.start();
  await createPayment(sandbox.ready, 'inv-1');
  await home.json(['sandbox', 'pay', 'inv-1']);
  const before = await home.run(['sandbox', 'export']);
  sandbox.kill('SIGKILL');
  expect(await sandbox.ended).toBe(-1);
  expect(runFiles()).toHaveLength(1);
  const { error } = await home.json<{ error: { code: string } }>(['sandbox', 'status'], 1);
  expect(error.code).toBe('no-sandbox');
  expect(runFiles()).toEqual([]);
  const again = await home.start();
  expect(again.ready.apps).toEqual(sandbox.ready.apps);
  expect((await home.run(['sandbox', 'export'])).stdout).toBe(before.stdout);
  expect(await home.json(['sandbox', 'books', 'inv-1'])).toMatchObject({ capture: { told: 1, done: 1 } });
});
