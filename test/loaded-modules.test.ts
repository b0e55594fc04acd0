import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paydesk, type RunOptions } from './helpers/run.js';
import { envOf, openTestDesk, type TestDesk } from './helpers/desk.js';

const app = fileURLToPath(new URL('../dist/app/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'paydesk-loaded-'));
const preload = join(folder, 'note-what-is-loaded.cjs');
const note = join(folder, 'loaded.json');

/** The source files that a command loads: those of every chunk that it has read when it ends. */
async function loadedBy(
  args: string[],
  env: Record<string, string> = {},
  onStarted: RunOptions['onStarted'] = () => {},
): Promise<string[]> {
  const run = await paydesk(args, { env: { ...env, NODE_OPTIONS: `--require ${preload}` }, onStarted });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  // A file without a map holds no source: it only re-exports a chunk.
  const maps = readNote()
    .files.map((file) => `${file}.map`)
    .filter((file) => file.startsWith(app) && existsSync(file));
  const sources = maps.flatMap(
    (file) => (JSON.parse(readFileSync(file, 'utf8')) as { sources: string[] }).sources,
  );
  expect(sources).not.toEqual([]);
  return sources;
}

const readNote = () => JSON.parse(readFileSync(note, 'utf8')) as { files: string[]; ofNode: string[] };

const roomsOf = (sources: string[]): string[] => [
  ...new Set(sources.flatMap((source) => /(?:^|\/)src\/([^/]+)\//.exec(source)?.[1] ?? [])),
];
const packagesOf = (sources: string[]): string[] => [
  ...new Set(sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? [])),
];

describe('a start loads what it uses', () => {
  let desk: TestDesk;
  beforeAll(async () => {
    writeFileSync(
      preload,
      `const fs = require('node:fs');
      const { openSync } = fs;
      const files = [];
      fs.openSync = (file, ...rest) => (files.push(String(file)), openSync(file, ...rest));
      process.on('exit', () => fs.writeFileSync(${JSON.stringify(note)}, JSON.stringify({
        files,
        ofNode: process.moduleLoadList,
      })));`,
    );
    desk = await openTestDesk();
  });
  afterAll(async () => {
    await desk.sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('payments get --json', async () => {
    const { paymentId } = await desk.paid();
    const sources = await loadedBy(['payments', 'get', String(paymentId), '--json'], envOf(desk.sandbox));
    expect(sources.filter((source) => /src\/store\/(?!errors)/.test(source))).toEqual([]);
    expect(sources.filter((source) => source.includes('src/ledger/'))).toEqual([
      expect.stringContaining('known/storable-payment'),
    ]);
    expect(roomsOf(sources).sort()).toEqual([
      'cli',
      'client',
      'commands',
      'contract',
      'ledger',
      'output',
      'payments',
      'profiles',
      'store',
    ]);
    const unwanted = /^(@inquirer|cli-table3|chalk|conf$|kysely|zod|pg|hono|@hono|csv-|jq-wasm|open$|uqr)/;
    const others = packagesOf(sources).filter((name) => unwanted.test(name));
    expect(others).toEqual([]);
    const late = /^NativeModule (crypto|fs\/promises|perf_hooks|readline)$/;
    expect(readNote().ofNode.filter((name) => late.test(name))).toEqual([]);
  });

  it('payments refund --json needs no query builder for a ledger that is there, nor cryptography', async () => {
    const [first, second] = [await desk.paid(), await desk.paid()];
    const env = { ...envOf(desk.sandbox), PAYDESK_HOME: join(folder, 'home') };
    const made = await loadedBy(['payments', 'refund', String(first.paymentId), '--json'], env);
    expect(packagesOf(made)).toContain('kysely');
    // What it reads goes to the journal, which the refund imports.
    await loadedBy(['payments', 'get', String(second.paymentId), '--json'], env);
    const sources = await loadedBy(['payments', 'refund', String(second.paymentId), '--json'], env);
    const unwanted = /^(@inquirer|cli-table3|chalk|conf$|kysely|zod|pg|hono|@hono|csv-|jq-wasm|open$|uqr)/;
    expect(packagesOf(sources).filter((name) => unwanted.test(name))).toEqual([]);
    const late = /^NativeModule (crypto|perf_hooks|timers\/promises)$/;
    expect(readNote().ofNode.filter((name) => late.test(name))).toEqual([]);
  });

  it('payments find --json needs neither the client nor the schemas of the service', async () => {
    const sources = await loadedBy(['payments', 'find', 'nobody', '--json'], envOf(desk.sandbox));
    expect(sources.filter((source) => /src\/client\/(client|transport|answers)/.test(source))).toEqual([]);
    const unwanted = /^(@inquirer|cli-table3|chalk|conf$|undici|zod|pg|hono|@hono|csv-|jq-wasm|open$|uqr)/;
    expect(packagesOf(sources).filter((name) => unwanted.test(name))).toEqual([]);
  });

  it('and a trace of it names lines of the source', async () => {
    const run = await paydesk(['payments', 'get', '1', '--debug'], { env: envOf(desk.sandbox) });
    const frames = Array.from(
      run.stderr.matchAll(/ at (?:async )?(?:\w+\.)?(\w+) \((.*?\/src\/.*?):(\d+):(\d+)\)/g),
      ([, name, file, line, column]) => ({
        name,
        text: readFileSync(file as string, 'utf8')
          .split('\n')
          .at(Number(line) - 1)
          ?.slice(Number(column) - 1),
      }),
    );
    expect(frames.length).toBeGreaterThan(3);
    // Each line calls the one before it.
    const called = ['new ServiceError', ...frames.map(({ name }) => `${name}(`)];
    for (const [index, { text }] of frames.slice(0, 4).entries()) expect(text).toContain(called[index]);
  });

  it('a sandbox that was asked for its health and its description has not loaded its pages', async () => {
    const statuses = Promise.withResolvers<number[]>();
    const ask = async (line: string) => {
      const { url } = JSON.parse(line) as { url: string };
      const answers = await Promise.all(['/healthz', '/openapi.json'].map((path) => fetch(url + path)));
      return answers.map(({ status }) => status);
    };
    const sources = await loadedBy(['sandbox', 'start', '--port', '0', '--json'], {}, (child) => {
      child.stdout?.once('data', (line) => {
        void ask(String(line))
          .then(statuses.resolve, statuses.reject)
          .finally(() => child.kill('SIGTERM'));
      });
    });
    expect(await statuses.promise).toEqual([200, 200]);
    expect(
      sources.filter((source) => /src\/(sandbox\/http\/pages|contract\/openapi\.)/.test(source)),
    ).toEqual([]);
    const unwanted = /^(@inquirer|cli-table3|chalk|pg|hono|@hono|jq-wasm|open$|uqr)/;
    expect(packagesOf(sources).filter((name) => unwanted.test(name))).toEqual([]);
  });

  it.each([[['--version']], [['--help']], [['payments', '--help']], [['payments', 'get', '--help']]])(
    '%j needs the manifest alone',
    async (args) => {
      const sources = await loadedBy(args);
      const widths = /^fast-string-/;
      expect(packagesOf(sources).filter((name) => !widths.test(name))).toEqual([]);
      expect(roomsOf(sources).filter((room) => !['cli', 'output'].includes(room))).toEqual([]);
    },
  );
});
