import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'dist', 'standalone');
const target = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const executable = join(out, `paydesk-${target}${process.platform === 'win32' ? '.exe' : ''}`);
const empty = mkdtempSync(join(tmpdir(), 'paydesk-empty-'));

const build = () => promisify(execFile)(process.execPath, [join(root, 'bin', 'standalone.js'), target]);

/** As on a machine that has nothing: no Node, no files but the executable. */
function run(...args: string[]) {
  return promisify(execFile)(executable, args, {
    cwd: empty,
    env: { PATH: '/nonexistent', HOME: empty, PAYDESK_HOME: join(empty, 'home') },
  });
}

describe('the executable that needs no Node', () => {
  beforeAll(async () => void (await build()));
  afterAll(() => rmSync(empty, { recursive: true, force: true }));

  it('says its version and helps', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect((await run('--version')).stdout).toContain(`paydesk/${version} `);
    expect((await run('payments', 'get', '--help')).stdout).toContain(
      'USAGE\n  $ paydesk payments get PAYMENT...',
    );
  });

  it('shows the tour', async () => {
    expect((await run('demo')).stdout).toContain('Refunded');
  });

  it('starts a sandbox in the background, which is the same executable, and works with it', async () => {
    await run('sandbox', 'start', '--port', '0', '--memory', '--detach');
    try {
      const create = [
        '--amount',
        '5.00',
        '--currency',
        'EUR',
        '--customer',
        'c_1',
        '--return-url',
        'https://s.example',
      ];
      await run('payments', 'create', ...create, '--reference', 'inv-1', '--json');
      await run('sandbox', 'pay', 'inv-1', '--card', 'approved');
      const { stdout } = await run('payments', 'refund', 'inv-1', '--wait', '--jq', '.outcome');
      expect(stdout).toBe('done\n');
      expect((await run('history', '--csv')).stdout).toContain('refund');
      writeFileSync(join(empty, 'orders.csv'), 'reference,name\ninv-1,Ana Vidal\n');
      await run('payments', 'import', 'orders.csv');
      expect((await run('payments', 'find', 'vidal', '--json')).stdout).toContain('"inv-1"');
    } finally {
      await run('sandbox', 'stop');
    }
  });

  it('has the scenarios that ship, and runs them', async () => {
    const shipped = readdirSync(join(root, 'scenarios'))
      .map((file) => file.replace(/\.yaml$/, ''))
      .sort();
    const { stdout } = await run('scenario', 'list', '--columns', 'name');
    expect(stdout.trim().split('\n')).toEqual(shipped);
    const text = readFileSync(join(root, 'scenarios', 'refund-lost-answer.yaml'), 'utf8');
    expect((await run('scenario', 'show', 'refund-lost-answer')).stdout).toBe(text);
    const ran = await run('scenario', 'run', 'refund-lost-answer', 'batch-refunds', '--jq', '.passed');
    expect(ran.stdout).toBe('2\n');
  });

  it('says what is in it', () => {
    const { components } = JSON.parse(readFileSync(join(out, 'paydesk.cdx.json'), 'utf8')) as {
      components: Array<{ name: string; version: string; licenses?: unknown[] }>;
    };
    const names = components.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['node', 'undici', 'zod', 'kysely', 'hono', 'pg', '@oclif/core']),
    );
    expect(components.filter(({ licenses }) => licenses === undefined)).toEqual([]);
  });
});
