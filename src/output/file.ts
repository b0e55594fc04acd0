// Files that people name for output: `-` is stdout, a plain file is replaced whole or not at all, a link is followed, and
// a device, a FIFO or another open file of this process is written to as it is.

import { constants, fsync, openSync, type Stats, write as writeBytes } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openDraft } from '../atomic-file.js';
import { UsageError } from '../errors.js';
import { fileProblem, isSystemError } from '../file-problem.js';
import { isOutputProblem, outputError } from './report.js';

export interface WrittenFile {
  file: string;
  bytes: number;
}

type Pieces = AsyncIterable<string> | Iterable<string>;

/** How often a FIFO is tried that nobody reads yet. */
const FIFO_RETRY_MS = 50;

/** Names of this process's own open files, `/dev/fd/3`; `-` is stdout. */
function openFileNumber(name: string): number | undefined {
  if (name === '-' || name === '/dev/stdout') return 1;
  if (name === '/dev/stderr') return 2;
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(name) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** Whether the name means stdout, which then carries the file and nothing else. */
export const namesStdout = (name: string): boolean => openFileNumber(name) === 1;

/**
 * Writes a file for its owner alone; with `keepMode` one that is there stays readable for those who could read it. Not for
 * stdout: the caller knows what else is printed there.
 */
export async function writeOutputFile(
  name: string,
  pieces: Pieces,
  { signal, keepMode = false }: { signal?: AbortSignal; keepMode?: boolean } = {},
): Promise<WrittenFile> {
  const file = openFileNumber(name) === undefined ? resolve(name) : name;
  try {
    const number = openFileNumber(name);
    const at = number === undefined ? await stat(file).catch(absent) : undefined;
    if (number !== undefined) return { file, bytes: await writeTo(createFileWriter(number), pieces) };
    if (at?.isFIFO()) return { file, bytes: await writeFifo(file, pieces, signal) };
    if (at && !at.isFile()) return { file, bytes: await writeDevice(file, pieces) };
    return { file, bytes: await replaceFile(await followLinks(file), keepMode ? at : undefined, pieces) };
  } catch (error) {
    throw fileError(file, error);
  }
}

/** Links, and the case of a name where it does not matter, lead to the same file, also to one that is not there yet. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  if (namesStdout(one) && namesStdout(other)) return true;
  const [here, there] = await Promise.all(
    [one, other].map((name) => stat(name, { bigint: true }).catch(() => undefined)),
  );
  if (here !== undefined) return here.isFile() && here.dev === there?.dev && here.ino === there.ino;
  const [wanted, alsoWanted] = await Promise.all(
    [one, other].map((name) => followLinks(resolve(name)).catch(() => undefined)),
  );
  return wanted !== undefined && wanted === alsoWanted;
}

type Write = (text: string) => Promise<unknown>;

async function writeTo({ write, close }: { write: Write; close(): Promise<unknown> }, pieces: Pieces) {
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      await write(piece);
      bytes += Buffer.byteLength(piece);
    }
  } finally {
    await close();
  }
  return bytes;
}

/** An open file that is written to where it stands, and stays open. */
function createFileWriter(number: number) {
  const writeAll = async (bytes: Buffer): Promise<void> => {
    const { promise, resolve: done, reject } = Promise.withResolvers<number>();
    writeBytes(number, bytes, (error, count) => (error ? reject(error) : done(count)));
    const count = await promise;
    if (count < bytes.length) await writeAll(bytes.subarray(count));
  };
  return { write: (text: string) => writeAll(Buffer.from(text)), close: async () => {} };
}

const writerOf = (handle: FileHandle) => ({
  write: (text: string) => handle.writeFile(text),
  close: () => handle.close(),
});

async function writeDevice(file: string, pieces: Pieces): Promise<number> {
  return writeTo(writerOf(await open(file, constants.O_WRONLY)), pieces);
}

/** Waits for a reader, as a shell does, but so that Ctrl-C and a time limit end the wait. */
async function writeFifo(file: string, pieces: Pieces, signal: AbortSignal | undefined): Promise<number> {
  // Of all that Node has, only a socket waits for a FIFO that is full.
  const socket = new Socket({ fd: await openFifo(file, signal), readable: false, writable: true });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  socket.on('error', failed.reject);
  const write: Write = (text) => {
    const { promise, resolve: done } = Promise.withResolvers<void>();
    socket.write(text, () => done());
    return Promise.race([promise, failed.promise]);
  };
  const close = async () => {
    const { promise, resolve: done } = Promise.withResolvers<void>();
    socket.end(() => done());
    await Promise.race([promise, failed.promise]).finally(() => socket.destroy());
  };
  return writeTo({ write, close }, pieces);
}

async function openFifo(file: string, signal: AbortSignal | undefined): Promise<number> {
  for (;;) {
    try {
      return openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    }
    await delay(FIFO_RETRY_MS, undefined, { signal });
  }
}

/** The file that a link leads to, also when there is none yet. */
async function followLinks(file: string): Promise<string> {
  const real = await realpath(file).catch(absent);
  if (real !== undefined) return real;
  const link = await lstat(file).catch(absent);
  if (link?.isSymbolicLink()) return followLinks(resolve(dirname(file), await readlink(file)));
  return join(await realpath(dirname(file)), basename(file));
}

/** The new file has the mode of `like`. */
async function replaceFile(file: string, like: Stats | undefined, pieces: Pieces): Promise<number> {
  const draft = openDraft(file, like === undefined ? 0o600 : like.mode & 0o777);
  let bytes: number;
  try {
    bytes = await writeTo(createFileWriter(draft.fd), pieces);
    await promisify(fsync)(draft.fd);
  } catch (error) {
    draft.discard();
    throw error;
  }
  draft.commit();
  return bytes;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function fileError(file: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  if (isOutputProblem(error)) return outputError(file, error);
  const why = fileProblem(error, { missing: 'there is no such folder' });
  return new UsageError(`${file} cannot be written: ${why}.`, { code: 'bad-file', cause: error });
}
