// Whether locks on files lock: on some network file systems they do not, and then two processes write at once.
// Only another process can tell, because the locks of one process never stand in its own way.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { makePrivate } from './private-file.js';
import { isBusy, sqliteUnusable } from './sqlite-failures.js';

const TIMEOUT_MS = 20_000;

/** `ask` are the words that start a process which prints `tryLock` of the file that is added to them. */
export async function probeLocks(
  file: string,
  ask: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const probe = `${file}.probe-${randomBytes(6).toString('hex')}`;
  let lock: ReturnType<typeof takeLock>;
  try {
    makePrivate(probe);
    lock = takeLock(probe);
    if (lock === undefined) return false;
    return (await outputOf([...ask, probe], env)) === LOCKED;
  } catch (error) {
    throw sqliteUnusable(error, file);
  } finally {
    lock?.close();
    rmSync(probe, { force: true });
  }
}

const LOCKED = 'locked';

/** In the other process: what it finds. */
export function tryLock(probe: string): string {
  const lock = takeLock(probe);
  lock?.close();
  return lock === undefined ? LOCKED : 'free';
}

function takeLock(file: string): { close(): void } | undefined {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function outputOf(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const [program = '', ...args] = words;
  return new Promise((resolve) => {
    const limits = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' as const };
    execFile(program, args, { ...limits, env: { ...env } }, (_error, stdout) => resolve(stdout.trim()));
  });
}
