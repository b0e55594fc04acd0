// Whether locks on files lock: on some network file systems they do not, and then two processes write at once.
// Only another process can tell, because the locks of one process never stand in its own way.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { takeExclusiveLock, type ExclusiveLock } from './exclusive-lock.js';
import { makePrivate } from './private-file.js';
import { sqliteUnusable } from './sqlite-failures.js';

const TIMEOUT_MS = 20_000;

/** `ask` are the words that start a process which prints `describeLock` of the file that is added to them. */
export async function probeLocks(
  file: string,
  ask: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const probe = `${file}.probe-${randomBytes(6).toString('hex')}`;
  let lock: ExclusiveLock | undefined;
  try {
    makePrivate(probe);
    lock = takeExclusiveLock(probe);
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
export function describeLock(probe: string): string {
  const lock = takeExclusiveLock(probe);
  lock?.close();
  return lock === undefined ? LOCKED : 'free';
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
