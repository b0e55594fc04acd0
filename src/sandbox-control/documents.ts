import { readFileSync } from 'node:fs';
import { UsageError } from '../errors.js';

/** `-` is stdin. */
export async function readDocument(name: string, stdin: AsyncIterable<unknown>): Promise<string> {
  if (name === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
    return Buffer.concat(chunks).toString('utf8');
  }
  try {
    return readFileSync(name, 'utf8');
  } catch (cause) {
    throw unusable(`${name} cannot be read`, cause);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
};

function unusable(what: string, cause: unknown): UsageError {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  return new UsageError(`${what}: ${reasons[code] ?? message}.`, { code: 'bad-file', cause });
}
