import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { paydeskTty } from '../../helpers/run.js';
import { createHome, createPayment, type Home, type Ready } from './processes.js';

let home: Home;
beforeEach(async () => {
  home = await createHome();
});
afterEach(() => home.remove());

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

interface Status {
  url: string;
  pid: number;
  consoleUrl: string;
  payments: number;
}

test('--detach leaves it running; status and stop find it', async () => {
  const { stdout, code } = await home.spawn(['sandbox', 'start', '--detach', '--port', '0', '--json']);
  expect(code).toBe(0);
  expect(stdout.trim().split('\n')).toHaveLength(1);
  const ready = JSON.parse(stdout) as Ready;
  expect(Object.keys(ready)).toEqual(['url', 'consoleUrl', 'controlToken', 'apps']);
  expect((await createPayment(ready, 'inv-1')).status).toBe(201);

  const status = await home.json<Status>(['sandbox', 'status']);
  expect(status).toMatchObject({ url: ready.url, consoleUrl: ready.consoleUrl, payments: 1 });
  expect(isRunning(status.pid)).toBe(true);
  expect(await home.json(['profiles', 'show', 'local'])).toMatchObject({ baseUrl: ready.url });

  const log = join(home.path, 'data', 'sandbox', 'sandbox.log');
  expect(statSync(log).mode & 0o777).toBe(0o600);
  await expect.poll(() => readFileSync(log, 'utf8')).toMatch(/201 {2}POST .*\/payments\/hosted-page/);

  const stopped = await home.json(['sandbox', 'stop']);
  expect(stopped).toEqual({ stopped: true, url: ready.url, pid: status.pid, database: expect.any(String) });
  expect(isRunning(status.pid)).toBe(false);
  const again = await home.spawn(['sandbox', 'stop']);
  expect(again).toEqual({ stdout: '', stderr: 'No sandbox was running.\n', code: 0 });
});

test('on a terminal it says where the log is and how to stop it', async () => {
  const tty = await paydeskTty(['sandbox', 'start', '--detach', '--port', '0', '--memory'], {
    home: home.path,
  });
  expect(await tty.ended()).toBe(0);
  expect(tty.text()).toMatch(/Log\s+\S+sandbox\.log/);
  const { port } = new URL((await home.json<Status>(['sandbox', 'status'])).url);
  expect(tty.text()).toContain('Try:   paydesk payments create\n');
  expect(tty.text()).toContain(`paydesk sandbox pay REFERENCE --card approved --port ${port}\n`);
  expect(tty.text()).toContain(`Stop:  paydesk sandbox stop --port ${port}\n`);
  const stop = await paydeskTty(['sandbox', 'stop'], { home: home.path });
  expect(await stop.ended()).toBe(0);
  expect(stop.text()).toMatch(/^Stopped the sandbox at http:\S+\.\nIts contents are gone\.\n$/);
});

test('beside another one, what it says to type is for this one alone', async () => {
  const other = await home.serve('--memory');
  const tty = await paydeskTty(['sandbox', 'start', '--detach', '--port', '0', '--memory', '--no-profiles'], {
    home: home.path,
  });
  expect(await tty.ended()).toBe(0);
  const [, typed = '', port = ''] = /Stop: {2}paydesk (sandbox stop --port (\d+))\n/.exec(tty.text()) ?? [];
  expect(tty.text()).toContain(`Pay:   paydesk sandbox pay REFERENCE --card approved --port ${port}\n`);
  expect(tty.text()).not.toContain('payments create');
  expect(await home.json(typed.split(' '))).toMatchObject({ url: `http://127.0.0.1:${port}` });
  expect(await home.json(['sandbox', 'status'])).toMatchObject({ url: other.ready.url });
});

test('says that it takes the profiles from another one, if that is still running', async () => {
  const first = await home.serve('--memory');
  const note = (url: string) =>
    `Note: the profiles local and local-live pointed to the sandbox at ${url}, which is still running. ` +
    'They point to this one now.\n';
  const detach = ['sandbox', 'start', '--detach', '--port', '0', '--memory', '--json'];
  expect(await home.spawn([...detach, '--no-profiles'])).toMatchObject({ stderr: '', code: 0 });
  const second = await home.spawn(detach);
  expect(second).toMatchObject({ stderr: note(first.ready.url), code: 0 });
  const { url } = JSON.parse(second.stdout) as Ready;
  expect(await home.json(['profiles', 'show', 'local'])).toMatchObject({ baseUrl: url });

  const third = await home.serve('--memory');
  expect(await third.close()).toContain(note(url));
  // The third one is gone: nobody uses it any more.
  const fourth = await home.serve('--memory');
  expect(await fourth.close()).not.toContain('Note:');
});

test('what keeps it from starting is told as if it had happened here', async () => {
  const running = await home.serve('--memory');
  const port = new URL(running.ready.url).port;
  const { stdout, stderr, code } = await home.spawn(['sandbox', 'start', '--detach', '--port', port]);
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
  expect(stderr).toContain(`pid ${process.pid}`);
  expect(stderr).toContain(`paydesk sandbox stop --port ${port}`);
  expect(stderr).not.toContain('bug');
});

test('settings reach the sandbox in the background', async () => {
  const settings = [
    '--seed',
    '7',
    '--answers',
    'errors=text',
    '--rate-limit',
    '100/s',
    '--host',
    'localhost',
  ];
  const args = ['sandbox', 'start', '--detach', '--memory', '--port', '0', '--no-profiles', ...settings];
  const { stdout } = await home.spawn([...args, '--json']);
  const ready = JSON.parse(stdout) as Ready;
  expect(ready.url).toMatch(/^http:\/\/localhost:/);
  const status = await home.json(['sandbox', 'status']);
  expect(status).toMatchObject({ answers: { errors: 'text' }, database: ':memory:' });
  const same = await home.serve('--memory', '--seed', '7', '--no-profiles');
  expect(same.ready.apps).toEqual(ready.apps);
});

test('among several, the profile decides, else the newest; --port chooses', async () => {
  const first = await home.serve('--memory');
  const second = await home.start('--memory', '--no-profiles');
  const port = new URL(second.ready.url).port;
  const usual = await home.run(['sandbox', 'status']);
  expect(usual.stdout).toContain(first.ready.url);
  expect(usual.stderr).toBe(`Also running, choose with --port: ${port}\n`);
  expect(await home.json(['sandbox', 'status', '--port', port])).toMatchObject({ url: second.ready.url });
  await home.json(['profiles', 'remove', 'local']);
  expect(await home.json(['sandbox', 'status'])).toMatchObject({ url: second.ready.url });
  expect(await home.json(['sandbox', 'stop', '--port', port])).toMatchObject({ url: second.ready.url });
  const gone = await home.run(['sandbox', 'status', '--port', port]);
  expect(gone.code).toBe(1);
  expect(gone.stderr).toContain(`No sandbox is running on port ${port}.`);
});

test('a note whose port somebody else has now is cleaned away', async () => {
  const sandbox = await home.serve('--memory');
  const port = new URL(sandbox.ready.url).port;
  const note = join(home.path, 'data', 'sandbox', `${port}.json`);
  const text = readFileSync(note, 'utf8');
  writeFileSync(note, text.replaceAll(sandbox.ready.controlToken, 'another-token'));
  const { error } = await home.json<{ error: { code: string } }>(['sandbox', 'status'], 1);
  expect(error.code).toBe('no-sandbox');
  expect(existsSync(note)).toBe(false);
});
