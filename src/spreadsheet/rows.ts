// Cuts text into rows of cells, several at once. Plain text is cut at its separators; from the first quote on csv-parse
// reads it, which takes ten times as long.

import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { UnreadableText } from './problems.js';
import type { Separator } from './separator.js';

/** A quote that is never closed must not take the rest of a large file into one cell. */
export const MAX_ROW_LENGTH = 64 * 1024;
const TOO_LONG = 'the row is longer than 64 KiB: is a quote not closed?';

const csvProblems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote: write a quote inside a cell twice',
  INVALID_OPENING_QUOTE:
    'there is a quote inside a cell: put the whole cell in quotes and write the quote twice',
  CSV_MAX_RECORD_SIZE: TOO_LONG,
};

/** Throws an UnreadableText after the rows before it. */
export async function* readRows(
  text: AsyncGenerator<string>,
  separator: Separator,
): AsyncGenerator<string[][]> {
  /** A line whose end is still to come. */
  let left = '';
  for (let step = await text.next(); !step.done; step = await text.next()) {
    const read: string = left + step.value;
    if (read.includes('"')) {
      yield* parseRows(continued(read, text), separator);
      return;
    }
    const end = lastLineEnd(read);
    left = read.slice(end);
    yield* cutRows(read.slice(0, end), separator);
    if (left.length > MAX_ROW_LENGTH) throw new UnreadableText(TOO_LONG);
  }
  yield* cutRows(left, separator);
}

/** A carriage return at the end may be the first half of a line end. */
const lastLineEnd = (text: string): number =>
  Math.max(text.lastIndexOf('\n'), text.slice(0, -1).lastIndexOf('\r')) + 1;

function* cutRows(text: string, separator: Separator): Generator<string[][]> {
  const lines = text.split(text.includes('\r') ? /\r\n|\n|\r/ : '\n');
  if (lines.at(-1) === '') lines.pop();
  const tooLong = lines.findIndex(({ length }) => length > MAX_ROW_LENGTH);
  if (lines.length > 0)
    yield lines.slice(0, tooLong < 0 ? undefined : tooLong).map((line) => cut(line, separator));
  if (tooLong >= 0) throw new UnreadableText(TOO_LONG);
}

function cut(line: string, separator: Separator): string[] {
  const cells = line.split(separator);
  for (const [at, cell] of cells.entries()) cells[at] = cell.trim();
  return cells;
}

async function* continued(read: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield read;
  yield* rest;
}

/** The rows of each piece of text. A row that the parser kept for its stream would cost as much as reading it. */
async function* parseRows(text: AsyncIterable<string>, separator: Separator): AsyncGenerator<string[][]> {
  let rows: string[][] = [];
  const parser = parse({
    delimiter: separator,
    relax_column_count: true,
    // Trimming would remove the tabs between empty cells, so each cell of a tab-separated file is trimmed alone.
    ...(separator === '\t' ? { cast: trimUnquoted } : { trim: true }),
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: MAX_ROW_LENGTH,
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
      if (failure) throw readable(failure.error);
    }
    parser.end();
    const failure = await ended;
    if (rows.length > 0) yield taken();
    if (failure) throw readable(failure.error);
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

const readable = (error: unknown): unknown =>
  error instanceof CsvError ? new UnreadableText(csvProblems[error.code] ?? error.message) : error;
