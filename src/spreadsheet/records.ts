// The cells of a file, record by record, however long it is. The separator is found in the first record.

import { type FileProblems, UnreadableText } from './problems.js';
import { MAX_ROW_LENGTH, readRows } from './rows.js';
import { findSeparator, type Separator, separatorIn } from './separator.js';
import { decodeText, NotText } from './text.js';

interface FileRecord {
  /** Where the record begins: a quoted cell may contain line breaks. */
  line: number;
  cells: string[];
}

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
    for await (const rows of readRows(text, separator)) {
      const chunk: FileRecord[] = [];
      for (const cells of rows) {
        if (cells.some((cell) => cell !== '')) chunk.push({ line, cells });
        line += 1 + cells.reduce((sum, cell) => sum + lineBreaksIn(cell), 0);
      }
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    problems.add(error instanceof NotText ? error.line : line, error.message);
  }
  return separator;
}

const lineBreaksIn = (cell: string): number =>
  /[\r\n]/.test(cell) ? (cell.match(/\r\n|\n|\r/g)?.length ?? 0) : 0;

interface SplitText {
  /** The first line with anything on it. */
  head: string;
  /** The text from `firstLine` on. */
  text: AsyncGenerator<string>;
  firstLine: number;
  declared: Separator | undefined;
}

// Excel reads and writes this line before the header.
const SEPARATOR_LINE = /^sep=([^\r\n])[^\S\r\n]*(?:\r\n|\n|\r)/i;

async function splitHead(pieces: AsyncGenerator<string>): Promise<SplitText> {
  let read = '';
  let head: string | undefined;
  const rest = () => read.replace(SEPARATOR_LINE, '');
  while (head === undefined && read.length < MAX_ROW_LENGTH) {
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
