import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from './errors.js';

/** Primary result codes, https://sqlite.org/rescode.html */
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const FULL = 13;
const CORRUPT = 11;
const CANTOPEN = 14;
const NOTADB = 26;

const temporary = new Map([
  [BUSY, 'is locked by another process'],
  [LOCKED, 'is locked by another process'],
  [READONLY, 'cannot be written to'],
  [IOERR, 'cannot be read or written'],
  [FULL, 'cannot grow: the disk is full'],
  [CANTOPEN, 'cannot be opened'],
  [CORRUPT, 'is damaged'],
  [NOTADB, 'is no database any more'],
]);

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

export function isBusy(error: unknown): boolean {
  const code = primaryCode(error instanceof StoreError ? error.cause : error);
  return code === BUSY || code === LOCKED;
}

export function isReadOnly(error: unknown): boolean {
  return primaryCode(error) === READONLY;
}

/** A StoreError when it is the disk or a lock that failed; anything else (a constraint, bad SQL) as it is. */
export function sqliteFailure(error: unknown, file: string): unknown {
  const what = temporary.get(primaryCode(error) ?? -1);
  if (what === undefined) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new StoreError('store-unavailable', `The database ${file} ${what} (${detail}).`, { cause: error });
}

export function sqliteUnusable(error: unknown, file: string): StoreError {
  if (error instanceof StoreError && error.code !== 'store-unavailable') return error;
  const cause = error instanceof StoreError ? error.cause : error;
  if (isBusy(cause)) {
    return new StoreError('store-unavailable', `The database ${file} is locked by another process.`, {
      cause,
      reason: 'locked',
    });
  }
  const detail = cause instanceof Error ? cause.message : String(cause);
  if ([CORRUPT, NOTADB].includes(primaryCode(cause) ?? -1)) {
    return new StoreError(
      'store-unusable',
      `The file ${file} is no database, or it is damaged (${detail}). Nothing was written. ` +
        'Restore it from a backup, or move it away to start with a new one.',
      { cause, reason: 'damaged' },
    );
  }
  if (primaryCode(cause) === FULL || (primaryCode(cause) === IOERR && isDiskFull(file))) {
    return new StoreError('store-unavailable', `The database ${file} cannot be opened: the disk is full.`, {
      cause,
      reason: 'full',
    });
  }
  if (primaryCode(cause) === CANTOPEN && isClosedToUs(file)) {
    return new StoreError(
      'store-unusable',
      `The database ${file} cannot be opened: you may not read and write it.`,
      {
        cause,
        fix: isOurs(file) ? [['chmod', '600', file]] : [],
      },
    );
  }
  return new StoreError(
    'store-unusable',
    `The database ${file} cannot be opened: ${detail}. Check that the folder exists, that you may write to it, and that the file is a paydesk database.`,
    { cause },
  );
}

/** SQLite calls it an I/O error when the disk has no room for the files beside the database. */
function isDiskFull(file: string): boolean {
  try {
    return statfsSync(dirname(file)).bavail === 0;
  } catch {
    return false;
  }
}

function isClosedToUs(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES';
  }
}

/** Only the owner of a file can change its mode. */
const isOurs = (file: string): boolean =>
  statSync(file, { throwIfNoEntry: false })?.uid === process.getuid?.();
