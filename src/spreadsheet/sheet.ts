// A spreadsheet as people save it: with commas, semicolons or tabs, headers in any case and order, extra columns, and a
// decimal point or comma. It is read row by row; what cannot be used is collected with its line.

import { createDecimalStyle, type DecimalMark, type DecimalStyle } from './decimals.js';
import type { FileProblems } from './problems.js';
import { readRecordChunks } from './records.js';
import { separatorNames } from './separator.js';

/** The columns that a file may have. Case, spaces, hyphens and underscores in a header do not matter. */
export interface SheetLayout<Column extends string> {
  /** Exactly one of these must be there. */
  key: readonly Column[];
  /** Of each of these groups of names, exactly one must be there as well. */
  required?: ReadonlyArray<readonly Column[]>;
  optional: readonly Column[];
  /** Those of them that hold amounts: their style is found out from the whole file. */
  amounts: readonly Column[];
  /** What a row of the file is about, for messages: `payment`. */
  about: string;
  /** Other headers that a column may have. */
  otherNames?: Partial<Record<Column, readonly string[]>>;
  /** A key column with one of its other names is ignored beside a column that is another key: lists of payments have both. */
  otherNamesYield?: boolean;
  /** Headers that must be there, because somebody named them. Such a header and such a column mean nothing else. */
  chosen?: ReadonlyArray<{ column: Column; header: string }>;
  /** What else than adding a column helps where none has a known header. */
  naming?: string;
}

export interface SheetRow<Column extends string> {
  line: number;
  /** The cells that are not empty. Amounts are as they were written until the whole file was read. */
  cells: Partial<Record<Column, string>>;
}

/** How a file was read. */
export interface SheetFormat {
  separator: string;
  /** `null` when no amount shows it. */
  decimalMark: DecimalMark | null;
  ignoredColumns: string[];
  /** The lines above it are a title, or empty. */
  headerLine: number;
}

/** What is known once the whole file was read. */
export interface SheetEnd {
  format: SheetFormat;
  /** An amount of the file with a decimal point, or why it cannot be read. */
  readAmount: DecimalStyle['read'];
}

/**
 * Yields the rows that have the right number of cells, all of a piece of the file at once; the caller decides when the
 * problems are thrown.
 */
export async function* readSheet<Column extends string>(
  source: AsyncIterable<Uint8Array>,
  layout: SheetLayout<Column>,
  problems: FileProblems,
): AsyncGenerator<Array<SheetRow<Column>>, SheetEnd> {
  const style = createDecimalStyle();
  const isHeader = (cells: readonly string[]) =>
    cells.some((cell) => layout.key.includes(columnOf(layout, cell)!));
  const chunks = readRecordChunks(source, isHeader, problems);
  let header: Header<Column> | undefined;
  let count = 0;
  let step = await chunks.next();
  for (; !step.done; step = await chunks.next()) {
    const records = step.value;
    if (header === undefined) {
      const first = records.shift();
      if (first === undefined) continue;
      header = readHeader(layout, first.cells, first.line, problems);
      if (header === undefined) break;
    }
    count += records.length;
    const rows: Array<SheetRow<Column>> = [];
    for (const { line, cells } of records) {
      const row = readRow(header, cells, line, problems);
      if (row === undefined) continue;
      for (const column of layout.amounts) style.see(line, row.cells[column] ?? '');
      rows.push(row);
    }
    yield rows;
  }
  if (problems.count === 0) {
    if (header === undefined)
      problems.add(1, `the file is empty: it needs a header, for example ${exampleHeader(layout)}`);
    else if (count === 0) problems.add(header.line + 1, 'the file has a header and no rows');
  }
  const separator = step.done ? (step.value ?? ',') : ',';
  return {
    format: {
      separator: separatorNames[separator],
      decimalMark: style.proven?.style ?? null,
      ignoredColumns: header?.ignored ?? [],
      headerLine: header?.line ?? 1,
    },
    readAmount: style.read,
  };
}

interface Header<Column extends string> {
  /** By position; undefined where the column is ignored. */
  columns: Array<Column | undefined>;
  ignored: string[];
  line: number;
}

export const plainName = (text: string): string => text.toLowerCase().replaceAll(/[\s_-]/g, '');

