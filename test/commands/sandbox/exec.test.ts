import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { startSandbox } from '../../../src/library/index.js';
import { paydesk, type RunOptions } from '../../helpers/run.js';
import { eventually } from '../../helpers/sandbox.js';

const folder = mkdtempSync(join(tmpdir(), 'paydesk-exec-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const program = fileURLToPath(new URL('../../../bin/run.js', import.meta.url));
/** Temporary folders of the command lie where this test can count them. */
const noHome = { PAYDESK_HOME: undefined, TMPDIR: folder };

const exec = (words: string[], options: RunOptions = {}) =>
  paydesk(['sandbox', 'exec', ...words], { ...options, env: { ...noHome, ...options.env } });
const script = (text: string) => ['--', process.execPath, '-e', text];

function isThere(pid: number): boolean {
  try {
    // A process that has ended and that nobody has asked about yet is still listed.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

const leftovers = () => readdirSync(folder).filter((name) => name.startsWith('paydesk-exec-'));

describe('sandbox exec', () => {
  test('says where -- is missing', async () => {
    const { code, stderr } = await exec(['npm', '--version']);
    expect(code).toBe(2);
    expect(stderr).toContain('put -- before the command to run');
  });

  test('tells the command about a sandbox that answers, and passes its exit code on', async () => {
    const run = await exec(
      script(`
        const { env } = process;
        const auth = (token) => ({ headers: { authorization: 'Bearer ' + token } });
        Promise.all([
          fetch(env.PAYDESK_BASE_URL + '/api/apps/' + env.PAYDESK_APP_ID + '/customers', auth(env.PAYDESK_API_KEY)),
          fetch(env.PAYDESK_SANDBOX_URL + '/_sandbox/clock', auth(env.PAYDESK_SANDBOX_TOKEN)),
        ]).then((answers) => {
          console.log(JSON.stringify({ status: answers.map((each) => each.status), kind: env.PAYDESK_KIND, home: env.PAYDESK_HOME }));
          process.exitCode = 41;
        });
      `),
    );
    const { home, ...told } = JSON.parse(run.stdout) as { home: string };
    expect(told).toEqual({ status: [200, 200], kind: 'sandbox' });
    expect(run).toMatchObject({ code: 41, stderr: '' });
    expect(home.startsWith(folder)).toBe(true);
    expect(leftovers()).toEqual([]);
  });

  test('paydesk inside it works on that sandbox', async () => {
    const inner = `"${process.execPath}" "${program}"`;
    const run = await exec([
      '--seed',
      '7',
      '--clock',
      '2026-01-01T00:00:00Z',
      '--',
      'sh',
      '-ec',
      `${inner} payments create --amount 49.90 --currency EUR --reference r-1 --customer c_1 --return-url https://shop.example/done >/dev/null
       ${inner} sandbox pay r-1 --json >/dev/null
       ${inner} payments get r-1 --jq '.paymentState, .createdTime'`,
    ]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^Captured\n2026-01-01T00:00:00\.000Z\n$/);
  });

  test('starts with an export, a clock and other answers', async () => {
    const other = await startSandbox();
    await other.seed();
    const file = join(folder, 'fixture.json');
    writeFileSync(file, await other.export());
    await other.stop();
    const words = ['--import', file, '--clock', '2027-01-01T00:00:00Z', '--answers', 'errors=text'];
    const run = await exec([
      ...words,
      ...script(`
        const { env } = process;
        const auth = (token) => ({ headers: { authorization: 'Bearer ' + token } });
        const own = (path) => fetch(env.PAYDESK_SANDBOX_URL + '/_sandbox' + path, auth(env.PAYDESK_SANDBOX_TOKEN));
        (async () => {
          const { payment } = await (await own('/payments/seed-captured/story')).json();
          const refused = await fetch(env.PAYDESK_BASE_URL + '/api/apps/' + env.PAYDESK_APP_ID + '/customers', auth('wrong'));
          console.log(payment.paymentState, (await (await own('/clock')).json()).now, refused.headers.get('content-type'));
        })();
      `),
    ]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^Captured 2027-01-01T00:00:00\.000Z text\/plain/);
  });

  test('an export without a sandbox app is refused, with how to get one that has it', async () => {
    const other = await startSandbox();
    const file = join(folder, 'live-only.json');
    writeFileSync(file, (await other.export()).replaceAll(/"is_sandbox":\s*1/g, '"is_sandbox": 0'));
    await other.stop();
    const run = await exec(['--import', file, ...script("console.log('ran')")]);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('The import contains no sandbox app. The command was not run.');
    expect(run.stderr).toContain('paydesk sandbox apps create NAME');
  });

  test('with a home of its own the command keeps it', async () => {
    const home = join(folder, 'home');
    const run = await exec(script('console.log(process.env.PAYDESK_HOME)'), { env: { PAYDESK_HOME: home } });
    expect(run).toMatchObject({ code: 0, stdout: `${home}\n` });
    expect(existsSync(home)).toBe(true);
    expect(readdirSync(join(home, 'data', 'sandbox'))).toEqual([]);
  });

  test.each([
    [['no-such-program'], 'no-such-program cannot be run: there is no such program.'],
    [[], 'COMMAND'],
  ])('%s: says what is wrong', async (words, message) => {
    const run = await exec(['--', ...words]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(message);
    expect(leftovers()).toEqual([]);
  });

  test('passes a signal on, and ends as the command does', async () => {
    const run = await exec(
      script(`
        process.on('SIGTERM', () => { console.log('asked to stop'); process.exit(5); });
        console.error('ready');
        setInterval(() => {}, 1000);
      `),
      { onStderr: (text, child) => void (text.includes('ready') && child.kill('SIGTERM')) },
    );
    expect(run).toMatchObject({ code: 5, stdout: 'asked to stop\n' });
  });

  test('a command that is killed ends with 137', async () => {
    expect(await exec(script(`process.kill(process.pid, 'SIGKILL')`))).toMatchObject({ code: 137 });
    expect(leftovers()).toEqual([]);
  });

  test.each(['1ms', '1s'])('--timeout %s ends the command', async (limit) => {
    const run = await exec(['--timeout', limit, ...script('setInterval(() => {}, 1000)')]);
    expect(run.code).toBe(8);
    expect(run.stderr).toContain('ran out of time');
  });

  test('killed itself, it leaves no process and no folder', async () => {
    const grandchild = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      child.on('spawn', () => console.error(JSON.stringify({ pids: [process.pid, child.pid] })));
      setInterval(() => {}, 1000);
    `;
    let pids: number[] = [];
    const onStderr = (text: string, runner: ChildProcess) => {
      pids = (JSON.parse(text) as { pids: number[] }).pids;
      expect(pids.map(isThere)).toEqual([true, true]);
      expect(leftovers()).toHaveLength(1);
      runner.kill('SIGKILL');
    };
    expect(await exec(script(grandchild), { onStderr })).toMatchObject({ code: -1 });
    expect(pids).toHaveLength(2);
    await eventually(() => expect(pids.map(isThere)).toEqual([false, false]));
    await eventually(() => expect(leftovers()).toEqual([]));
  });
});
