// A file of orders, read twice: once to check it, and once to bring its rows in.

import { createHash } from 'node:crypto';
import { createFileProblems, MAX_NAMED } from '../spreadsheet/problems.js';
import type { SheetFormat, SheetLayout } from '../spreadsheet/sheet.js';
import type { TextFile } from '../spreadsheet/text.js';
import { type OrderColumn, type OrderRow, readOrderRows } from './order-rows.js';
import { createRepeatedPayments } from './repeated-payments.js';

interface SomeLines {
  count: number;
  /** The first of them. */
  lines: number[];
}

function noteLine(noted: SomeLines, line: number): void {
  noted.count += 1;
  if (noted.lines.length < MAX_NAMED) noted.lines.push(line);
}

export interface OrderFile {
  /** Rows that name a payment. */
  rows: number;
  /** Rows that name none. */
  skipped: SomeLines;
  /** Rows with a cell that is too long to be kept whole. */
  cut: SomeLines;
  format: SheetFormat;
  /** Of the contents, and of how the columns are read. */
  fingerprint: string;
  /** The rows after the first ones, several at once. */
  rowsFrom(first: number): AsyncGenerator<OrderRow[]>;
  close(): Promise<void>;
}

/** Refuses a file that cannot be used, with all bad lines. */
export async function checkOrderFile(file: TextFile, layout: SheetLayout<OrderColumn>): Promise<OrderFile> {
  const hash = createHash('sha256').update(JSON.stringify(layout));
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of file.bytes()) {
      hash.update(chunk);
      yield chunk;
    }
  }
  const problems = createFileProblems();
  let rows = 0;
  const skipped: SomeLines = { count: 0, lines: [] };
  const cut: SomeLines = { count: 0, lines: [] };
  const reading = readOrderRows(hashed(), layout, {
    problems,
    onSkipped: (line) => noteLine(skipped, line),
    onCut: (line) => noteLine(cut, line),
  });
  let step = await reading.next();
  const repeated = createRepeatedPayments();
  try {
    for (; !step.done; step = await reading.next()) {
      rows += step.value.length;
      await repeated.add(step.value);
    }
    problems.throwIfAny();
  } catch (error) {
    await repeated.close();
    throw error;
  }
  return {
    rows,
    skipped,
    cut,
    format: step.value.format,
    fingerprint: hash.digest('hex'),
    async *rowsFrom(first) {
      let skip = first;
      for await (const some of readOrderRows(file.bytes(), layout, { problems })) {
        if (skip < some.length) yield await repeated.mark(some.slice(skip));
        skip = Math.max(0, skip - some.length);
      }
    },
    close: repeated.close,
  };
}
