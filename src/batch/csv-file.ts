import { createReadStream } from 'node:fs';
import { UsageError } from '../errors.js';

/** The bytes of a file, with what is wrong with it in words. */
export async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = (code === undefined ? undefined : problems[code]) ?? message;
    throw new UsageError('The file cannot be read.', {
      code: 'file-not-readable',
      details: [{ input: path, problem }],
      cause: error,
    });
  }
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'you may not read it',
  EISDIR: 'is a folder',
};
