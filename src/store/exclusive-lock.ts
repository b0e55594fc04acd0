import { isBusy } from './sqlite-failures.js';

export interface ExclusiveLock {
  close(): void;
}

/** An exclusive transaction on a file that is used for nothing else; undefined when another process has one. */
export function takeExclusiveLock(file: string): ExclusiveLock | undefined {
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
