import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
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

// The compiled code that bin/loader.cjs keeps for the next start.

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

/** Runs the program, and counts its files and those that V8 took compiled code for. */
function run(args: string[], env: Record<string, string> = {}) {
  const note = join(place, 'note.json');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--require', preload, join(program, 'bin', 'run.js'), ...args],
    {
      encoding: 'utf8',
      env: {
        HOME: place,
        XDG_CACHE_HOME: caches,
        PAYDESK_HOME: join(place, 'home'),
        PAYDESK_BASE_URL: 'http://127.0.0.1:9',
        PAYDESK_APP_ID: 'app_1',
        PAYDESK_API_KEY: 'key_1',
        NOTE: note,
        ...env,
      },
    },
  );
  const taken = Object.values(JSON.parse(readFileSync(note, 'utf8')) as Record<string, boolean>);
  return { code: status, stdout, stderr, files: taken.length, taken: taken.filter(Boolean).length };
}

const list = ['payments', 'list', '--json'];
const listed = { code: 0, stdout: '[]\n', stderr: '' };
const keptFolder = () => globSync(join(caches, 'paydesk', '*-v*'))[0] as string;
const keptFile = (name = 'commands-payments-list.js') => join(keptFolder(), name);

function keepList(): void {
  run(list);
  const { files, taken } = run(list);
  expect(taken).toBe(files);
}

describe('compiled code', () => {
  it('is kept by a run that succeeded, for its owner alone, and taken by the next one', () => {
    expect(run(list)).toMatchObject({ ...listed, taken: 0 });
    expect(readdirSync(keptFolder()).sort()).toEqual(['commands-payments-list.js', 'start.js']);
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
    for (let runs = 0; runs < 3; runs += 1) run(list);
    const before = run(list);
    const table = ['payments', 'list', '--csv'];
    expect(run(table).taken).toBeGreaterThan(0);
    const after = run(table);
    expect(after.taken).toBe(after.files);
    expect(run(list)).toMatchObject({ ...listed, taken: before.files });
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
  });

  it.skipIf(process.platform === 'win32')('is not taken from a folder that others can write to', () => {
    keepList();
    chmodSync(keptFolder(), 0o770);
    expect(run(list)).toMatchObject({ ...listed, taken: 0 });
    chmodSync(keptFolder(), 0o700);
    expect(run(list).taken).toBeGreaterThan(0);
  });

  it('is not taken from a file that was cut short, which is then replaced', () => {
    keepList();
    truncateSync(keptFile(), statSync(keptFile()).size - 8);
    truncateSync(keptFile('start.js'), 0);
    expect(run(list)).toMatchObject({ ...listed, taken: 0 });
    const next = run(list);
    expect(next.taken).toBe(next.files);
  });

  it('leaves nothing half written behind', () => {
    keepList();
    expect(readdirSync(keptFolder()).filter((name) => !name.endsWith('.js'))).toEqual([]);
  });

  it('goes when its version of the program was not used for a month', () => {
    const parent = join(caches, 'paydesk');
    const [old, recent] = [join(parent, 'old'), join(parent, 'recent')];
    for (const path of [old, recent]) mkdirSync(path, { recursive: true });
    const longAgo = new Date(Date.now() - 31 * 86_400_000);
    utimesSync(old, longAgo, longAgo);
    run(list);
    expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
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

  it('is not run, not even where the file has as many bytes', () => {
    const find = ['payments', 'find', 'nobody'];
    expect(run(find).stderr).toContain(found);
    expect(filesWith(found)).not.toEqual([]);
    for (const file of filesWith(found))
      writeFileSync(file, readFileSync(file, 'latin1').replace(found, other), 'latin1');
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
