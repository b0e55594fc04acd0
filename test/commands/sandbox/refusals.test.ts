import { chmodSync, linkSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHome, createPayment, type Home } from './processes.js';

let home: Home;
let file: string;
beforeEach(async () => {
  home = await createHome();
  file = join(home.path, 'sandbox.db');
});
afterEach(() => home.remove());

const start = () => home.run(['sandbox', 'start', '--database', file, '--port', '0', '--json']);
const refused = (part: string) => ({
  error: { code: 'store-unusable', exit: 1, message: expect.stringContaining(part) as unknown },
});

describe('sandbox start', () => {
  it.each([[], ['--detach']])('ends with 5 where its server does not answer: %j', async (...more) => {
    const database = ['--database', 'postgres://u@127.0.0.1:1/db'];
    const { code, stdout } = await home.spawn([
      'sandbox',
      'start',
      ...database,
      '--port',
      '0',
      '--json',
      ...more,
    ]);
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'store-unavailable', exit: 5 } });
  });

  it('opens one database under one name alone, and loses nothing', async () => {
    const first = await home.start('--database', file, '--no-profiles');
    const other = join(home.path, 'other.db');
    linkSync(file, other);
    const second = await home.run(['sandbox', 'start', '--database', other, '--port', '0', '--json']);
    expect(JSON.parse(second.stdout)).toMatchObject(refused('hard links'));
    await createPayment(first.ready, 'kept');
    first.kill('SIGKILL');
    await first.ended;
    expect(JSON.parse((await start()).stdout)).toMatchObject(refused('hard links'));
    rmSync(other);
    await home.start('--database', file, '--no-profiles');
    expect(await home.json(['sandbox', 'books', 'kept'])).toMatchObject({
      paymentId: expect.any(Number) as unknown,
    });
  });

  it('says what to do with a database that was emptied, cut short or opened to others', async () => {
    const first = await home.serve('--database', file, '--no-profiles');
    await first.close();
    chmodSync(file, 0o666);
    const { error } = JSON.parse((await start()).stdout) as { error: { next: string[] } };
    expect({ error }).toMatchObject(refused('Other users can write'));
    expect(error.next[0]).toBe(`chmod 600 ${file}`);
    chmodSync(file, 0o600);
    truncateSync(file, 8192);
    expect(JSON.parse((await start()).stdout)).toMatchObject(refused('damaged'));
    truncateSync(file, 0);
    expect(JSON.parse((await start()).stdout)).toMatchObject(
      refused('remove the file to start with a new one'),
    );
    expect(statSync(file).size).toBe(0);
  });
});

