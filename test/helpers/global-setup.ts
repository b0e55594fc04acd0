import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const MEMORY = '/dev/shm';
const PREFIX = 'pd-';
const PID_FILE = '.pid';
const NEEDED_BYTES = 2 * 1024 ** 3;

/** Compiles, and gives the tests one temporary folder, in memory where that is possible, which it removes after the last of them. */
export default function setup(): () => void {
  compile();
  const before = process.env['TMPDIR'];
  const folder = makeFolder();
  process.env['TMPDIR'] = folder;
  process.env['PAYDESK_TEST_PARENT'] = dirname(folder);
  // Where Node and the program keep compiled code: whatever the tests start then starts in half the time.
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'node-compile-cache');
  process.env['XDG_CACHE_HOME'] = join(folder, 'caches');
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    endServers(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** What the tests import; what they run as a process is the bundle of `npm run compile`. */
function compile(): void {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['-p', join(root, 'src'), '--noCheck'];
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...options], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The program cannot be compiled:\n${stdout}`);
}

/** PostgreSQL does not end by itself where the worker that started it was killed. */
function endServers(folder: string): void {
  for (const file of globSync(join(folder, 'paydesk-postgres-*', 'data', 'postmaster.pid'))) {
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
    if (isAlive(pid)) process.kill(pid, 'SIGQUIT');
  }
}

/** Nearly every test writes a database. On a disk each one waits about 100 ms for it, in memory 2 ms. */
function makeFolder(): string {
  removeLeftovers(MEMORY);
  if (existsSync(MEMORY)) {
    const { bavail, bsize } = statfsSync(MEMORY);
    const folder = bavail * bsize < NEEDED_BYTES ? undefined : mkdtemp(MEMORY);
    if (folder !== undefined && canExecute(folder)) return folder;
    if (folder !== undefined) rmSync(folder, { recursive: true });
  }
  const folder = mkdtemp(tmpdir());
  if (folder === undefined) throw new Error(`The tests cannot write to ${tmpdir()}.`);
  return folder;
}

function mkdtemp(parent: string): string | undefined {
  try {
    // A short name: tests look at screens that show paths in it.
    const folder = mkdtempSync(join(parent, PREFIX));
    writeFileSync(join(folder, PID_FILE), String(process.pid));
    // PostgreSQL runs as another user.
    chmodSync(folder, 0o1777);
    return folder;
  } catch {
    return undefined;
  }
}

/** Tests put programs of their own into the folder, and it may be mounted without the right to run them. */
function canExecute(folder: string): boolean {
  const script = join(folder, 'probe');
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
  return spawnSync(script).status === 0;
}

/** A run that was killed has removed nothing, and what it left takes memory. */
function removeLeftovers(parent: string): void {
  const names = existsSync(parent) ? readdirSync(parent).filter((name) => name.startsWith(PREFIX)) : [];
  for (const name of names) {
    const file = join(parent, name, PID_FILE);
    if (existsSync(file) && !isAlive(Number(readFileSync(file, 'utf8'))))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
