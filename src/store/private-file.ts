/**
 * A new file is its owner's alone, whatever the umask; SQLite gives the files beside a database its mode. A file that
 * exists is not opened: closing it again would let go of the locks that this process has on it.
 */
export function makePrivate(file: string): void {
  const { closeSync, openSync } = process.getBuiltinModule('node:fs');
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
