import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

// The compiled code that bin/kept-code.cjs keeps for the next start, and bin/loader.cjs takes.

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'paydesk-loader-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Notes for each file of the program whether V8 took compiled code for it. */
const preload = join(folder, 'note-compiled.cjs');
writeFileSync(
  preload,
  `const vm = require('node:vm');
  const taken = {};
  vm.Script = class extends vm.Script {
    constructor(code, options) {
      super(code, options);
      if (options?.filename) taken[options.filename] = this.cachedDataRejected === false;
    }
  };
  process.on('exit', () => require('node:fs').writeFileSync(process.env.NOTE, JSON.stringify(taken)));`,
);

let place: string;
let caches: string;
let program: string;
beforeEach(() => {
  place = mkdtempSync(join(folder, 'place-'));
  caches = join(place, 'caches');
  program = root;
});

function programWith(env: Record<string, string | undefined> = {}) {
  return {
    args: ['--require', preload, join(program, 'bin', 'run.js')],
    env: {
      HOME: place,
      XDG_CACHE_HOME: caches,
      PAYDESK_HOME: join(place, 'home'),
      PAYDESK_BASE_URL: 'http://127.0.0.1:9',
      PAYDESK_APP_ID: 'app_1',
      PAYDESK_API_KEY: 'key_1',
      NOTE: join(place, 'note.json'),
      ...env,
    },
  };
}

/** How many files the program loaded, and for how many of them V8 took compiled code. */
function noted(): { files: number; taken: number } {
  const note = JSON.parse(readFileSync(join(place, 'note.json'), 'utf8')) as Record<string, boolean>;
  const taken = Object.values(note);
  return { files: taken.length, taken: taken.filter(Boolean).length };
}

function run(args: string[], env?: Record<string, string | undefined>) {
  const { args: start, ...options } = programWith(env);
  const { status, stdout, stderr } = spawnSync(process.execPath, [...start, ...args], {
    encoding: 'utf8',
    ...options,
  });
  return { code: status, stdout, stderr, ...noted() };
}

