// What a terminal shows after everything that was written to it: enough of one for what the program writes.

import { displayWidth } from '../../src/output/text.js';

export interface Cell {
  text: string;
  /** The colours and weights in force, as the numbers of the escape sequence: `1;32`. */
  style: string;
}

interface Row {
  cells: Cell[];
  /** Whether it goes on a row that was full. */
  continues: boolean;
}

export interface Screen {
  write(data: string): void;
  /** The rows, those that were broken at the right edge joined again. */
  cells(): Cell[][];
  lines(): string[];
  clear(): void;
}

// Colours, cursor movements and erasing; titles and the clipboard; and whatever else begins with an escape.
// oxlint-disable-next-line no-control-regex -- these are control characters
const PIECE = /\u001B\[([?>=]?)([\d;]*)([@-~])|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)|\u001B.|[\s\S]/gu;

/** A sequence whose end has not arrived. */
// oxlint-disable-next-line no-control-regex -- these are control characters
const UNFINISHED = /\u001B(?:\[[?>=]?[\d;]*|\][^\u0007\u001B]*)?$/;

export function createScreen(columns = 80): Screen {
  let rows: Row[] = [];
  let kept: Row[] | undefined;
  let rest = '';
  let [row, column, style] = [0, 0, ''];
  const rowAt = (index: number): Row => {
    while (rows.length <= index) rows.push({ cells: [], continues: false });
    return rows[index] as Row;
  };

  function put(text: string): void {
    const width = displayWidth(text);
    // A joiner, a selector or an accent belongs to the character before it.
    if (width === 0) {
      const before = rowAt(row).cells[column - 1];
      if (before) before.text += text;
      return;
    }
    if (column + width > columns) {
      row += 1;
      column = 0;
      rowAt(row).continues = true;
    }
    const { cells } = rowAt(row);
    while (cells.length < column) cells.push({ text: ' ', style: '' });
    cells[column] = { text, style };
    if (width === 2) cells[column + 1] = { text: '', style };
    column += width;
  }

  function erase(kind: string, mode: string): void {
    if (kind === 'K') {
      const { cells } = rowAt(row);
      if (mode === '2') cells.length = 0;
      else cells.length = Math.min(cells.length, column);
    } else if (mode === '2') rows = [];
    else {
      erase('K', '0');
      rows.length = row + 1;
    }
  }

  function control(mark: string, numbers: string, kind: string): void {
    const [first = 0, second = 0] = numbers.split(';').map(Number);
    if (mark === '?') {
      if (first !== 1049) return;
      // The other screen, and back to what was there before.
      if (kind === 'h') kept = rows;
      rows = kind === 'h' ? [] : (kept ?? rows);
      row = kind === 'h' ? 0 : rows.length;
      column = 0;
    } else if (kind === 'm') style = nextStyle(style, numbers);
    else if (moves[kind]) [row, column] = moves[kind]([row, column], first, second);
    else if (kind === 'K' || kind === 'J') erase(kind, numbers || '0');
  }

  return {
    write(data) {
      const all = rest + data;
      rest = UNFINISHED.exec(all)?.[0] ?? '';
      const whole = all.slice(0, all.length - rest.length);
      for (const [piece, mark = '', numbers = '', kind] of whole.matchAll(PIECE)) {
        if (kind !== undefined) control(mark, numbers, kind);
        else if (piece === '\n') {
          row += 1;
          rowAt(row);
        } else if (piece === '\r') column = 0;
        else if (piece === '\b') column = Math.max(0, column - 1);
        else if (piece >= ' ') put(piece);
      }
    },
    cells: () => joined(rows),
    lines: () => joined(rows).map(textOf),
    clear() {
      rows = [];
      [row, column, style] = [0, 0, ''];
    },
  };
}

type Place = [row: number, column: number];

/** Where the cursor goes. */
const moves: Readonly<Record<string, (from: Place, first: number, second: number) => Place>> = {
  A: ([row, column], by) => [Math.max(0, row - (by || 1)), column],
  B: ([row, column], by) => [row + (by || 1), column],
  C: ([row, column], by) => [row, column + (by || 1)],
  D: ([row, column], by) => [row, Math.max(0, column - (by || 1))],
  E: ([row], by) => [row + (by || 1), 0],
  F: ([row], by) => [Math.max(0, row - (by || 1)), 0],
  G: ([row], to) => [row, (to || 1) - 1],
  H: (_, row, column) => [(row || 1) - 1, (column || 1) - 1],
};

const textOf = (cells: readonly Cell[]): string =>
  cells
    .map(({ text }) => text)
    .join('')
    .trimEnd();

/** Rows that were broken at the right edge, joined again. */
function joined(rows: readonly Row[]): Cell[][] {
  return rows.reduce<Cell[][]>((all, { cells, continues }) => {
    if (continues && all.length > 0) (all.at(-1) as Cell[]).push(...cells);
    else all.push([...cells]);
    return all;
  }, []);
}

const ENDS: Readonly<Record<string, RegExp>> = {
  22: /^[12]$/,
  39: /^[39]\d$/,
  23: /^3$/,
  24: /^4$/,
  27: /^7$/,
};

function nextStyle(style: string, numbers: string): string {
  let now = style === '' ? [] : style.split(';');
  for (const number of numbers === '' ? ['0'] : numbers.split(';')) {
    if (number === '0') now = [];
    else if (ENDS[number]) now = now.filter((one) => !ENDS[number]?.test(one));
    else now = [...now, number];
  }
  return now.join(';');
}
