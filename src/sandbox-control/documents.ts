import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../errors.js';

// Exports of a sandbox on their way to a file and back.

export interface WrittenFile {
  file: string;
  bytes: number;
}

/** Whole or not at all, and for its owner alone. */
export async function writePrivateFile(name: string, text: string): Promise<WrittenFile> {
  const file = resolve(name);
  const draft = `${file}.${process.pid}.new`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(draft, file);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw unusable(`${file} cannot be written`, cause);
  }
  return { file, bytes: Buffer.byteLength(text) };
}

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
  ENOSPC: 'the disk is full',
};

function unusable(what: string, cause: unknown): UsageError {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  return new UsageError(`${what}: ${reasons[code] ?? message}.`, { code: 'bad-file', cause });
}
