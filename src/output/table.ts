// A quiet table: no borders, two spaces between columns, wrapped between words, stacked where it is too narrow.

import { labelledLines, longestWord } from './fit.js';
import { type Line, lineWidth, renderLine, toned, wrapLine } from './lines.js';
import { displayWidth, safeText } from './text.js';
import type { Theme } from './theme.js';

export interface TableColumn {
  title: string;
  align: 'left' | 'right';
  /** Its values are never broken over two lines. */
  isWhole: boolean;
  /** No narrower than this, if its values are that wide. */
  least?: number | undefined;
}

const INDENT = 2;
const GAP = 2;
// Narrower than this a column of text is a column of letters.
const MIN_COLUMN_WIDTH = 8;

/** How wide each column may be; undefined when they do not fit side by side. */
export function fitColumns(
  columns: readonly TableColumn[],
  rows: ReadonlyArray<readonly Line[]>,
  width: number,
): number[] | undefined {
  const widths = columns.map((column, index) =>
    Math.max(displayWidth(column.title), ...rows.map((row) => lineWidth(row[index] ?? ''))),
  );
  const least = columns.map((column, index) => {
    if (column.isWhole) return widths[index]!;
    const word = Math.max(0, ...rows.map((row) => longestWord(row[index] ?? '')));
    return Math.min(
      widths[index]!,
      Math.max(column.least ?? 0, MIN_COLUMN_WIDTH, displayWidth(column.title), word),
    );
  });
  const room = width - INDENT - GAP * (columns.length - 1);
  for (let total = sum(widths); total > room; total--) {
    const slack = widths.map((value, index) => value - least[index]!);
    const widest = slack.indexOf(Math.max(...slack));
    if (widest < 0 || slack[widest] === 0) return undefined;
    widths[widest]!--;
  }
  return widths;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, value) => total + value, 0);

const NO_CHARS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: ' '.repeat(INDENT),
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(GAP),
};

/**
 * Mark where a cell begins and ends: cli-table3 takes some wide letters for narrow ones, and what it adds there is taken
 * out again. No text that is shown has these characters.
 */
const [BEGIN, END] = ['\u0001', '\u0002'];
const BETWEEN = new RegExp(`${END} +${BEGIN}`, 'g');
const MARKS = new RegExp(`[${BEGIN}${END}]`, 'g');

export async function renderTable(
  columns: readonly TableColumn[],
  rows: ReadonlyArray<readonly Line[]>,
  { widths, theme, head }: { widths: readonly number[]; theme: Theme; head: boolean },
): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    chars: NO_CHARS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  const padded = (line: Line, index: number): string => {
    const space = ' '.repeat(Math.max(0, widths[index]! - lineWidth(line)));
    const text = renderLine(line, theme);
    return columns[index]!.align === 'right' ? space + text : text + space;
  };
  const cells = (row: readonly Line[]): string[] => {
    const wrapped = columns.map((_, index) => wrapLine(row[index] ?? '', widths[index]!));
    const height = Math.max(...wrapped.map(({ length }) => length));
    return wrapped.map((lines, index) =>
      Array.from({ length: height }, (_, at) => BEGIN + padded(lines[at] ?? '', index) + END).join('\n'),
    );
  };
  if (head) table.push(cells(columns.map(({ title }) => toned('dim', title))));
  table.push(...rows.map(cells));
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.replaceAll(BETWEEN, ' '.repeat(GAP)).replaceAll(MARKS, '').trimEnd())
    .join('\n')}\n`;
}

/** One value per line, for a terminal too narrow for columns; an empty line separates records. */
export function renderStacked(
  columns: readonly TableColumn[],
  rows: ReadonlyArray<readonly Line[]>,
  { width, theme }: { width: number; theme: Theme },
): string {
  const labelWidth = Math.max(...columns.map(({ title }) => displayWidth(title)));
  const at = { indent: INDENT, labelWidth, width };
  return rows
    .map((row) =>
      columns
        .flatMap(({ title }, index) => labelledLines(safeText(title), row[index] ?? '', at))
        .map((line) => `${renderLine(line, theme).trimEnd()}\n`)
        .join(''),
    )
    .join('\n');
}
