// The rows of a file: the columns that a batch knows, and what their values must look like.

import { amountProblem } from '../../contract/money.js';
import { type NamedPayment, parsePayment } from '../../payments/named-payments.js';
import {
  type NamingColumn,
  namingColumns,
  namingPrefixes,
  referenceHeaders,
} from '../../spreadsheet/payment-columns.js';
import { type FileProblems, shortText } from '../../spreadsheet/problems.js';
import { readSheet, type SheetEnd, type SheetLayout, type SheetRow } from '../../spreadsheet/sheet.js';

/**
 * One row to plan, from a CSV or from reconcile. The amount and currency of a payment are compared and never sent; a charge
 * sends its amount.
 */
export interface SourceRow {
  line: number;
  /** As the column `payment` would name it: `100231`, `inv-2041`, `ref:123`. For a charge, its reference. */
  typed: string;
  amount?: string | undefined;
  currency?: string | undefined;
  /** Of a charge: who is charged, and which stored method where the file names one. */
  customer?: string | undefined;
  method?: string | undefined;
  description?: string | undefined;
  reason?: string | undefined;
  ticket?: string | undefined;
}

/** How the rows of one kind of file are read. */
export interface RowFormat<Column extends string> {
  layout: SheetLayout<Column>;
  /** Undefined, and a problem more, when the row cannot be used. */
  read(row: SheetRow<Column>, problems: FileProblems): SourceRow | undefined;
}

const notes = ['description', 'reason', 'ticket'] as const;
/** Columns that mean the same in every file. */
export const commonColumns = ['currency', ...notes] as const;
type CommonColumn = (typeof commonColumns)[number];

/** Of a description, a reason or a ticket. */
export const MAX_NOTE_LENGTH = 500;

/** Yields the rows that can be used, with amounts as they were written: `readAmount` reads them at the end. */
export async function* readCsvRows<Column extends string>(
  source: AsyncIterable<Uint8Array>,
  { layout, read }: RowFormat<Column>,
  problems: FileProblems,
): AsyncGenerator<SourceRow, SheetEnd> {
  const sheet = readSheet(source, layout, problems);
  let step = await sheet.next();
  for (; !step.done; step = await sheet.next()) {
    for (const cells of step.value) {
      const row = read(cells, problems);
      if (row) yield row;
    }
  }
  return step.value;
}

/** The amount of a row with a decimal point; undefined, and a problem more, when it cannot be used. */
export function readAmount(
  { line, amount = '' }: SourceRow,
  readDecimal: SheetEnd['readAmount'],
  problems: FileProblems,
): string | undefined {
  const read = readDecimal(amount);
  const problem = 'problem' in read ? read.problem : amountProblem(read.amount);
  if (problem !== undefined) problems.add(line, `amount ${shortText(amount)}: ${problem}`);
  return problem === undefined && 'amount' in read ? read.amount : undefined;
}

/** A file of payments, which names each by its id or its reference. */
export const paymentRows: RowFormat<NamingColumn | 'amount' | CommonColumn> = {
  layout: {
    key: namingColumns,
    otherNames: { referenceId: referenceHeaders },
    otherNamesYield: true,
    optional: ['amount', ...commonColumns],
    amounts: ['amount'],
    about: 'payment',
  },
  read({ line, cells }, problems) {
    const before = problems.count;
    const tell = (problem: string) => problems.add(line, problem);
    const row: SourceRow = { line, typed: nameOf(cells, tell), ...readCommon(cells, tell) };
    if (cells.amount !== undefined) row.amount = cells.amount;
    return problems.count === before ? row : undefined;
  },
};

/** The currency and the notes of a row. */
export function readCommon(
  cells: Partial<Record<CommonColumn, string>>,
  tell: (problem: string) => void,
): Pick<SourceRow, CommonColumn> {
  const row: Pick<SourceRow, CommonColumn> = {};
  if (cells.currency !== undefined) {
    row.currency = cells.currency.toUpperCase();
    if (!/^[A-Z]{3}$/.test(row.currency)) {
      tell(`currency ${shortText(cells.currency)}: must be three letters, for example EUR`);
    }
  }
  for (const column of notes) {
    const value = cells[column];
    if (value === undefined) continue;
    row[column] = value;
    const problem = noteProblem(value);
    if (problem !== undefined) tell(`${column} ${shortText(value)}: ${problem}`);
  }
  return row;
}

function noteProblem(value: string): string | undefined {
  if (value.includes('\0')) return 'must not contain control characters';
  return value.length > MAX_NOTE_LENGTH ? `must have at most ${MAX_NOTE_LENGTH} characters` : undefined;
}

function nameOf(cells: Partial<Record<NamingColumn, string>>, tell: (problem: string) => void): string {
  const column = namingColumns.find((name) => cells[name] !== undefined);
  const value = column === undefined ? undefined : cells[column];
  if (column === undefined || value === undefined) {
    tell('the payment is empty');
    return '';
  }
  if (column === 'paymentId' && !/^\d+$/.test(value)) {
    tell(`paymentId ${shortText(value)}: must be digits; a reference goes into the column referenceId`);
    return '';
  }
  try {
    return typedName(parsePayment(namingPrefixes[column] + value));
  } catch (error) {
    tell(`${column} ${shortText(value)}: ${(error as Error).message}`);
    return '';
  }
}

/** One name for one payment, however it was written. */
function typedName({ key, mayBeReference }: NamedPayment): string {
  if ('paymentId' in key) return mayBeReference ? key.paymentId : `id:${key.paymentId}`;
  return /^(\d+$|id:|ref:)/.test(key.referenceId) ? `ref:${key.referenceId}` : key.referenceId;
}
