import { createReadStream } from 'node:fs';
import { UsageError } from '../errors.js';
import { UnreadableText } from './problems.js';

/** The bytes of a file. A file that cannot be read is a usage error. */
export async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = (code === undefined ? undefined : fileProblems[code]) ?? message;
    throw new UsageError('The file cannot be read.', {
      code: 'file-not-readable',
      details: [{ input: path, problem }],
      cause: error,
    });
  }
}

const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'you may not read it',
  EISDIR: 'is a folder',
};

export class NotText extends UnreadableText {}

/** Text in pieces, without a byte order mark. Anything but UTF-8 is refused, so that no letter is replaced by another. */
export async function* decodeText(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw new NotText('the file is not UTF-8 text: save it as "CSV UTF-8"');
    }
  };
  for await (const chunk of source) {
    const text = decode(chunk);
    if (text !== '') yield text;
  }
  yield decode();
}
