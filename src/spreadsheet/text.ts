import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { UsageError } from '../errors.js';
import { fileProblem } from '../file-problem.js';
import { UnreadableText } from './problems.js';

/** The bytes of a file. A file that cannot be read is a usage error. */
export async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new UsageError('The file cannot be read.', {
      code: 'file-not-readable',
      details: [{ input: path, problem: fileProblem(error) }],
      cause: error,
    });
  }
}

/** A file whose encoding was found out once, from all of it. */
export interface TextFile {
  encoding: 'UTF-8' | 'Windows-1252';
  /** As UTF-8. A file that is text in neither encoding is left as it is, and `decodeText` refuses it. */
  bytes(): AsyncGenerator<Uint8Array>;
}

/** Excel saves a CSV as Windows-1252 in many countries. */
export async function openTextFile(path: string): Promise<TextFile> {
  if (!(await isWindows1252(path))) return { encoding: 'UTF-8', bytes: () => readFileBytes(path) };
  return {
    encoding: 'Windows-1252',
    async *bytes() {
      const decoder = new TextDecoder('windows-1252');
      for await (const chunk of readFileBytes(path))
        yield Buffer.from(decoder.decode(chunk, { stream: true }));
    },
  };
}

/** Zero is in no text, and the others have no character. */
const NOT_IN_WINDOWS_1252 = [0x00, 0x81, 0x8d, 0x8f, 0x90, 0x9d];

async function isWindows1252(path: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isUtf8Text = true;
  let isFirst = true;
  for await (const chunk of readFileBytes(path)) {
    if (isFirst && (isUtf16(chunk) || UTF8_MARK.every((byte, at) => chunk[at] === byte))) return false;
    isFirst = false;
    if (NOT_IN_WINDOWS_1252.some((byte) => chunk.includes(byte))) return false;
    isUtf8Text &&= decoded(() => decoder.decode(chunk, { stream: true })) !== undefined;
  }
  return !isUtf8Text || decoded(() => decoder.decode()) === undefined;
}

const UTF8_MARK = [0xef, 0xbb, 0xbf];

export class NotText extends UnreadableText {
  /** What the file is instead. */
  readonly found: string;
  /** The first line that cannot be read. */
  readonly line: number;

  constructor(found: string, line: number) {
    super(`${found}: save it as "CSV UTF-8"`);
    this.found = found;
    this.line = line;
  }
}

/** Text in pieces, without a byte order mark. Anything but UTF-8 is refused, so that no letter is replaced by another. */
export async function* decodeText(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const lines = createLineCount();
  let previous: Uint8Array | undefined;
  for await (const chunk of source) {
    if (previous === undefined && isUtf16(chunk)) throw new NotText('the file is UTF-16 text', 1);
    const text = decoded(() => decoder.decode(chunk, { stream: true }));
    if (text === undefined) {
      lines.see(linesBeforeBad(Buffer.concat([unfinished(previous), chunk])));
      throw new NotText('the file is not UTF-8 text', lines.current());
    }
    if (text !== '') yield text;
    lines.see(chunk);
    previous = chunk;
  }
  const end = decoded(() => decoder.decode());
  if (end === undefined) throw new NotText('the file is not UTF-8 text', lines.current());
  yield end;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function createLineCount() {
  let [feeds, returns] = [0, 0];
  return {
    see(bytes: Uint8Array): void {
      feeds += countOf(bytes, LINE_FEED);
      returns += countOf(bytes, CARRIAGE_RETURN);
    },
    current: (): number => 1 + (feeds || returns),
  };
}

function countOf(bytes: Uint8Array, byte: number): number {
  let count = 0;
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) count += 1;
  return count;
}

function decoded(decode: () => string): string | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

/** By its byte order mark, or by the zero that is half of each plain letter. */
function isUtf16([first, second]: Uint8Array): boolean {
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return hasMark || first === 0 || second === 0;
}

/** The first bytes of a character whose other bytes are in the next chunk. */
function unfinished(chunk: Uint8Array = new Uint8Array()): Uint8Array {
  for (let count = 1; count <= 3; count += 1) {
    const byte = chunk.at(-count) ?? 0;
    if (byte >= 0xc0) return count < lengthFrom(byte) ? chunk.subarray(-count) : new Uint8Array();
  }
  return new Uint8Array();
}

const lengthFrom = (firstByte: number): number => (firstByte >= 0xf0 ? 4 : firstByte >= 0xe0 ? 3 : 2);

function linesBeforeBad(bytes: Uint8Array): Uint8Array {
  let start = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== LINE_FEED && bytes[at] !== CARRIAGE_RETURN) continue;
    if (!isUtf8(bytes.subarray(start, at))) break;
    start = at + 1;
  }
  return bytes.subarray(0, start);
}
