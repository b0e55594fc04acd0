import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import ScenarioRun from '../../../src/commands/scenario/run.js';
import { runInProcess } from '../../helpers/in-process.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { start, type Running } from './running.js';

const shipped = fileURLToPath(new URL('../../../scenarios/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'paydesk-on-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Step = Record<string, unknown>;
type Expected = Record<string, unknown>;
const ownVerbs = ['clock', 'fault', 'app', 'seed', 'webhook'];
const ownExpectations = ['books', 'webhooks', 'all-webhooks', 'answers'];

const without = (expected: Expected): Expected =>
  Object.fromEntries(Object.entries(expected).filter(([key]) => !ownExpectations.includes(key)));

/** The shipped scenarios that need no sandbox of their own, without what is expected of one. */
function writeRunnable(): string[] {
  return readdirSync(shipped).flatMap((file) => {
    const { steps, ...rest } = parse(readFileSync(`${shipped}${file}`, 'utf8')) as { steps: Step[] };
    // How long something waits is only known where the clock stands still.
    const needsOwn = steps.some((step) => [...ownVerbs, 'watch'].some((verb) => verb in step));
    if (needsOwn) return [];
    const reduced = steps.map(({ expect: expected, ...step }) => {
      if (expected === undefined) return step;
      const all = Array.isArray(expected) ? (expected as Expected[]) : [expected as Expected];
      return { ...step, expect: all.map(without) };
    });
    const path = join(folder, file);
    writeFileSync(path, JSON.stringify({ ...rest, steps: reduced }));
    return [path];
  });
}

const run = (words: string[], env: Record<string, string>) =>
  runInProcess(ScenarioRun, words, { env, now: new Date() });

async function expectAllToPass(env: Record<string, string>): Promise<void> {
  const files = writeRunnable();
  expect(files.length).toBeGreaterThan(8);
  const { stdout, stderr, code } = await run([...files, '--on', 'local', '--parallel', '4'], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.match(/^passed/gm)).toHaveLength(files.length);
}

describe('on a running sandbox', () => {
  let running: Running;
  beforeAll(async () => {
    running = await start(['--memory']);
  });
  afterAll(() => running.stop());

  it('the shipped scenarios pass', () => expectAllToPass(running.env), 60_000);

  it('what needs a sandbox of its own is refused before the first step', async () => {
    const { code, stdout } = await run(['refund-lost-answer', '--on', 'local', '--json'], running.env);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: 'cannot-run-here',
        details: [
          { problem: 'fault needs a sandbox of its own: run it without --on' },
          { problem: 'expect books needs a sandbox of its own: run it without --on' },
          { problem: 'expect webhooks needs a sandbox of its own: run it without --on' },
        ],
      },
    });
  });

  it('a live app is refused, always', async () => {
    const refused = await run(['wrong-verb', '--on', 'local-live', '--json'], running.env);
    expect(refused.code).toBe(9);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: { code: 'live-app', exit: 9, next: ['paydesk profiles list'] },
    });
  });

  it('a read-only profile is refused', async () => {
    const env = { ...running.env, PAYDESK_READ_ONLY: '1' };
    const { code, stdout } = await run([writeRunnable()[0]!, '--on', 'local', '--json'], env);
    expect(code).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'read-only' } });
  });
});

describeWithPostgres('on PostgreSQL', (postgres) => {
  it('the shipped scenarios pass, with the ledger there too', async () => {
    const database = await postgres().createDatabase();
    const ledger = await postgres().createDatabase();
    const running = await start(['--database', database], { PAYDESK_DATABASE: ledger });
    try {
      await expectAllToPass(running.env);
    } finally {
      await running.stop();
    }
  });
});