function columnOf<Column extends string>(layout: SheetLayout<Column>, cell: string): Column | undefined {
  const chosen = layout.chosen ?? [];
  const chosenFor = chosen.find(({ header }) => plainName(header) === plainName(cell));
  if (chosenFor) return chosenFor.column;
  const names = (column: Column) =>
    chosen.some((one) => one.column === column) ? [] : [column, ...(layout.otherNames?.[column] ?? [])];
  return [...layout.key, ...(layout.required ?? []).flat(), ...layout.optional].find((column) =>
    names(column).some((name) => plainName(name) === plainName(cell)),
  );
}

function columnsOf<Column extends string>(
  layout: SheetLayout<Column>,
  cells: readonly string[],
): Array<Column | undefined> {
  const columns = cells.map((cell) => columnOf(layout, cell));
  if (layout.otherNamesYield !== true) return columns;
  const names = new Set(cells.map(plainName));
  const own = layout.key.filter((key) => names.has(plainName(key)));
  return columns.map((column) => {
    if (column === undefined || !layout.key.includes(column) || own.includes(column)) return column;
    return own.length > 0 ? undefined : column;
  });
}

function readHeader<Column extends string>(
  layout: SheetLayout<Column>,
  cells: readonly string[],
  line: number,
  problems: FileProblems,
): Header<Column> | undefined {
  const before = problems.count;
  const names = cells.map(plainName);
  for (const [index, cell] of cells.entries()) {
    const first = names.indexOf(names[index] ?? '');
    if (cell === '' || first === index) continue;
    const other = cells[first] === cell ? '' : `, as ${cells[first]} and ${cell}`;
    problems.add(line, `the column ${columnOf(layout, cell) ?? cell} is there twice${other}`);
  }
  for (const { header } of layout.chosen ?? []) {
    if (!names.includes(plainName(header)))
      problems.add(line, `there is no column ${header}: the columns are ${cells.join(', ')}`);
  }
  const columns = columnsOf(layout, cells);
  for (const [index, column] of columns.entries()) {
    const first = columns.indexOf(column);
    if (column === undefined || first === index || problems.count > before) continue;
    problems.add(line, `${cells[first]} and ${cells[index]} can both be the column ${column}`);
  }
  const keys = layout.key.filter((name) => columns.includes(name));
  if (keys.length > 1)
    problems.add(line, `only one column may name the ${layout.about}: ${keys.join(' or ')}`);
  if (keys.length === 0 && problems.count === before) {
    const naming = layout.naming === undefined ? '' : `, or ${layout.naming}`;
    problems.add(
      line,
      `no column names the ${layout.about}: add ${listed(layout.key)}${naming}. The columns are: ${cells.join(', ')}`,
    );
  }
  for (const group of layout.required ?? []) {
    const there = group.filter((name) => columns.includes(name));
    if (there.length > 1) problems.add(line, `two columns mean the same: ${there.join(' and ')}`);
    if (there.length === 0 && problems.count === before)
      problems.add(line, `add the column ${listed(group)}`);
  }
  if (problems.count > before) return undefined;
  const ignored = cells.filter((_, index) => columns[index] === undefined);
  return { columns, ignored: ignored.map((name) => name || '(no name)'), line };
}

const exampleHeader = <Column extends string>({ key, required, amounts, optional }: SheetLayout<Column>) =>
  [key[0], ...(required?.map(([name]) => name) ?? [amounts[0] ?? optional[0]])].join(',');

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

function readRow<Column extends string>(
  { columns }: Header<Column>,
  cells: readonly string[],
  line: number,
  problems: FileProblems,
): SheetRow<Column> | undefined {
  if (cells.length !== columns.length) {
    const count = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`;
    problems.add(line, `has ${count}, but the header has ${columns.length}`);
    return undefined;
  }
  const row: SheetRow<Column> = { line, cells: {} };
  for (let index = 0; index < columns.length; index += 1) {
    const column = columns[index];
    if (column === undefined) continue;
    const value = unescaped(cells[index] ?? '');
    if (value !== '') row.cells[column] = value;
  }
  return row;
}

/** Our own CSV puts an apostrophe before what a spreadsheet would take for a formula. */
export const unescaped = (text: string): string =>
  text.startsWith("'") && /^'[\s]*[=+\-@＝＋－＠]/.test(text) ? text.slice(1) : text;
