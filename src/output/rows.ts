// One description of the columns of a list gives the table, the tab-separated rows, the CSV and `--columns`.

import { UsageError } from '../errors.js';
import { didYouMean } from '../suggest.js';
import { type Line, type Look, plainLine } from './lines.js';
import { createCsvWriter } from './csv.js';
import { fitColumns, renderStacked, renderTable, type TableColumn } from './table.js';
import { safeJson } from './text.js';
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
  shown?(item: T, look: Look): Line;
  align?: 'left' | 'right';
  /** Its values are never broken over two lines. */
  whole?: true;
  /** A number or an amount; CSV leaves it as it is. */
  number?: boolean;
  /** Printed only when `--columns` asks for it: everywhere, on a terminal, or in a pipe and in CSV. */
  extra?: true | 'terminal' | 'pipe';
  /** Left out on a terminal that is too narrow for the table. */
  spare?: true;
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
  look: Look;
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
  const { look, theme, write } = target;
  const columns = chooseColumns(view, target.options.columns, look.terminal && !target.options.csv);
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
  if (!look.terminal) {
    if (target.options.header) write(`${columns.map(({ key }) => key).join('\t')}\n`);
    const row = (item: T) => columns.map((column) => plainLine(column.value(item))).join('\t');
    return (items) => write(items.map((item) => `${row(item)}\n`).join(''));
  }
  // The first rows decide the widths, so that later ones stand under the same heads.
  let fitted: Fitted<T> | undefined;
  return async (items) => {
    const isFirst = fitted === undefined;
    const head = isFirst && target.options.header !== false;
    fitted ??= fitTable(columns, items, look, target.options.columns === undefined);
    const rows = rowsOf(fitted.columns, items, look);
    const { heads, widths } = fitted;
    if (widths) write(await renderTable(heads, rows, { widths, theme, head }));
    else write(`${isFirst ? '' : '\n'}${renderStacked(heads, rows, { width: look.width, theme })}`);
  };
}

interface Fitted<T> {
  columns: ReadonlyArray<Column<T>>;
  heads: TableColumn[];
  /** Undefined when the columns do not fit side by side. */
  widths: number[] | undefined;
}

/** With all columns where they fit, and otherwise without those that can be spared. */
function fitTable<T>(
  columns: ReadonlyArray<Column<T>>,
  items: readonly T[],
  look: Look,
  maySpare: boolean,
): Fitted<T> {
  const fit = (chosen: ReadonlyArray<Column<T>>): Fitted<T> => {
    const heads = chosen.map(({ key, title, align = 'left', whole }) => ({
      title: title ?? key,
      align,
      isWhole: whole === true || align === 'right',
    }));
    return { columns: chosen, heads, widths: fitColumns(heads, rowsOf(chosen, items, look), look.width) };
  };
  const whole = fit(columns);
  if (whole.widths || !maySpare) return whole;
  const narrow = fit(columns.filter(({ spare }) => spare !== true));
  return narrow.widths ? narrow : whole;
}

const rowsOf = <T>(columns: ReadonlyArray<Column<T>>, items: readonly T[], look: Look): Line[][] =>
  items.map((item) => columns.map((column) => column.shown?.(item, look) ?? column.value(item)));

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
