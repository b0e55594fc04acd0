// A report as a document: JUnit for CI, and an HTML page without scripts or links to other files.

import type { HtmlEscapedString } from 'hono/utils/html';
import type { BatchStatus } from '../../batch/rows/status.js';
import type { BatchRow } from '../../ledger/schema.js';
import { actedOn, screenCounts, screenGroups } from '../../batch/rows/counts.js';
import { groupNames } from '../../batch/run/ending.js';
import { countText, formatAmount, totalsText } from '../../contract/amount-format.js';
import { markup, PAGE_END, pageStart, plainMarkup } from '../html.js';
import { capitalised, safeText } from '../text.js';
import { reportMarkdown } from './batch-markdown.js';
import { rowOutcomeText, reportCsv, reportJson, type ReportRow, reportRows } from './batch-report.js';

export function reportText(
  format: 'csv' | 'json' | 'junit' | 'html' | 'markdown',
  status: BatchStatus,
  rows: AsyncIterable<BatchRow>,
): AsyncGenerator<string> {
  if (format === 'csv') return reportCsv(rows);
  if (format === 'json') return reportJson(status, rows);
  if (format === 'markdown') return reportMarkdown(status, rows);
  return format === 'junit' ? junit(status, rows) : page(status, rows);
}

const nameOf = ({ line, payment, reference }: ReportRow): string =>
  safeText(`line ${line}: ${[payment, reference].filter((part) => part !== null).join(' ')}`);

/** A row is a test: refused or failed is a failure, unknown an error; rows that were not sent or left out are skipped. */
async function* junit(status: BatchStatus, rows: AsyncIterable<BatchRow>): AsyncGenerator<string> {
  const { action, leftOut } = status;
  const { refused, failed, unknown, skipped, pending } = actedOn(status);
  const name = `paydesk batch ${status.id}: ${action}`;
  const counts = markup`tests="${status.rows}" failures="${refused + failed}" errors="${unknown}" skipped="${skipped + pending + leftOut}"`;
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield plainMarkup`<testsuites ${counts}>\n<testsuite name="${name}" timestamp="${status.time}" ${counts}>\n`;
  for await (const row of reportRows(rows)) {
    yield plainMarkup`<testcase classname="${action}" name="${nameOf(row)}">${junitResult(row)}</testcase>\n`;
  }
  yield '</testsuite>\n</testsuites>\n';
}

function junitResult({ outcome, why, leftOut }: ReportRow): HtmlEscapedString | string {
  const message = safeText(why ?? outcome);
  if (leftOut) return markup`<skipped message="left out by the plan: ${message}"/>`;
  switch (outcome) {
    case 'refused':
    case 'failed':
      return markup`<failure type="${outcome}" message="${message}"/>`;
    case 'unknown':
      return markup`<error type="unknown" message="${message}"/>`;
    case 'skipped':
    case 'pending':
    case 'throttled':
      return markup`<skipped message="${message}"/>`;
    default:
      return '';
  }
}

const columns = [
  'line',
  'payment',
  'reference',
  'amount',
  'before',
  'after',
  'outcome',
  'why',
  'ticket',
] as const;

async function* page(status: BatchStatus, rows: AsyncIterable<BatchRow>): AsyncGenerator<string> {
  const title = `Batch ${status.id}: ${status.action}`;
  const counts = screenCounts(status);
  const facts: Array<[string, string]> = [
    ['App', `${status.appId} (${[status.kind, status.profile].filter((part) => part !== null).join(', ')})`],
    ['Applied', `${status.time} by ${status.operator}`],
    ['State', status.state],
    ['Rows', countText(status.rows)],
    ...screenGroups.map((group): [string, string] => [
      capitalised(groupNames[group]),
      [countText(counts[group]), totalsText(status.screenTotals[group])]
        .filter((part) => part !== '')
        .join('   '),
    ]),
  ];
  yield* pageStart(title);
  yield '<table>\n';
  for (const [label, value] of facts)
    yield plainMarkup`<tr><th scope="row">${label}</th><td>${safeText(value)}</td></tr>\n`;
  yield plainMarkup`</table>\n<h2>Rows</h2>\n<table>\n<tr>${columns.map((column) => markup`<th>${column}</th>`)}</tr>\n`;
  for await (const row of reportRows(rows)) {
    yield plainMarkup`<tr>${columns.map((column) => cell(row, column))}</tr>\n`;
  }
  yield `</table>\n${PAGE_END}`;
}

function cell(row: ReportRow, column: (typeof columns)[number]): HtmlEscapedString {
  if (column === 'line') return markup`<td class="n">${row.line}</td>`;
  if (column === 'amount') {
    return markup`<td class="n">${safeText(formatAmount(row.amount ?? '', row.currency ?? undefined))}</td>`;
  }
  if (column === 'outcome') {
    return markup`<td class="${row.leftOut ? 'skipped' : row.outcome}">${rowOutcomeText(row)}</td>`;
  }
  return markup`<td>${safeText(row[column] ?? '')}</td>`;
}
