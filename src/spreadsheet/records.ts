// The cells of a file, record by record, however long it is. The separator is found in the header.

import { type FileProblems, UnreadableText } from './problems.js';
import { MAX_ROW_LENGTH, readRows } from './rows.js';
import { cellsOf, findSeparator, type Separator, separatorIn } from './separator.js';
import { decodeText, NotText } from './text.js';

export interface FileRecord {
  /** Where the record begins: a quoted cell may contain line breaks. */
  line: number;
  cells: string[];
}

type IsHeader = (cells: readonly string[]) => boolean;

/** Yields the records that are not empty, from the header on, all of a piece of the file at once; returns the separator. */
export async function* readRecordChunks(
  source: AsyncIterable<Uint8Array>,
  isHeader: IsHeader,
  problems: FileProblems,
): AsyncGenerator<FileRecord[], Separator | undefined> {
  let line = 1;
  let separator: Separator | undefined;
  try {
    const head = await splitHead(decodeText(source), isHeader);
    line = head.firstLine;
    separator = head.separator;
    if (separator === undefined) {
      problems.add(
        line,
        'the header uses several separators: use commas, semicolons or tabs, but only one of them',
      );
      return undefined;
    }
    for await (const rows of readRows(head.text, separator)) {
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

const lineBreaksIn = (text: string): number =>
  /[\r\n]/.test(text) ? (text.match(/\r\n|\n|\r/g)?.length ?? 0) : 0;

interface SplitText {
  /** The text from `firstLine` on. */
  text: AsyncGenerator<string>;
  firstLine: number;
  /** Undefined where the header uses several. */
  separator: Separator | undefined;
}

// Excel reads and writes this line before the header.
const SEPARATOR_LINE = /^sep=([^\r\n])[^\S\r\n]*(?:\r\n|\n|\r)/i;

async function splitHead(pieces: AsyncGenerator<string>, isHeader: IsHeader): Promise<SplitText> {
  let read = '';
  for (let ends = 0; read.length < MAX_ROW_LENGTH && ends <= MAX_TITLE_LINES;) {
    const { value, done } = await pieces.next();
    if (done) break;
    read += value;
    ends += lineBreaksIn(value);
  }
  const mark = SEPARATOR_LINE.exec(read)?.[1];
  const declared = mark === undefined ? undefined : separatorIn(mark);
  const rest = read.replace(SEPARATOR_LINE, '');
  const { from, above, separator } = findHeader(linesOf(rest), isHeader, declared);
  async function* all(): AsyncGenerator<string> {
    yield rest.slice(from);
    yield* pieces;
  }
  return { text: all(), separator, firstLine: (mark === undefined ? 1 : 2) + above };
}

interface TextLine {
  text: string;
  /** Where it begins. */
  from: number;
}

function linesOf(text: string): TextLine[] {
  const ends = [...text.matchAll(/\r\n|\n|\r/g)];
  return [{ index: 0, 0: '' }, ...ends].map((end, index) => {
    const from = end.index + end[0].length;
    return { from, text: text.slice(from, ends[index]?.index) };
  });
}

/** A report may have a title, a period and empty lines above its header. */
const MAX_TITLE_LINES = 20;
/** A line of a title has few cells, and a row has more. */
const MAX_TITLE_CELLS = 2;

/** The first line with anything on it, or a later one that is a header while those `above` it are a title. */
function findHeader(
  lines: readonly TextLine[],
  isHeader: IsHeader,
  declared: Separator | undefined,
): { from: number; above: number; separator: Separator | undefined } {
  const first = lines.find(({ text }) => /[^\s,;]/.test(text)) ?? { from: 0, text: '' };
  const firstSeparator = declared ?? findSeparator(first.text, isHeader);
  const asFirst = { from: 0, above: 0, separator: firstSeparator };
  if (firstSeparator === undefined || isHeader(cellsOf(first.text, firstSeparator))) return asFirst;
  for (const [at, { text, from }] of lines.slice(0, MAX_TITLE_LINES + 1).entries()) {
    const separator = declared ?? findSeparator(text, isHeader);
    if (separator === undefined || !isHeader(cellsOf(text, separator))) continue;
    const isFull = (line: string) =>
      cellsOf(line, separator).filter((cell) => cell !== '').length > MAX_TITLE_CELLS;
    const isBelowTitle = isFull(text) && !lines.slice(0, at).some((line) => isFull(line.text));
    return isBelowTitle ? { from, above: at, separator } : asFirst;
  }
  return asFirst;
}
