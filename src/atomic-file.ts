// Files that are replaced whole or not at all: a reader finds the old file or the new one.

import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** A file that is being written beside the one that it will replace. */
interface Draft {
  /** Its open file. */
  fd: number;
  commit(): void;
  /** Leaves the old file as it is. */
  discard(): void;
}

export function openDraft(file: string, mode: number): Draft {
  const draft = `${file}.${process.pid}.new`;
  // A process of the same number may have died here.
  rmSync(draft, { force: true });
  const fd = openSync(draft, 'wx', mode);
  return {
    fd,
    commit() {
      closeSync(fd);
      try {
        renameSync(draft, file);
      } catch (error) {
        rmSync(draft, { force: true });
        throw error;
      }
    },
    discard() {
      closeSync(fd);
      rmSync(draft, { force: true });
    },
  };
}

/** Writes a file that only its owner can read. */
export function writePrivately(file: string, text: string): void {
  const draft = openDraft(file, 0o600);
  try {
    writeFileSync(draft.fd, text);
  } catch (error) {
    draft.discard();
    throw error;
  }
  draft.commit();
}
