import type { Stats } from 'node:fs';
import { StoreError } from './errors.js';

/** How long another process may take from making the file to writing to it. */
const FIRST_WRITE_MS = 2_000;
const POLL_MS = 20;

/**
 * The file behind all links, whether it exists or not. The files beside a database are named after it, so that two
 * names would mean two locks. A folder is refused before anything is made beside it.
 */
export function realFile(file: string): string {
  const { lstatSync, readlinkSync, realpathSync } = process.getBuiltinModule('node:fs');
  const { basename, dirname, join, resolve } = process.getBuiltinModule('node:path');
  let path = resolve(file);
  // As many links as Linux follows.
  for (let links = 0; links < 40; links += 1) {
    path = join(realpathSync(dirname(path)), basename(path));
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw isFolder(path);
    if (!found?.isSymbolicLink()) return path;
    path = resolve(dirname(path), readlinkSync(path));
  }
  throw new Error('it is a link that leads to itself');
}

/**
 * A new file is its owner's alone, whatever the umask; SQLite gives the files beside a database its mode. A file that
 * exists is not opened: closing it again would let go of the locks that this process has on it.
 */
export function makePrivate(file: string): { isNew: boolean } {
  const { closeSync, openSync } = process.getBuiltinModule('node:fs');
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return { isNew: true };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return { isNew: false };
  }
}

/** Makes the database file, or refuses one that is there and cannot be trusted with what is written to it. */
export async function prepareFile(file: string): Promise<void> {
  const { statSync } = process.getBuiltinModule('node:fs');
  const stat = (path: string) => statSync(path, { throwIfNoEntry: false });
  let found = stat(file);
  if (!found) {
    if (makePrivate(file).isNew) return;
    found = stat(file);
  }
  if (found) refuseShared(file, found);
  const log = stat(`${file}-wal`);
  if (log) refuseShared(`${file}-wal`, log);
  if (found?.size === 0) await firstWrite(file);
}

async function firstWrite(file: string): Promise<void> {
  const { statSync } = process.getBuiltinModule('node:fs');
  const limit = performance.now() + FIRST_WRITE_MS;
  while (statSync(file, { throwIfNoEntry: false })?.size === 0) {
    if (performance.now() > limit) {
      // SQLite's journal of the first write: the process that made the file was killed before it was done.
      if (statSync(`${file}-journal`, { throwIfNoEntry: false })) return;
      throw emptied(file);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function refuseShared(file: string, { mode, nlink }: Stats): void {
  // Windows has no modes, and says that everybody may write.
  if ((mode & 0o022) !== 0 && process.platform !== 'win32') {
    throw new StoreError(
      'store-unusable',
      `Other users can write to the database ${file} (mode 0${(mode & 0o777).toString(8)}). It was not opened. ` +
        'Check what is in it, then let only its owner write to it.',
      { fix: [['chmod', '600', file]] },
    );
  }
  if (nlink > 1) {
    const copy = `${file}.copy`;
    throw new StoreError(
      'store-unusable',
      `The database ${file} has ${nlink} names (hard links). It was not opened: what is written under one name would ` +
        'be lost under another. Remove the other names, or replace this one with a copy.',
      {
        fix: [
          ['cp', file, copy],
          ['mv', copy, file],
        ],
      },
    );
  }
}

function isFolder(path: string): StoreError {
  return new StoreError(
    'store-unusable',
    `${path} is a folder, and the database must be a file. Nothing was written. ` +
      'Name a file instead, or move the folder away.',
  );
}

function emptied(file: string): StoreError {
  return new StoreError(
    'store-unusable',
    `The database ${file} is empty (0 bytes): something has removed what was in it. Nothing was written. ` +
      'Restore it from a backup, or remove the file to start with a new one.',
    { reason: 'damaged' },
  );
}
