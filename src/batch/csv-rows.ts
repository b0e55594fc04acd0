// A CSV of payments, row by row, however long it is. What cannot be used is told with its line.

import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { PaymentKey } from '../client/payment-calls.js';
import { amountProblem } from '../contract/money.js';
import { parsePayment } from '../payments/named-payments.js';
import type { CsvProblems } from './csv-problems.js';

/** One row of the file. What it says of amount and currency is an assertion, never a request. */
export interface CsvRow {
  line: number;
  /** As the column `payment` would name it: `100231`, `inv-2041`, `ref:123`. */
  typed: string;
  amount?: string | undefined;
  currency?: string | undefined;
  description?: string | undefined;
  reason?: string | undefined;
  ticket?: string | undefined;
}

const naming = ['payment', 'paymentId', 'referenceId'] as const;
const optional = ['amount', 'currency', 'description', 'reason', 'ticket'] as const;
type Column = (typeof naming)[number] | (typeof optional)[number];
const known: readonly string[] = [...naming, ...optional];

const LONGEST_NOTE = 500;
// A quote that is never closed must not take the rest of a large file into one cell.
const LONGEST_RECORD = 64 * 1024;

const quoteProblems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote: write a quote inside a cell twice',
  INVALID_OPENING_QUOTE: 'a quote stands inside a cell: put the whole cell in quotes and write it twice',
  CSV_MAX_RECORD_SIZE: 'the row is longer than 64 KiB: is a quote not closed?',
};

/** Yields the rows that can be used; problems are collected, and the caller decides when to throw them. */
export async function* readCsvRows(
  source: AsyncIterable<Uint8Array>,
  problems: CsvProblems,
): AsyncGenerator<CsvRow> {
  let columns: Column[] | undefined;
  let rows = 0;
  for await (const { line, cells } of readRecords(source, problems)) {
    if (cells.every((cell) => cell === '')) continue;
    if (columns === undefined) {
      columns = readHeader(cells, line, problems);
      if (columns === undefined) return;
      continue;
    }
    rows += 1;
    const row = readRow(columns, cells, line, problems);
    if (row) yield row;
  }
  if (problems.count > 0) return;
  if (columns === undefined)
    problems.add(1, 'the file is empty: it needs a header, for example payment,amount');
  else if (rows === 0) problems.add(2, 'the file has a header and no rows');
}

async function* readRecords(
  source: AsyncIterable<Uint8Array>,
  problems: CsvProblems,
): AsyncGenerator<{ line: number; cells: string[] }> {
  const parser = Readable.from(decoded(source)).compose(
    parse({
      relax_column_count: true,
      trim: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      max_record_size: LONGEST_RECORD,
    }),
  );
  let line = 1;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      yield { line, cells };
      // A quoted cell may hold line ends: a row is where it begins.
      line += 1 + cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
    }
  } catch (error) {
    const cause = csvErrorIn(error);
    if (cause === undefined) throw error;
    problems.add(line, cause);
  }
}

function csvErrorIn(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof NotText) return cause.message;
    if (cause instanceof CsvError) return quoteProblems[cause.code] ?? cause.message;
  }
  return undefined;
}

class NotText extends Error {}

/** Text as it comes; whatever is not UTF-8 is refused, so that no letter is replaced by another. */
async function* decoded(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw new NotText('the file is not UTF-8 text: save it as "CSV UTF-8"');
    }
  };
  for await (const chunk of source) {
    const text = decode(chunk);
    if (text !== '') yield text;
  }
  yield decode();
}

function readHeader(cells: readonly string[], line: number, problems: CsvProblems): Column[] | undefined {
  const before = problems.count;
  const separator = [';', '\t'].find((mark) => cells.some((cell) => cell.includes(mark)));
  if (separator !== undefined) {
    const name = separator === ';' ? 'semicolons' : 'tabs';
    problems.add(line, `the columns are separated by ${name}: save the file with commas`);
    return undefined;
  }
  for (const [index, cell] of cells.entries()) {
    if (cells.indexOf(cell) < index) problems.add(line, `the column ${cell || '(no name)'} is there twice`);
    else if (!known.includes(cell)) problems.add(line, unknownColumn(cell));
  }
  const names = naming.filter((name) => cells.includes(name));
  if (names.length > 1) problems.add(line, `name the payment by one column: ${names.join(' or ')}`);
  if (names.length === 0 && problems.count === before) {
    problems.add(line, 'no column names the payment: payment, paymentId or referenceId');
  }
  return problems.count === before ? (cells as Column[]) : undefined;
}

function unknownColumn(cell: string): string {
  const same = known.find((name) => name.toLowerCase() === cell.toLowerCase().replaceAll(/[\s_-]/g, ''));
  const meant = same === undefined ? `they are ${known.join(', ')}` : `did you mean ${same}?`;
  return `there is no column ${cell === '' ? 'without a name' : cell}; ${meant}`;
}

function readRow(
  columns: readonly Column[],
  cells: readonly string[],
  line: number,
  problems: CsvProblems,
): CsvRow | undefined {
  if (cells.length !== columns.length) {
    problems.add(line, `has ${count(cells.length)}, and the header has ${columns.length}`);
    return undefined;
  }
  const before = problems.count;
  const row: CsvRow = { line, typed: '' };
  for (const [index, column] of columns.entries()) {
    const value = unescaped(cells[index] ?? '');
    if (column === 'payment' || column === 'paymentId' || column === 'referenceId') {
      row.typed = nameOf(column, value, (problem) => problems.add(line, problem));
    } else if (value !== '') {
      const problem = valueProblem(column, value);
      if (problem === undefined) row[column] = value;
      else problems.add(line, `${column} ${short(value)}: ${problem}`);
    }
  }
  return problems.count === before ? row : undefined;
}

const count = (cells: number): string => (cells === 1 ? 'one cell' : `${cells} cells`);
const short = (text: string): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

/** Our own CSV puts an apostrophe before what a spreadsheet would take for a formula. */
const unescaped = (text: string): string => (/^'[\s]*[=+\-@＝＋－＠]/.test(text) ? text.slice(1) : text);

function nameOf(column: (typeof naming)[number], value: string, tell: (problem: string) => void): string {
  if (value === '') {
    tell(`${column} is empty`);
    return '';
  }
  if (column === 'paymentId' && !/^\d+$/.test(value)) {
    tell(`paymentId ${short(value)}: must be digits; a reference goes into the column referenceId`);
    return '';
  }
  try {
    const { key } = parsePayment(column === 'referenceId' ? `ref:${value}` : value);
    return typedName(key);
  } catch (error) {
    tell(`${column} ${short(value)}: ${(error as Error).message}`);
    return '';
  }
}

/** One name for one payment, however it was written. */
export function typedName(key: PaymentKey): string {
  if ('paymentId' in key) return key.paymentId;
  return /^(\d+$|id:|ref:)/.test(key.referenceId) ? `ref:${key.referenceId}` : key.referenceId;
}

function valueProblem(column: (typeof optional)[number], value: string): string | undefined {
  switch (column) {
    case 'amount':
      if (/^\d+,\d{1,2}$/.test(value)) return `a point before the decimals: ${value.replace(',', '.')}`;
      return amountProblem(value);
    case 'currency':
      return /^[A-Z]{3}$/.test(value) ? undefined : 'three capital letters, for example EUR';
    default:
      if (value.includes('\0')) return 'without control characters';
      return value.length > LONGEST_NOTE ? `at most ${LONGEST_NOTE} characters` : undefined;
  }
}