async function serveUntilInterrupted(times: number) {
  const { args: start, env } = programWith();
  const server = spawn(
    process.execPath,
    [...start, 'sandbox', 'start', '--memory', '--port', '0', '--json'],
    {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await once(server.stdout, 'data');
  for (let time = 0; time < times; time += 1) server.kill('SIGINT');
  const [code] = (await once(server, 'exit')) as [number | null];
  return { code, ...noted() };
}

/** A command that loads several files and opens no database. */
const list = ['profiles', 'list', '--json'];
const table = ['profiles', 'list', '--csv'];
const listed = { code: 0, stdout: '[]\n', stderr: '' };
const parent = () => join(caches, 'paydesk-compiled');
const keptFolder = () => globSync(join(parent(), `*-${process.version}-*`))[0] as string;
const keptFile = (name = 'commands-profiles-list.js') => join(keptFolder(), name);

const kept = new Map<string, { copy: string; files: number }>();

/**
 * Keeps the code of `list` as this many runs leave it, and returns how many files it is of. The first test that needs it
 * runs the program, and the others get a copy.
 */
function keepList(runs = 2): number {
  const key = `${program} ${runs}`;
  const known = kept.get(key) ?? keepByRunning(runs);
  kept.set(key, known);
  cpSync(known.copy, caches, { recursive: true });
  // A copy has the mode that the umask gives it, and one that others can write to is not taken.
  for (const path of [caches, parent(), keptFolder()]) chmodSync(path, 0o700);
  return known.files;
}

function keepByRunning(runs: number): { copy: string; files: number } {
  const ran = Array.from({ length: runs }, () => run(list));
  const { files = 0 } = ran[0] ?? {};
  expect(ran.at(-1)).toMatchObject({ ...listed, taken: files });
  const copy = mkdtempSync(join(folder, 'kept-'));
  renameSync(caches, join(copy, 'caches'));
  return { copy: join(copy, 'caches'), files };
}

describe('compiled code', () => {
  it('is kept by a run that succeeded, for its owner alone, and taken by the next one', () => {
    expect(run(list)).toMatchObject({ ...listed, taken: 0 });
    expect(readdirSync(keptFolder()).sort()).toEqual(['commands-profiles-list.js', 'start.js']);
    expect(statSync(keptFolder()).mode & 0o777).toBe(0o700);
    expect(statSync(keptFile()).mode & 0o777).toBe(0o600);
    const second = run(list);
    expect(second).toMatchObject({ ...listed, taken: second.files });
  });

  it('grows with the functions that the first three runs called, and is then left as it is', () => {
    const written = Array.from({ length: 5 }, () => {
      run(list);
      return statSync(keptFile()).mtimeMs;
    });
    expect(new Set(written).size).toBe(3);
    expect(new Set(written.slice(2)).size).toBe(1);
  });

  it('is added to when a run loads more than those before it', () => {
    const files = keepList(3);
    const first = run(table);
    expect(first.taken).toBeGreaterThan(0);
    expect(first.files).toBeGreaterThan(first.taken);
    const after = run(table);
    expect(after.taken).toBe(after.files);
    expect(run(list)).toMatchObject({ ...listed, taken: files });
  });

  it('is kept of each command that one process runs, without a warning', () => {
    const demo = run(['demo']);
    expect([demo.code, demo.stderr.includes('Warning'), demo.stdout.includes('Warning')]).toEqual([
      0,
      false,
      false,
    ]);
    expect(readdirSync(keptFolder())).toEqual(
      expect.arrayContaining(['commands-demo.js', 'commands-payments-charge.js', 'start.js']),
    );
  });

  it.each([
    ['Ctrl-C', 1],
    ['Ctrl-C twice', 2],
  ])('is kept of a server that ends with %s', async (_, times) => {
    expect(await serveUntilInterrupted(times)).toMatchObject({ code: 130, taken: 0 });
    // What it still loads while it serves already may be in one run and not in another.
    const { code, taken } = await serveUntilInterrupted(times);
    expect(code).toBe(130);
    expect(taken).toBeGreaterThan(0);
  });

  it('is not kept of a run that failed', () => {
    expect(run(['payments', 'get', '--nonsense']).code).toBe(2);
    expect(existsSync(caches)).toBe(false);
  });

  it('is neither kept nor taken where Node is told to do without', () => {
    expect(run(list, { NODE_DISABLE_COMPILE_CACHE: '1' })).toMatchObject(listed);
    expect(existsSync(caches)).toBe(false);
    keepList();
    expect(run(list, { NODE_DISABLE_COMPILE_CACHE: '1' })).toMatchObject({ ...listed, taken: 0 });
  });

  it('is taken by no run with other flags of V8', () => {
    keepList();
    expect(run(list, { NODE_OPTIONS: '--interpreted-frames-native-stack' })).toMatchObject({
      ...listed,
      taken: 0,
    });
  });

  it('is taken by the next run of a command that changes the flags of V8 while it works', () => {
    const orders = join(place, 'orders.csv');
    writeFileSync(orders, 'reference\ninv-1\n');
    const typed = [process.execPath, '--require', preload, join(root, 'bin', 'run.js')].join(' ');
    const create = 'payments create --reference inv-1 --amount 1 --currency EUR --customer c1 --flow plain';
    const script = `${typed} ${create} && NOTE=${place}/import.json ${typed} payments import ${orders}`;
    const exec = ['sandbox', 'exec', '--', 'sh', '-c', script];
    expect(run(exec).code).toBe(0);
    const second = run(exec);
    expect(second).toMatchObject({ code: 0, taken: second.files });
    const imported = JSON.parse(readFileSync(join(place, 'import.json'), 'utf8')) as object;
    expect(new Set(Object.values(imported))).toEqual(new Set([true]));
  });

  it('does without a folder that cannot be made', () => {
    writeFileSync(caches, 'a file');
    expect(run(list)).toMatchObject({ ...listed, taken: 0 });
    expect(run(list, { XDG_CACHE_HOME: '/proc/nowhere' })).toMatchObject({ ...listed, taken: 0 });
    for (const home of ['', 'relative'])
      expect(run(list, { XDG_CACHE_HOME: '', HOME: home })).toMatchObject({ ...listed, taken: 0 });
    expect(readdirSync(place).sort()).toEqual(['caches', 'note.json']);
  });

  it('does without a folder that cannot be written, and says nothing about it', () => {
    keepList();
    rmSync(keptFile());
    // Nobody is kept from writing by a mode who is root.
    const restrict = `const fs = require('node:fs');
      for (const name of ['mkdirSync', 'openSync', 'rmSync', 'unlinkSync', 'renameSync', 'utimesSync']) {
        const real = fs[name];
        fs[name] = (path, ...rest) => {
          if (String(path).startsWith(${JSON.stringify(caches)}) && !(name === 'openSync' && rest[0] !== 'wx'))
            throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
          return real(path, ...rest);
        };
      }`;
    const script = join(place, 'restrict.cjs');
    writeFileSync(script, restrict);
    expect(run(list, { NODE_OPTIONS: `--require ${script}` })).toMatchObject(listed);
    expect(existsSync(keptFile())).toBe(false);
  });

  describe.skipIf(process.platform === 'win32')('is neither kept nor taken', () => {
    const refused = () => {
      expect(run(list)).toMatchObject({ ...listed, taken: 0 });
    };
    const writtenTime = () => statSync(keptFile()).mtimeMs;

    it.each(['the folder', 'the folder above it', 'the file'])('where others can write to %s', (what) => {
      keepList();
      const path = { 'the folder': keptFolder(), 'the folder above it': parent(), 'the file': keptFile() }[
        what
      ];
      const before = writtenTime();
      chmodSync(path as string, 0o770);
      if (what === 'the file') {
        const { files, taken } = run(list);
        return expect(taken).toBeLessThan(files);
      }
      refused();
      return expect(writtenTime()).toBe(before);
    });

    it('where others can replace the folder', () => {
      keepList();
      const before = writtenTime();
      chmodSync(caches, 0o777);
      refused();
      expect(writtenTime()).toBe(before);
      // In a folder for everybody's files, nobody can replace those of others.
      chmodSync(caches, 0o1777);
      expect(run(list).taken).toBeGreaterThan(0);
    });

    it.runIf(process.getuid?.() === 0)('where it belongs to somebody else', () => {
      for (const path of [() => parent(), () => keptFolder()]) {
        keepList();
        chownSync(path(), 65534, 65534);
        refused();
        chownSync(path(), 0, 0);
      }
      chownSync(keptFile(), 65534, 65534);
      chownSync(keptFile('start.js'), 65534, 65534);
      refused();
    });

    it('where a link stands for the folder or the file', () => {
      keepList();
      const real = `${keptFile()}.real`;
      renameSync(keptFile(), real);
      symlinkSync(real, keptFile());
      const { files, taken } = run(list);
      expect(taken).toBeLessThan(files);
      const folder = keptFolder();
      renameSync(folder, join(place, 'elsewhere'));
      symlinkSync(join(place, 'elsewhere'), folder);
      refused();
    });

    it('where the file is none', () => {
      keepList();
      rmSync(keptFile());
      execFileSync('mkfifo', [keptFile()]);
      expect(run(list)).toMatchObject(listed);
    });
  });

  it('is not taken from a file that was cut short or damaged, which is then replaced', () => {
    const files = keepList();
    truncateSync(keptFile(), statSync(keptFile()).size - 8);
    truncateSync(keptFile('start.js'), 0);
    expect(run(list)).toMatchObject({ ...listed, taken: 0 });
    expect(run(list)).toMatchObject({ ...listed, taken: files });
    const bytes = readFileSync(keptFile());
    bytes.fill(0, bytes.length - 8192, bytes.length - 4096);
    writeFileSync(keptFile(), bytes);
    expect(run(list).taken).toBeLessThan(files);
    expect(run(list)).toMatchObject({ ...listed, taken: files });
  });

  it('leaves nothing half written behind, and removes what a killed process left', () => {
    keepList();
    const left = `${keptFile()}.abc`;
    const recent = `${keptFile()}.def`;
    for (const file of [left, recent]) writeFileSync(file, '');
    const before = new Date(Date.now() - 2 * 3_600_000);
    utimesSync(left, before, before);
    run(table);
    expect(readdirSync(keptFolder()).filter((name) => !name.endsWith('.js'))).toEqual([
      'commands-profiles-list.js.def',
    ]);
  });

  it('goes when its version of the program was not used for a month, and nothing else does', () => {
    const version = (digit: string) => `${digit.repeat(16)}-v24.15.0-x64-${digit.repeat(8)}`;
    const longAgo = new Date(Date.now() - 31 * 86_400_000);
    const fill = (name: string, file: string, time = longAgo) => {
      mkdirSync(join(parent(), name), { recursive: true });
      writeFileSync(join(parent(), name, file), '');
      utimesSync(join(parent(), name), time, time);
    };
    mkdirSync(caches, { mode: 0o700 });
    mkdirSync(parent(), { mode: 0o700 });
    fill(version('a'), 'start.js');
    fill(version('b'), 'start.js', new Date());
    fill(version('c'), 'desk.db');
    fill('data', 'desk.db');
    symlinkSync(join(place, 'nowhere'), join(parent(), version('d')));
    run(list);
    const own = keptFolder().slice(parent().length + 1);
    expect(readdirSync(parent()).sort()).toEqual(
      [own, 'data', version('b'), version('c'), version('d')].sort(),
    );
    expect(readdirSync(join(parent(), version('c')))).toEqual(['desk.db']);
  });

  it('stays while it is used', () => {
    keepList(3);
    const longAgo = new Date(Date.now() - 31 * 86_400_000);
    utimesSync(keptFolder(), longAgo, longAgo);
    run(list);
    expect(Date.now() - statSync(keptFolder()).mtimeMs).toBeLessThan(86_400_000);
  });
});

describe('compiled code of a program that was changed', () => {
  /** A copy, with the packages that it loads. */
  beforeEach(() => {
    program = join(place, 'program');
    for (const name of ['bin', 'package.json', 'oclif.manifest.json', 'scenarios', join('dist', 'app')])
      cpSync(join(root, name), join(program, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(program, 'node_modules'));
  });

  const found = 'has no known payments yet';
  const other = 'knows of no payments yet!';
  const filesWith = (text: string) =>
    globSync(join(program, 'dist', 'app', '**', '*.js')).filter((file) =>
      readFileSync(file, 'latin1').includes(text),
    );

  it('is not run, not even where the file has as many bytes and the old time', () => {
    const find = ['payments', 'find', 'nobody'];
    expect(run(find).stderr).toContain(found);
    expect(filesWith(found)).not.toEqual([]);
    for (const file of filesWith(found)) {
      const { atime, mtime } = statSync(file);
      writeFileSync(file, readFileSync(file, 'latin1').replace(found, other), 'latin1');
      utimesSync(file, atime, mtime);
    }
    expect(run(find).stderr).toContain(other);
  });

  it('is not taken by a program with another id', () => {
    keepList();
    writeFileSync(join(program, 'dist', 'app', 'build-id'), 'another');
    expect(run(list)).toMatchObject({ ...listed, taken: 0 });
  });

  it('is not kept of a program without an id', () => {
    rmSync(join(program, 'dist', 'app', 'build-id'));
    expect(run(list)).toMatchObject(listed);
    expect(existsSync(caches)).toBe(false);
  });
});
