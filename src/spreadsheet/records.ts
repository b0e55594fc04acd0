// The cells of a file, record by record, however long it is. The separator is found in the first record.

import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { FileProblems } from './problems.js';
import { findSeparator, type Separator, separatorIn } from './separator.js';
import { decodeText, NotText } from './text.js';

interface FileRecord {
  /** Where the record begins: a quoted cell may contain line breaks. */
  line: number;
  cells: string[];
}

// A quote that is never closed must not take the rest of a large file into one cell.
const MAX_RECORD_LENGTH = 64 * 1024;

const csvProblems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote: write a quote inside a cell twice',
  INVALID_OPENING_QUOTE:
    'there is a quote inside a cell: put the whole cell in quotes and write the quote twice',
  CSV_MAX_RECORD_SIZE: 'the row is longer than 64 KiB: is a quote not closed?',
};

/** Yields the records that are not empty, all of a piece of the file at once, and returns the separator. */
export async function* readRecordChunks(
  source: AsyncIterable<Uint8Array>,
  isHeader: (cells: readonly string[]) => boolean,
  problems: FileProblems,
): AsyncGenerator<FileRecord[], Separator | undefined> {
  let line = 1;
  let separator: Separator | undefined;
  try {
    const { head, text, declared, firstLine } = await splitHead(decodeText(source));
    line = firstLine;
    separator = declared ?? findSeparator(head, isHeader);
    if (separator === undefined) {
      problems.add(
        line,
        'the header uses several separators: use commas, semicolons or tabs, but only one of them',
      );
      return undefined;
    }
    for await (const rows of parsed(text, separator)) {
      const chunk: FileRecord[] = [];
      for (const cells of rows) {
        if (cells.some((cell) => cell !== '')) chunk.push({ line, cells });
        line += 1 + cells.reduce((sum, cell) => sum + lineBreaksIn(cell), 0);
      }
      yield chunk;
    }
  } catch (error) {
    const problem = problemIn(error);
    if (problem === undefined) throw error;
    problems.add(line, problem);
  }
  return separator;
}

const lineBreaksIn = (cell: string): number =>
  /[\r\n]/.test(cell) ? (cell.match(/\r\n|\n|\r/g)?.length ?? 0) : 0;

/** The rows of each piece of text. A row that the parser kept for its stream would cost as much as reading it. */
async function* parsed(text: AsyncIterable<string>, separator: Separator): AsyncGenerator<string[][]> {
  let rows: string[][] = [];
  const parser = parse({
    delimiter: separator,
    relax_column_count: true,
    // Trimming would remove the tabs between empty cells, so each cell of a tab-separated file is trimmed alone.
    ...(separator === '\t' ? { cast: trimUnquoted } : { trim: true }),
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: MAX_RECORD_LENGTH,
    on_record(row: string[]) {
      rows.push(row);
      return null;
    },
  });
  const ended = failureOf(finished(parser.resume()));
  const taken = () => {
    const full = rows;
    rows = [];
    return full;
  };
  try {
    for await (const piece of text) {
      const failure = await failureOf(writeTo(parser, piece));
      // The rows before a bad one are good.
      if (rows.length > 0) yield taken();
      if (failure) throw failure.error;
    }
    parser.end();
    const failure = await ended;
    if (rows.length > 0) yield taken();
    if (failure) throw failure.error;
  } finally {
    parser.destroy();
  }
}

function writeTo(parser: Writable, piece: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  parser.write(piece, (error) => (error ? reject(error) : resolve()));
  return promise;
}

const failureOf = (work: Promise<void>): Promise<{ error: unknown } | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );

const trimUnquoted = (cell: string, { quoting }: { quoting: boolean }): string =>
  quoting ? cell : cell.trim();

interface SplitText {
  /** The first line with anything on it. */
  head: string;
  /** The text from `firstLine` on. */
  text: AsyncIterable<string>;
  firstLine: number;
  declared: Separator | undefined;
}

// Excel reads and writes this line before the header.
const SEPARATOR_LINE = /^sep=([^\r\n])[^\S\r\n]*(?:\r\n|\n|\r)/i;

async function splitHead(pieces: AsyncGenerator<string>): Promise<SplitText> {
  let read = '';
  let head: string | undefined;
  const rest = () => read.replace(SEPARATOR_LINE, '');
  while (head === undefined && read.length < MAX_RECORD_LENGTH) {
    const { value, done } = await pieces.next();
    if (done) break;
    read += value;
    head = /^[\s,;]*[^\s,;][^\r\n]*(?=[\r\n])/.exec(rest())?.[0];
  }
  const mark = SEPARATOR_LINE.exec(read)?.[1];
  async function* all(): AsyncGenerator<string> {
    yield rest();
    yield* pieces;
  }
  return {
    head:
      (head ?? rest())
        .trim()
        .split(/[\r\n]/)
        .at(-1) ?? '',
    text: all(),
    firstLine: mark === undefined ? 1 : 2,
    declared: mark === undefined ? undefined : separatorIn(mark),
  };
}

function problemIn(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof NotText) return cause.message;
    if (cause instanceof CsvError) return csvProblems[cause.code] ?? cause.message;
  }
  return undefined;
}
