import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { OutputError, UsageError } from '../../src/errors.js';
import { namesStdout, writeOutputFile } from '../../src/output/file.js';

const root = mkdtempSync(join(tmpdir(), 'paydesk-file-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'));
});

describe('a plain file', () => {
  it('is for its owner alone', async () => {
    const file = join(folder, 'plan.json');
    expect(await writeOutputFile(file, ['ä', 'b'])).toEqual({ file, bytes: 3 });
    expect(readFileSync(file, 'utf8')).toBe('äb');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is for its owner alone from then on where others could read it', async () => {
    const file = join(folder, 'plan.json');
    for (const mode of [0o644, 0o666]) {
      writeFileSync(file, 'old');
      chmodSync(file, mode);
      await writeOutputFile(file, ['new']);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
  });

  it('is replaced as a whole, and keeps its permissions where that is asked for', async () => {
    const file = join(folder, 'plan.json');
    writeFileSync(file, 'old');
    chmodSync(file, 0o640);
    const open = openSync(file, 'r');
    await writeOutputFile(file, ['new'], { keepMode: true });
    // Whoever has the old file open still reads the old one.
    expect(readFileSync(open, 'utf8')).toBe('old');
    closeSync(open);
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it('stays as it was when the text breaks off', async () => {
    const file = join(folder, 'plan.json');
    writeFileSync(file, 'old');
    async function* cutShort() {
      yield 'half';
      throw new Error('no more');
    }
    await expect(writeOutputFile(file, cutShort())).rejects.toThrow('no more');
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['plan.json']);
  });

  it.each([
    ['a folder', '.', 'it is a folder'],
    ['a folder that is not there', 'nowhere/plan.json', 'there is no such folder'],
  ])('cannot be %s', async (_, name, why) => {
    const failed = writeOutputFile(join(folder, name), ['x']);
    await expect(failed).rejects.toThrow(UsageError);
    await expect(failed).rejects.toThrow(why);
  });
});

describe('a link', () => {
  it('is followed to the file', async () => {
    writeFileSync(join(folder, 'target'), 'old');
    symlinkSync('target', join(folder, 'link'));
    await writeOutputFile(join(folder, 'link'), ['new']);
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('new');
  });

  it('is followed to a file that is not there yet', async () => {
    symlinkSync('second', join(folder, 'first'));
    symlinkSync('target', join(folder, 'second'));
    await writeOutputFile(join(folder, 'first'), ['new']);
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('new');
    expect(lstatSync(join(folder, 'second')).isSymbolicLink()).toBe(true);
  });
});

describe.runIf(process.platform === 'linux')('a device', () => {
  it('stays what it is and says that it is full', async () => {
    const failed = writeOutputFile('/dev/full', ['x']);
    await expect(failed).rejects.toThrow(OutputError);
    await expect(failed).rejects.toThrow('/dev/full could not be written: the disk is full.');
    expect(statSync('/dev/full').isCharacterDevice()).toBe(true);
  });

  it('is written to', async () => {
    expect(await writeOutputFile('/dev/null', ['abc'])).toEqual({ file: '/dev/null', bytes: 3 });
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });
});

describe.runIf(process.platform !== 'win32')('a FIFO', () => {
  function makeFifo(): string {
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    return fifo;
  }

  it('gets everything, also more than it holds at once', async () => {
    const fifo = makeFifo();
    const text = 'x'.repeat(100_000);
    const written = writeOutputFile(fifo, [text, text, '\n']);
    const reader = spawn('cat', [fifo], { stdio: ['ignore', 'pipe', 'inherit'] });
    const read = await reader.stdout.setEncoding('utf8').toArray();
    expect(read.join('')).toBe(`${text}${text}\n`);
    expect(await written).toMatchObject({ bytes: 200_001 });
    expect(lstatSync(fifo).isFIFO()).toBe(true);
  });

  it('whose reader has ended is an error', async () => {
    const fifo = makeFifo();
    const reader = spawn('head', ['-c1', fifo], { stdio: 'ignore' });
    const ended = once(reader, 'exit');
    async function* pieces() {
      yield 'x'.repeat(100);
      await ended;
      yield 'y'.repeat(100);
    }
    await expect(writeOutputFile(fifo, pieces())).rejects.toThrow('the program that reads it has ended');
  });

  it('that nobody reads is waited for until the command is stopped', async () => {
    const stop = new AbortController();
    const waiting = writeOutputFile(makeFifo(), ['x'], { signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toThrow('aborted');
  });
});

it('an open file of this process is written to where it stands', async () => {
  const file = join(folder, 'log');
  const open = openSync(file, 'w');
  writeFileSync(open, 'before ');
  await writeOutputFile(`/dev/fd/${open}`, ['a', 'b']);
  closeSync(open);
  expect(readFileSync(file, 'utf8')).toBe('before ab');
});

it.each(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'])('%s is stdout', (name) => {
  expect(namesStdout(name)).toBe(true);
});