describe('sandbox stop', () => {
  it('says that a paused sandbox was not stopped, and stops it once it runs again', async () => {
    const sandbox = await home.start();
    sandbox.kill('SIGSTOP');
    const paused = await home.run(['sandbox', 'stop', '--json']);
    expect(JSON.parse(paused.stdout)).toMatchObject({
      error: {
        code: 'sandbox-paused',
        message: expect.stringContaining('is paused') as unknown,
        next: [`kill -CONT ${sandbox.pid}`, `paydesk sandbox stop --port ${new URL(sandbox.ready.url).port}`],
      },
    });
    expect(paused.code).toBe(1);
    const status = await home.run(['sandbox', 'status', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({
      error: { code: 'sandbox-paused', next: [`kill -CONT ${sandbox.pid}`] },
    });
    const read = await home.run(['payments', 'get', 'inv-1', '--timeout', '1s', '--json']);
    expect(JSON.parse(read.stdout)).toMatchObject({
      error: {
        message: expect.stringContaining('is paused') as unknown,
        next: [`kill -CONT ${sandbox.pid}`],
      },
    });
    const { checks } = JSON.parse((await home.run(['doctor', '--json'])).stdout) as { checks: object[] };
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'service', status: 'fail', fix: `kill -CONT ${sandbox.pid}` }),
    );
    sandbox.kill('SIGCONT');
    expect(await home.json(['sandbox', 'stop'])).toMatchObject({ stopped: true });
    expect(await sandbox.ended).toBe(0);
  });

  it('leaves an open refund that names both the refund and the sandbox that is gone', async () => {
    const sandbox = await home.start();
    const { port } = new URL(sandbox.ready.url);
    const link = ['--customer', 'c_1', '--return-url', 'https://shop.example/thanks'];
    await home.json([
      'payments',
      'create',
      '--reference',
      'r-1',
      '--amount',
      '5',
      '--currency',
      'EUR',
      ...link,
    ]);
    await home.json(['sandbox', 'pay', 'r-1']);
    await home.json(['sandbox', 'fault', 'add', 'drop-before-commit', '--route', 'refund', '--next', '1']);
    expect((await home.run(['payments', 'refund', 'r-1'])).code).toBe(6);
    await home.json(['sandbox', 'stop']);
    await sandbox.ended;
    for (const command of ['refund', 'check', 'explain']) {
      const { code, stderr } = await home.run(['payments', command, 'r-1']);
      const text = stderr.replaceAll(/\s+/g, ' ');
      expect(code).toBe(6);
      expect(text).toMatch(/The outcome of the refund of payment \d+ \(r-1\).* is still unknown/);
      expect(text).toContain(`No sandbox is running on port ${port}.`);
      expect(text).toMatch(
        new RegExp(`Next: paydesk sandbox start --port ${port} paydesk payments check \\d+`),
      );
    }
  });

  it('names another sandbox that is running, and what to type to use it', async () => {
    const other = await home.serve();
    const gone = await home.serve('--memory');
    await gone.close();
    const { port } = new URL(gone.ready.url);
    const { url } = other.ready;
    const told = `No sandbox is running on port ${port}. Another one is running at ${url}; `;
    const failure = async () => {
      const read = await home.json<{ error: { message: string; next: string[] } }>(
        ['payments', 'get', 'x'],
        5,
      );
      const { checks } = await home.json<{ checks: Array<{ name: string }> }>(['doctor'], 5);
      return { read: read.error, service: checks.find(({ name }) => name === 'service') };
    };
    const list = `paydesk sandbox apps list --port ${new URL(url).port} --columns app,name,key`;
    const add = `paydesk profiles add NAME --base-url ${url} --app-id APP --sandbox`;
    const message = expect.stringContaining(`${told}no profile uses it.`) as unknown;
    expect(await failure()).toMatchObject({
      read: { message, next: [list, add] },
      service: { message, fix: `${list}, then ${add}` },
    });

    const { appId, apiKey } = other.ready.apps[0]!;
    const typed = add.replace('NAME', 'first').replace('APP', appId).split(' ').slice(1);
    expect((await home.run([...typed, '--api-key-stdin'], `${apiKey}\n`)).code).toBe(0);
    const named = expect.stringContaining(`${told}the profile first uses it.`) as unknown;
    expect(await failure()).toMatchObject({
      read: { message: named, next: ['paydesk payments get x --json --profile first'] },
      service: { message: named, fix: 'paydesk doctor --json --profile first' },
    });
    expect((await home.run(['payments', 'get', 'x', '--profile', 'first'])).stderr).toContain('There is no');
  });

  it("neither acts on another sandbox while the profile's is paused, nor calls it another program", async () => {
    const profiles = await home.start();
    const other = await home.start('--memory', '--no-profiles');
    profiles.kill('SIGSTOP');
    const { url } = profiles.ready;
    const paused = { error: { code: 'sandbox-paused', message: expect.stringContaining(url) as unknown } };
    expect(JSON.parse((await home.run(['sandbox', 'clock', '--json'])).stdout)).toMatchObject(paused);
    expect(JSON.parse((await home.run(['sandbox', 'stop', '--json'])).stdout)).toMatchObject(paused);
    const again = await home.run(['sandbox', 'start', '--memory', '--port', new URL(url).port, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject(paused);
    const { port } = new URL(other.ready.url);
    expect(await home.json(['sandbox', 'stop', '--port', port])).toMatchObject({ stopped: true });
    profiles.kill('SIGCONT');
  });
});
