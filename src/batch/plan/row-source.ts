// Where the rows of a plan come from: a CSV that a person wrote, or another part of paydesk.

import type { FileProblems } from '../../spreadsheet/problems.js';
import type { SheetEnd, SheetFormat } from '../../spreadsheet/sheet.js';
import { chargeRows } from './charge-rows.js';
import { type SourceRow, paymentRows, readCsvRows } from './csv-rows.js';
import type { BatchAction } from './plan-row.js';

/** Yields the rows to plan, and adds what is wrong with the others to the problems. */
export type RowSource = (problems: FileProblems) => AsyncGenerator<SourceRow, RowsEnd>;

/** What is known once all rows were read. */
interface RowsEnd {
  format: SheetFormat;
  /** Left out where the amounts of the rows are decimals already. */
  readAmount?: SheetEnd['readAmount'];
}

/** The rows of a CSV, whose amounts may be written in any style. */
export const csvSource =
  (bytes: AsyncIterable<Uint8Array>, action: BatchAction): RowSource =>
  (problems) =>
    action === 'charge'
      ? readCsvRows(bytes, chargeRows, problems)
      : readCsvRows(bytes, paymentRows, problems);

/** Every plan says how its file was read, so rows without a file are described as the CSV that they would be. */
const plainFormat: SheetFormat = {
  separator: 'commas',
  decimalMark: 'point',
  ignoredColumns: [],
  headerLine: 1,
};

/** Rows that paydesk has made itself: there is nothing to find out about them. */
export const rowsSource = (rows: AsyncIterable<SourceRow>): RowSource =>
  async function* () {
    yield* rows;
    return { format: plainFormat };
  };
