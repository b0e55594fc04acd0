// CSV that a spreadsheet takes for data and never for a formula.

import type { stringify as stringifyRows } from 'csv-stringify/sync';
import { safeText } from './text.js';

interface CsvCell {
  text: string;
  /** A number or an amount: written as it is, also when it starts with a minus. */
  number: boolean;
}

const NUMBER = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const FORMULA = /^[=+\-@\t\r]/;

function csvText({ text, number }: CsvCell): string {
  if (number && NUMBER.test(text)) return text;
  // Checked before and after: a leading tab is written out, and what hides behind spaces or full-width signs counts too.
  const plain = text.normalize('NFKC').trimStart();
  return FORMULA.test(text) || FORMULA.test(plain) ? `'${safeText(text)}` : safeText(text);
}

type CsvWriter = (rows: ReadonlyArray<readonly CsvCell[]>) => string;

/** `raw` writes every cell as it is. */
export async function createCsvWriter({
  raw = false,
}: { raw?: boolean | undefined } = {}): Promise<CsvWriter> {
  const { stringify }: { stringify: typeof stringifyRows } = await import('csv-stringify/sync');
  const textOf = raw ? ({ text }: CsvCell) => text : csvText;
  return (rows) => stringify(rows.map((row) => row.map(textOf)));
}
