import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../src/doctor/check.js';
import { paydesk } from '../helpers/run.js';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';

// The tests may run as root, who can write everywhere: then the home is another user's, and the program runs without
// that privilege. It stays root itself, because others may not be able to read the folder that the program is in.
const isRoot = process.getuid?.() === 0;
const under = isRoot ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--'] : [];
const works = spawnSync(under[0] ?? 'true', [...under.slice(1), 'true']).status === 0;

describe.skipIf(process.platform === 'win32' || !works)('a home of somebody else', () => {
  let sandbox: TestSandbox;
  let home: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    sandbox = await startTestSandbox();
    home = mkdtempSync('/tmp/paydesk-other-home-');
    const { appId } = sandbox.app;
    const key = { in: 'file', id: 'shop-1' };
    const shop = { baseUrl: sandbox.url, appId, kind: 'sandbox', key };
    writeFileSync(
      join(home, 'config.json'),
      JSON.stringify({ version: 1, default: 'shop', profiles: { shop } }),
    );
    chmodSync(join(home, 'config.json'), 0o644);
    chmodSync(home, 0o555);
    if (isRoot) chownSync(home, 65_534, 65_534);
    env = { PAYDESK_BASE_URL: sandbox.url, PAYDESK_APP_ID: appId, PAYDESK_API_KEY: sandbox.app.apiKey };
  });
  afterAll(async () => {
    chmodSync(home, 0o755);
    rmSync(home, { recursive: true });
    await sandbox.close();
  });

  const run = (words: string[], more: Record<string, string> = {}) =>
    paydesk(words, { home, under, env: { ...env, ...more }, input: 'sk_new' });

  it('can be read from', async () => {
    const { paymentId } = await sandbox.create();
    expect(await run(['payments', 'get', String(paymentId)])).toMatchObject({ code: 0, stderr: '' });
    expect(await run(['profiles', 'list'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('shop') as string,
    });
    const doctor = await run(['doctor', '--json']);
    expect(doctor.code).toBe(1);
    expect((JSON.parse(doctor.stdout) as Diagnosis).checks).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ name: 'config', status: 'warn' }),
        expect.objectContaining({
          name: 'ledger',
          status: 'fail',
          message: expect.stringContaining(`${join(home, 'data')} cannot be written`) as string,
        }),
      ]),
    );
  });

  it.each([
    ['payments', 'refund', 'id:1'],
    ['profiles', 'use', 'shop'],
    ['profiles', 'set', 'shop', '--read-only'],
    ['history'],
  ])('is named by %s %s, which ends with 4', async (...words) => {
    const { code, stderr } = await run(words);
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(home) as string });
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(/cannot be written: permission denied\..*PAYDESK_HOME/);
  });

  it('is not the only thing that can be closed: doctor knows the mode that a ledger of your own lacks', async () => {
    const own = mkdtempSync('/tmp/paydesk-own-home-');
    await paydesk(['history'], { home: own, env });
    const ledger = join(own, 'data', 'desk.db');
    chmodSync(ledger, 0o000);
    const { stdout } = await paydesk(['doctor', '--json'], { home: own, under, env });
    rmSync(own, { recursive: true });
    expect((JSON.parse(stdout) as Diagnosis).checks.find(({ name }) => name === 'ledger')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('you may not read and write it') as string,
      fix: `chmod 600 ${ledger}`,
    });
  });

  it('does not keep a sandbox in memory from starting', async () => {
    const words = ['sandbox', 'start', '--memory', '--no-profiles', '--port', '0', '--json'];
    const program = new URL('../../bin/run.js', import.meta.url).pathname;
    const [command = '', ...rest] = [...under, process.execPath, program, ...words];
    const child = spawn(command, rest, {
      env: { ...process.env, PAYDESK_HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), exited])) as [string];
    const { url } = JSON.parse(line) as { url: string };
    expect((await fetch(url)).status).toBeLessThan(500);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});
