import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createHome } from './commands/sandbox/processes.js';
import { createFlags } from './helpers/desk.js';
import { newReference, startTestSandbox, type TestSandbox } from './helpers/sandbox.js';
import { paydesk } from './helpers/run.js';

// Every program that paydesk starts is noted with the environment that it gets, by each Node that starts one.

let sandbox: TestSandbox;
const folder = mkdtempSync(join(tmpdir(), 'paydesk-children-'));
const record = join(folder, 'started.txt');
const preload = `import fs from 'node:fs'; import { ChildProcess } from 'node:child_process';
  const spawn = ChildProcess.prototype.spawn;
  ChildProcess.prototype.spawn = function (options) {
    const ours = (options.envPairs ?? []).filter((pair) => pair.startsWith('PAYDESK_'));
    fs.appendFileSync(${JSON.stringify(record)}, JSON.stringify({ args: options.args, ours }) + '\\n');
    return spawn.call(this, options);
  };`;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  for (const name of ['ssh', 'cloudflared', 'ngrok', 'xdg-open']) {
    writeFileSync(join(folder, name), `#!/bin/sh\nenv > '${join(folder, name)}.env'\nsleep 5\n`);
    chmodSync(join(folder, name), 0o755);
  }
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => rmSync(record, { force: true }));

const env = () => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
  PATH: `${folder}:${process.env['PATH']}`,
  DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(folder, 'no-bus')}`,
  PAYDESK_BASE_URL: sandbox.url,
  PAYDESK_APP_ID: sandbox.app.appId,
  PAYDESK_API_KEY: sandbox.app.apiKey,
  PAYDESK_KIND: 'sandbox',
});

const started = () =>
  (existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : []).map(
    (line) => JSON.parse(line) as { args: string[]; ours: string[] },
  );

it.each(['ssh:me@hooks.example', 'cloudflared', 'ngrok'])(
  'a tunnel by %s gets no settings of ours',
  async (tunnel) => {
    const run = await paydesk(['webhook', 'listen', '--tunnel', tunnel, '--timeout', '2s', '--port', '0'], {
      env: env(),
    });
    expect(run.code).not.toBe(0);
    const [name = ''] = tunnel.split(':');
    expect(readFileSync(join(folder, `${name}.env`), 'utf8')).not.toMatch(/^PAYDESK_/m);
    expect(started().length).toBeGreaterThan(0);
    expect(started().flatMap(({ ours }) => ours)).toEqual([]);
  },
);

it('neither does a browser', async () => {
  const args = ['payments', 'create', ...createFlags(newReference()), '--open', '--json'];
  const run = await paydesk(args, { env: { ...env(), DISPLAY: ':9' } });
  expect(run).toMatchObject({ code: 0 });
  expect(started().length).toBeGreaterThan(0);
  expect(started().flatMap(({ ours }) => ours)).toEqual([]);
});

it('nor the probe of the keyring; a sandbox in the background gets its home and database alone', async () => {
  const home = await createHome();
  try {
    const run = (...args: string[]) =>
      paydesk(args, { home: home.path, env: env(), input: 'key-of-the-shop\n' });
    const app = ['--base-url', 'http://127.0.0.1:9', '--app-id', 'a', '--sandbox', '--api-key-stdin'];
    await run('profiles', 'add', 'shop', ...app);
    expect(started().map(({ args }) => args.join(' '))).toContainEqual(
      expect.stringContaining('keyring-probe'),
    );
    expect(started().flatMap(({ ours }) => ours)).toEqual([]);
    const detached = await run('sandbox', 'start', '--detach', '--port', '0');
    expect(detached).toMatchObject({ code: 0 });
    const of = started().filter(({ args }) => args.includes('start'));
    expect(of.map(({ ours }) => ours)).toEqual([
      [`PAYDESK_HOME=${home.path}`, `PAYDESK_SANDBOX_DATABASE=${join(home.path, 'data', 'sandbox.db')}`],
    ]);
  } finally {
    await home.remove();
  }
});
