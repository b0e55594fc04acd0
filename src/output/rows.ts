// One description of the columns of a list gives the table, the tab-separated rows, the CSV and `--columns`.

import { UsageError } from '../errors.js';
import { didYouMean } from '../suggest.js';
import { type Line, type ViewContext, plainLine } from './lines.js';
import { createCsvWriter } from './csv.js';
import { longestWord } from './fit.js';
import { fitColumns, renderStacked, renderTable, type TableColumn } from './table.js';
import { safeJson, truncate } from './text.js';
import type { Theme } from './theme.js';

/** `--columns` and `--csv` as given. */
interface Column<T> {
  /** What `--columns` and the CSV header call it. */
  key: string;
  /** Above the column on a terminal; the key where absent. */
  title?: string;
  /** The full value: what a pipe and CSV get. */
  value(item: T): string;
  /** What a terminal gets, where that differs. */
  shown?(item: T, context: ViewContext): Line;
  align?: 'left' | 'right';
  /** Its values are never broken over two lines. */
  whole?: true;
  /** A number or an amount; CSV leaves it as it is. */
  number?: boolean;
  /** Printed only when `--columns` asks for it: everywhere, on a terminal, or in a pipe and in CSV. */
  extra?: true | 'terminal' | 'pipe';
  /** No narrower than this on a terminal, if its values are that wide. */
  least?: number;
  /** Where there is less room for it than this, each row is shown as a record of its own. */
  stackBelow?: number;
  /** Left out on a terminal that is too narrow for the table, the lowest first. */
  spare?: number;
  /** Whether a value that alone keeps the columns from fitting may be cut short on a terminal. */
  mayCut?(item: T): boolean;
}

export interface ListView<T> {
  columns: ReadonlyArray<Column<T>>;
  /** Said on stderr when there is nothing: a whole sentence. */
  empty: string;
}

export interface ListOptions {
  columns?: string[] | undefined;
  csv?: boolean | undefined;
  /** Whether there is a line with the names of the columns; by default on a terminal and in CSV. */
  header?: boolean | undefined;
  /** CSV with every cell as it is, also where a spreadsheet would take it for a formula. */
  raw?: boolean | undefined;
}

interface ListTarget {
  context: ViewContext;
  theme: Theme;
  options: ListOptions;
  write: (text: string) => void;
  note: (line: Line) => void;
}

function chooseColumns<T>(
  view: ListView<T>,
  names: readonly string[] | undefined,
  forPerson: boolean,
): Array<Column<T>> {
  if (names === undefined) {
    return view.columns.filter(({ extra }) => extra !== true && extra !== (forPerson ? 'terminal' : 'pipe'));
  }
  const keys = view.columns.map(({ key }) => key);
  const unknown = names.filter((name) => !keys.includes(name));
  if (unknown.length > 0) {
    throw new UsageError(`Unknown column: ${unknown.join(', ')}.${didYouMean(unknown[0]!, keys)}`, {
      code: 'unknown-column',
      details: `columns: ${keys.join(', ')}`,
    });
  }
  const chosen = names.map((name) => view.columns.find(({ key }) => key === name)!);
  const currency = view.columns.find(({ key }) => key === 'currency');
  if (currency === undefined || names.includes('currency')) return chosen;
  return chosen.map((column) => (column.key === 'amount' ? withCurrency(column, currency) : column));
}

/** `EUR 49.90`: an amount without its currency says nothing. */
function withCurrency<T>(amount: Column<T>, currency: Column<T>): Column<T> {
  const value = (item: T): string => {
    const digits = amount.value(item);
    return digits === '' ? '' : `${currency.value(item)} ${digits}`.trim();
  };
  return { ...amount, number: false, value };
}

const CHUNK_SIZE = 200;

