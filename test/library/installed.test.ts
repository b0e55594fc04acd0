// The examples of the library as they stand, in a project that has installed the tarball.

import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'paydesk-library-'));
const jest = join(root, 'test', 'library', 'jest');
const { PATH, HOME } = process.env;
const env = { PATH, HOME, NO_COLOR: '1' };

const run = (program: string, words: string[], cwd: string, more: NodeJS.ProcessEnv = {}) =>
  promisify(execFile)(program, words, { cwd, env: { ...env, ...more }, maxBuffer: 16 * 1024 * 1024 });
// A registry may be reached through settings in the environment: a proxy, a certificate.
const npm = (words: string[], cwd: string) =>
  run('npm', [...words, '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], cwd, process.env);
const node = (...words: string[]) => run(process.execPath, words, project);

/** As for the tests themselves: limits and not measurements. A runner's own are too short for a machine that is busy. */
const LIMIT_MS = 900_000;

let packed: string[] = [];

/** The examples for a runner, as the pages show them. */
function examplesFor(runner: string): string[] {
  return ['README.md', 'docs/recipes/sandbox-in-your-tests.md'].flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    return Array.from(text.matchAll(/```js ([\w:]+)\n([\s\S]*?)```/g), ([, of, code = '']) => ({ of, code }))
      .filter(({ of }) => of === runner)
      .map(({ code }) => code);
  });
}

/** Writes the examples for a runner into a folder, and returns how many there are. */
function writeExamples(runner: string, folder: string): number {
  const examples = examplesFor(runner);
  mkdirSync(join(project, folder));
  for (const [index, code] of examples.entries()) {
    writeFileSync(join(project, folder, `${index}.test.js`), code);
  }
  return examples.length;
}

async function install(): Promise<void> {
  if (!existsSync(join(jest, 'node_modules'))) await npm(['ci'], jest);
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', project],
    root,
  );
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: Array<{ path: string }> }];
  packed = files.map(({ path }) => path);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await npm(['install', `./${filename}`], project);
  symlinkSync(join(root, 'node_modules', 'vitest'), join(project, 'node_modules', 'vitest'));
}

describe('a project that installed the tarball', () => {
  beforeAll(install);
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it('has its licence, its changes and how to report a vulnerability, and no sources', () => {
    expect(packed).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'CHANGELOG.md',
        'SECURITY.md',
        'README.md',
        'scenarios/approved-card.yaml',
        'node_modules/open/package.json',
      ]),
    );
    expect(packed.filter((path) => /^(src|test|docs|bench)\//.test(path))).toEqual([]);
  });

  it('runs the examples with node:test', async () => {
    const count = writeExamples('node:test', 'node');
    expect(count).toBe(1);
    const { stdout } = await node('--test', '--test-reporter=tap', 'node/*.test.js');
    expect(stdout).toContain(`# pass ${count}\n# fail 0`);
  });

  it('runs the examples with vitest', async () => {
    const count = writeExamples('vitest', 'vitest');
    expect(count).toBe(2);
    const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const report = join(project, 'vitest.json');
    const limits = [`--testTimeout=${LIMIT_MS}`, `--hookTimeout=${LIMIT_MS}`];
    const words = ['--root', join(project, 'vitest'), '--reporter=json', `--outputFile=${report}`];
    await node(program, 'run', ...words, ...limits);
    const result: unknown = JSON.parse(readFileSync(report, 'utf8'));
    expect(result).toMatchObject({ numTotalTests: count, numPassedTests: count });
  });

  it('runs the examples with jest', async () => {
    const count = writeExamples('jest', 'jest');
    expect(count).toBe(1);
    const program = join(jest, 'node_modules', 'jest', 'bin', 'jest.js');
    const words = [
      '--experimental-vm-modules',
      program,
      '--rootDir',
      join(project, 'jest'),
      '--json',
      `--testTimeout=${LIMIT_MS}`,
    ];
    const { stdout } = await node(...words);
    expect(JSON.parse(stdout)).toMatchObject({ numTotalTests: count, numPassedTests: count });
  });

  it('has the types of everything that is offered', async () => {
    writeFileSync(
      join(project, 'typed.ts'),
      `import { startSandbox, type Books, type Sandbox } from 'paydesk/sandbox';
const sandbox: Sandbox = await startSandbox({ seed: 7, clock: new Date() });
const books: Books = await sandbox.books('order-1');
export const told: number = books.refund.told;
// @ts-expect-error -- a seed is a number
await startSandbox({ seed: 'seven' });
`,
    );
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const words = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', 'typed.ts'];
    await expect(node(tsc, ...words)).resolves.toMatchObject({ stdout: '' });
  });
});
