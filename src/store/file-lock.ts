import { StoreError } from './errors.js';
import { takeExclusiveLock, type ExclusiveLock } from './exclusive-lock.js';
import { makePrivate } from './private-file.js';

const lockFileOf = (file: string) => `${file}.lock`;
const ownerFileOf = (file: string) => `${file}.owner.json`;

/**
 * Takes the file for this process alone. The lock is an exclusive transaction on a sidecar database, which the
 * operating system lets go of even after kill -9; the database itself stays open to a second connection for reads.
 * The sidecar is left in place: removing it would let two processes lock two different files of that name.
 */
export function lockFile(file: string, owner: Record<string, unknown>): ExclusiveLock {
  const lock = takeSidecar(file);
  if (!lock) throw heldError(file);
  const { writeFileSync, rmSync } = process.getBuiltinModule('node:fs');
  try {
    writeFileSync(ownerFileOf(file), `${JSON.stringify({ ...owner, since: new Date().toISOString() })}\n`, {
      mode: 0o600,
    });
  } catch {
    // Only there to make an error message of others more helpful.
  }
  return {
    close() {
      rmSync(ownerFileOf(file), { force: true });
      lock.close();
    },
  };
}

/** For those who do not need the file for themselves: fails when someone else does. */
export function refuseLocked(file: string): void {
  if (!process.getBuiltinModule('node:fs').existsSync(lockFileOf(file))) return;
  const lock = takeSidecar(file);
  if (!lock) throw heldError(file);
  lock.close();
}

function takeSidecar(file: string): ExclusiveLock | undefined {
  makePrivate(lockFileOf(file));
  return takeExclusiveLock(lockFileOf(file));
}

function heldError(file: string): StoreError {
  const holder = describeHolder(file);
  return new StoreError(
    'store-held',
    `The database ${file} is in use by another process${holder ? ` (${holder})` : ''}. Stop that process first, or use another file.`,
  );
}

function describeHolder(file: string): string {
  try {
    const text = process.getBuiltinModule('node:fs').readFileSync(ownerFileOf(file), 'utf8');
    const owner = JSON.parse(text) as Record<string, unknown>;
    return Object.entries(owner)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', ');
  } catch {
    return '';
  }
}
