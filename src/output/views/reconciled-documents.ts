// A reconciled file as a document: CSV for a spreadsheet, a page to send on, or the summary of a CI job.

import type { Exception } from '../../reconcile/exception.js';
import type { Reconciled } from '../../reconcile/reconcile.js';
import { formatAmount } from '../../contract/amount-format.js';
import { createCsvWriter } from '../csv.js';
import { markup, PAGE_END, pageStart, plainMarkup } from '../html.js';
import { plainLine } from '../lines.js';
import { markdownRow, markdownRows, markdownText } from '../markdown.js';
import { safeText } from '../text.js';
import { MAX_MARKDOWN_ROWS } from './batch-markdown.js';
import {
  balanceLines,
  exceptionList,
  nextCommand,
  exceptionLabel,
  reconciledJson,
  reconciledLines,
  whatText,
  type WrittenPlan,
} from './reconciled.js';

type ReconciledFormat = 'csv' | 'json' | 'html' | 'markdown';

/** `file` is the name that the person typed. */
export function reconciledText(
  format: ReconciledFormat,
  file: string,
  result: Reconciled,
  plans: readonly WrittenPlan[] | undefined,
): AsyncGenerator<string> {
  if (format === 'csv') return exceptionsCsv(result.all());
  if (format === 'json') return reconciledJson(result, plans);
  return format === 'html' ? page(file, result) : markdown(file, result);
}

export async function* exceptionsCsv(exceptions: AsyncIterable<Exception>): AsyncGenerator<string> {
  const csv = await createCsvWriter();
  const { columns } = exceptionList;
  yield csv([columns.map(({ key }) => ({ text: key, number: false }))]);
  for await (const row of exceptions) {
    yield csv([columns.map(({ value, number }) => ({ text: value(row), number: number === true }))]);
  }
}

const summary = (result: Reconciled): string[] =>
  [...reconciledLines(result), ...balanceLines(result)].map(plainLine);

const totalHeads = ['', 'kind', 'lines:', 'file:', 'matched:', 'exceptions:'] as const;

const totalCells = ({ totals }: Reconciled): string[][] =>
  totals.map(({ currency, kind, file, matched, exceptions }) => [
    currency,
    kind,
    String(file.lines),
    ...[file, matched, exceptions].map(({ amount }) => formatAmount(amount, currency)),
  ]);

const exceptionHeads = [
  'line:',
  'exception',
  'payment',
  'reference',
  'amount:',
  'what',
  'where it stands',
  'next',
] as const;

const exceptionCells = (row: Exception): string[] => [
  String(row.line ?? ''),
  exceptionLabel(row),
  row.payment ?? '',
  row.reference ?? '',
  formatAmount(row.amount, row.currency),
  whatText(row),
  row.verdict ?? '',
  nextCommand(row),
];

async function* markdown(file: string, result: Reconciled): AsyncGenerator<string> {
  yield `## Reconcile ${markdownText(file)}\n\n${summary(result).map(markdownText).join('\n')}\n`;
  yield* markdownRows(totalHeads);
  for (const cells of totalCells(result)) yield markdownRow(cells);
  let listed = 0;
  for await (const row of result.all()) {
    listed += 1;
    if (listed === 1) yield* markdownRows(exceptionHeads);
    if (listed <= MAX_MARKDOWN_ROWS) yield markdownRow(exceptionCells(row));
  }
  if (listed > MAX_MARKDOWN_ROWS) yield `\n… and ${listed - MAX_MARKDOWN_ROWS} more\n`;
}

async function* page(file: string, result: Reconciled): AsyncGenerator<string> {
  yield* pageStart(`Reconcile ${safeText(file)}`);
  for (const line of summary(result)) yield plainMarkup`<p>${line}</p>\n`;
  yield* headRow('Totals', totalHeads);
  for (const cells of totalCells(result)) yield bodyRow(totalHeads, cells);
  yield '</table>\n';
  yield* headRow('Exceptions', exceptionHeads);
  for await (const row of result.all()) yield bodyRow(exceptionHeads, exceptionCells(row));
  yield `</table>\n${PAGE_END}`;
}

function* headRow(title: string, heads: readonly string[]): Generator<string> {
  yield plainMarkup`<h2>${title}</h2>\n<table>\n`;
  yield plainMarkup`<tr>${heads.map((head) => markup`<th scope="col">${head.replace(/:$/, '')}</th>`)}</tr>\n`;
}

/** Columns whose name ends with `:` are aligned to the right, as in Markdown. */
const bodyRow = (heads: readonly string[], cells: readonly string[]): string =>
  plainMarkup`<tr>${cells.map((cell, index) =>
    heads[index]?.endsWith(':')
      ? markup`<td class="n">${safeText(cell)}</td>`
      : markup`<td>${safeText(cell)}</td>`,
  )}</tr>\n`;
