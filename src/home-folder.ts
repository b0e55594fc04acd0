// Folders that paydesk keeps something in.

import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from './store/errors.js';
import { fileProblem } from './file-problem.js';

/**
 * Makes a folder that only its owner can enter. One that is there already keeps its mode: it may be shared on purpose.
 * Throws what to tell when nothing can be written there.
 */
export function makeFolder(path: string): void {
  try {
    makeFolders(path);
    accessSync(path, constants.W_OK);
  } catch (cause) {
    throw new HomeError(path, cause);
  }
}

/** Node's own `recursive` would try for ever where nothing can be made, such as below /proc. */
function makeFolders(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolders(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** What would keep a command from writing there; nothing is made. */
export function writeProblem(path: string): HomeError | undefined {
  let existing = path;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  try {
    // A file has nothing below it: with the slash, that is an error.
    accessSync(`${existing}/`, constants.W_OK);
    return undefined;
  } catch (cause) {
    return new HomeError(path, cause);
  }
}

/** A home that nothing can be written to. */
export class HomeError extends StoreError {
  constructor(path: string, cause: unknown) {
    super(
      'home-unwritable',
      `The folder ${path} cannot be written: ${fileProblem(cause, { missing: 'it cannot be made' })}. Set PAYDESK_HOME to a folder that you can write.`,
      { cause },
    );
  }
}
