// The merchant's own orders, row by row: which payment each names, and what is kept with it.

import type { OrderDetails } from '../ledger/known/seen-payment.js';
import { parsePayment, type NamedPayment } from '../payments/named-payments.js';
import {
  type NamingColumn,
  namingColumns,
  namingPrefixes,
  referenceHeaders,
} from '../spreadsheet/payment-columns.js';
import { type FileProblems, shortText } from '../spreadsheet/problems.js';
import {
  plainName,
  readSheet,
  type SheetEnd,
  type SheetLayout,
  type SheetRow,
} from '../spreadsheet/sheet.js';
import { UsageError } from '../errors.js';
import { BadValue, parsePair } from '../typed-values.js';

const kept = ['order', 'email', 'name', 'note'] as const;
export const orderColumns = [...namingColumns, ...kept] as const;
export const keptColumns: readonly string[] = kept;
export type OrderColumn = (typeof orderColumns)[number];

/** The headers that shops give these columns. Case, spaces, hyphens and underscores do not matter. */
const usualNames: Partial<Record<OrderColumn, readonly string[]>> = {
  referenceId: referenceHeaders,
  order: [
    'order id',
    'order number',
    'order no',
    'order no.',
    'bestellnummer',
    'bestellnr.',
    'auftragsnummer',
  ],
  email: ['customer email', 'buyer email', 'billing email', 'mail', 'e-mail-adresse'],
  name: ['customer name', 'full name', 'buyer name', 'billing name', 'kundenname'],
  note: ['notes', 'comment', 'bemerkung', 'kommentar'],
};

export interface ChosenColumn {
  column: OrderColumn;
  header: string;
}

export interface OrderRow {
  line: number;
  name: NamedPayment;
  order: OrderDetails;
  /** An earlier line that has the payment with another order. */
  otherOrderOn?: number | undefined;
}

export function layoutOf(chosen: readonly ChosenColumn[]): SheetLayout<OrderColumn> {
  refuseRepeated(chosen);
  const key = namingColumns.find((name) => chosen.some(({ column }) => column === name));
  return {
    key: key === undefined ? namingColumns : [key],
    optional: kept,
    amounts: [],
    about: 'payment',
    chosen,
    naming: 'name yours with --column referenceId=HEADER',
    otherNames: usualNames,
  };
}

function refuseRepeated(chosen: readonly ChosenColumn[]): void {
  const columns = chosen.map(({ column }) => column);
  const twice = columns.find((column, at) => columns.indexOf(column) !== at);
  if (twice !== undefined)
    throw new UsageError(`--column ${twice}=… is there twice: each column has one header.`, {
      code: 'usage',
    });
  const headers = chosen.map(({ header }) => plainName(header));
  const second = headers.findIndex((header, at) => headers.indexOf(header) !== at);
  if (second < 0) return;
  const first = headers.indexOf(headers[second] ?? '');
  throw new UsageError(
    `--column ${columns[first]}=… and --column ${columns[second]}=… have the same header.`,
    { code: 'usage' },
  );
}

/** `COLUMN=HEADER`. */
export function parseChosen(text: string): ChosenColumn {
  const { key, value: header } = text.includes('=') ? parsePair(text) : { key: text, value: '' };
  const column = orderColumns.find((name) => name.toLowerCase() === key.toLowerCase());
  if (column !== undefined && header !== '') return { column, header };
  if (column !== undefined)
    throw new BadValue(`COLUMN=HEADER, for example --column ${column}="Header in your file"`);
  throw new BadValue(`COLUMN=HEADER, with a column of ${orderColumns.join(', ')}`);
}

/** In characters; the rest of a cell is not kept. */
export const MAX_LENGTH = 500;

interface RowListener {
  problems: FileProblems;
  /** A row that names no payment. */
  onSkipped?: (line: number) => void;
  /** A row with a cell that is too long to be kept whole. */
  onCut?: (line: number) => void;
}

/** Yields the rows that name a payment, several at once. */
export async function* readOrderRows(
  source: AsyncIterable<Uint8Array>,
  layout: SheetLayout<OrderColumn>,
  { problems, onSkipped, onCut }: RowListener,
): AsyncGenerator<OrderRow[], SheetEnd> {
  const sheet = readSheet(source, layout, problems);
  let step = await sheet.next();
  for (; !step.done; step = await sheet.next()) {
    const rows: OrderRow[] = [];
    for (const row of step.value) {
      const column = namingColumns.find((name) => row.cells[name] !== undefined);
      if (column === undefined) {
        onSkipped?.(row.line);
        continue;
      }
      if (kept.some((name) => (row.cells[name] ?? '').length > MAX_LENGTH)) onCut?.(row.line);
      rows.push(...readOrder(row, column, problems));
    }
    yield rows;
  }
  return step.value;
}

/** The order of a row, or none and a problem more. */
function readOrder(
  { line, cells }: SheetRow<OrderColumn>,
  column: NamingColumn,
  problems: FileProblems,
): OrderRow[] {
  try {
    const order = {
      orderId: keptText(cells.order),
      name: keptText(cells.name),
      email: keptText(cells.email),
      note: keptText(cells.note),
    };
    return [{ line, name: parsePayment(namingPrefixes[column] + cells[column]), order }];
  } catch (error) {
    problems.add(line, `${column} ${shortText(cells[column] ?? '')}: ${(error as Error).message}`);
    return [];
  }
}

const keptText = (value: string | undefined) => value?.replaceAll('\0', '').slice(0, MAX_LENGTH);