async function* chunks<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T[]> {
  let chunk: T[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length === CHUNK_SIZE) {
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
}

async function createRowWriter<T>(
  view: ListView<T>,
  target: ListTarget,
): Promise<(items: readonly T[]) => void | Promise<void>> {
  const { context, theme, write } = target;
  const columns = chooseColumns(view, target.options.columns, context.terminal && !target.options.csv);
  if (target.options.csv) {
    const csv = await createCsvWriter({ raw: target.options.raw });
    if (target.options.header !== false)
      write(csv([columns.map(({ key }) => ({ text: key, number: false }))]));
    return (items) => {
      const cells = (item: T) =>
        columns.map((column) => ({ text: column.value(item), number: column.number === true }));
      write(csv(items.map(cells)));
    };
  }
  if (!context.terminal) {
    if (target.options.header) write(`${columns.map(({ key }) => key).join('\t')}\n`);
    const row = (item: T) => columns.map((column) => plainLine(column.value(item))).join('\t');
    return (items) => write(items.map((item) => `${row(item)}\n`).join(''));
  }
  // The first rows decide the widths, so that later ones stand under the same heads.
  let fitted: Fitted<T> | undefined;
  return async (items) => {
    const isFirst = fitted === undefined;
    const head = isFirst && target.options.header !== false;
    fitted ??= fitTable(columns, items, context, target.options.columns === undefined);
    const rows = rowsOf(fitted, items, context);
    const { heads, widths } = fitted;
    if (widths) write(await renderTable(heads, rows, { widths, theme, head }));
    else write(`${isFirst ? '' : '\n'}${renderStacked(heads, rows, { width: context.width, theme })}`);
  };
}

interface Fitted<T> {
  columns: ReadonlyArray<Column<T>>;
  heads: TableColumn[];
  /** Undefined when the columns do not fit side by side. */
  widths: number[] | undefined;
  /** What is wider in this column is cut. */
  cut?: { column: Column<T>; width: number };
}

/** A value that is cut shorter cannot be recognised. */
const MIN_CUT = 12;
/** More long values than this share are no exception: then other columns give way first. */
const MAX_CUT_SHARE = 0.25;

/**
 * With all columns where they fit, if need be with a few long values cut. Otherwise without the columns that can be
 * spared, one after the other.
 */
function fitTable<T>(
  columns: ReadonlyArray<Column<T>>,
  items: readonly T[],
  context: ViewContext,
  mayChange: boolean,
): Fitted<T> {
  const whole = fitAll(columns, items, context);
  if (whole.widths || !mayChange) return whole;
  const few = fitCut(columns, items, context, items.length * MAX_CUT_SHARE);
  if (few?.widths) return few;
  const spares = columns.flatMap(({ spare }) => spare ?? []).toSorted((a, b) => a - b);
  let left = columns;
  for (const rank of spares) {
    left = columns.filter(({ spare = Infinity }) => spare > rank);
    const fitted = fitAll(left, items, context);
    if (fitted.widths) return fitted;
  }
  const cut = fitCut(left, items, context, items.length);
  if (cut?.widths) return cut;
  const narrow = left.map((column) => ({ ...column, least: 0 }));
  const squeezed = fitAll(narrow, items, context);
  return squeezed.widths ? squeezed : whole;
}

function fitAll<T>(
  columns: ReadonlyArray<Column<T>>,
  items: readonly T[],
  context: ViewContext,
  cut?: Fitted<T>['cut'],
): Fitted<T> {
  const heads = columns.map(({ key, title, align = 'left', whole, least = 0, stackBelow = 0 }) => ({
    title: title ?? key,
    align,
    isWhole: whole === true || align === 'right',
    least: Math.max(least, stackBelow),
  }));
  const fitted = { columns, heads, ...(cut && { cut }) };
  return { ...fitted, widths: fitColumns(heads, rowsOf(fitted, items, context), context.width) };
}

/** With at most `most` values of one column cut, to the room that the others leave. */
function fitCut<T>(
  columns: ReadonlyArray<Column<T>>,
  items: readonly T[],
  context: ViewContext,
  most: number,
): Fitted<T> | undefined {
  for (const column of columns.filter(({ mayCut }) => mayCut !== undefined)) {
    for (let width = context.width; width >= MIN_CUT; width -= 1) {
      const cut = { column, width };
      const cutCount = items.filter((item) => isCut(item, cut, context)).length;
      if (cutCount > most) break;
      const fitted = cutCount > 0 ? fitAll(columns, items, context, cut) : undefined;
      const room = fitted?.widths?.[columns.indexOf(column)];
      // What is cut fits one line.
      if (fitted && room !== undefined) return { ...fitted, cut: { column, width: Math.min(width, room) } };
    }
  }
  return undefined;
}

const cellOf = <T>(column: Column<T>, item: T, context: ViewContext): Line =>
  column.shown?.(item, context) ?? column.value(item);

/** Words are wrapped where they fit; only a value with a longer word is cut. */
const isCut = <T>(item: T, { column, width }: NonNullable<Fitted<T>['cut']>, context: ViewContext): boolean =>
  column.mayCut?.(item) === true && longestWord(cellOf(column, item, context)) > width;

const rowsOf = <T>(
  { columns, cut }: Pick<Fitted<T>, 'columns' | 'cut'>,
  items: readonly T[],
  context: ViewContext,
): Line[][] =>
  items.map((item) =>
    columns.map((column) => {
      const cell = cellOf(column, item, context);
      if (cut === undefined || column !== cut.column || !isCut(item, cut, context)) return cell;
      return truncate(plainLine(cell), cut.width);
    }),
  );

/** Writes rows as they come, however many there are. */
export async function renderStream<T>(
  items: AsyncIterable<T> | Iterable<T>,
  view: ListView<T>,
  target: ListTarget,
): Promise<void> {
  const writeRows = await createRowWriter(view, target);
  let some = false;
  for await (const chunk of chunks(items)) {
    some = true;
    await writeRows(chunk);
  }
  if (!some) target.note(view.empty);
}

/** One JSON array, written as the items come. */
export async function renderJsonStream<T>(
  items: AsyncIterable<T>,
  { toJson, write }: { toJson: (item: T) => unknown; write: (text: string) => void },
): Promise<void> {
  let some = false;
  for await (const item of items) {
    const text = safeJson(toJson(item), { pretty: true }).replaceAll('\n', '\n  ');
    write(`${some ? ',' : '['}\n  ${text}`);
    some = true;
  }
  write(some ? '\n]\n' : '[]\n');
}
