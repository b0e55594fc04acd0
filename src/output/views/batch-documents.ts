// A report as a document: JUnit for CI, and an HTML page without scripts or links to other files.

import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { BatchStatus } from '../../batch/standing.js';
import type { BatchRow } from '../../ledger/schema.js';
import { actedOn, groups } from '../../batch/counts.js';
import { groupNames } from '../../batch/ending.js';
import { formatAmount } from '../amount.js';
import { safeText } from '../text.js';
import { reportMarkdown } from './batch-markdown.js';
import { countText, totalsText } from './batch-plan.js';
import { reportCsv, reportJson, type ReportRow, reportRows } from './batch-report.js';

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

/** Escapes what is put in. Nothing here is a promise, so it is whole at once. */
const markup = (strings: TemplateStringsArray, ...values: unknown[]): HtmlEscapedString =>
  html(strings, ...values) as HtmlEscapedString;

/** Hono's escaped text is an object; streams want a plain one. */
const plain = (strings: TemplateStringsArray, ...values: unknown[]): string =>
  markup(strings, ...values).toString();

const nameOf = ({ line, payment, reference }: ReportRow): string =>
  safeText(`line ${line}: ${[payment, reference].filter((part) => part !== null).join(' ')}`);

/** A row is a test: refused or failed is a failure, unknown an error; rows that were not sent or left out are skipped. */
async function* junit(status: BatchStatus, rows: AsyncIterable<BatchRow>): AsyncGenerator<string> {
  const { action, leftOut } = status;
  const { refused, failed, unknown, skipped, pending } = actedOn(status);
  const name = `paydesk batch ${status.id}: ${action}`;
  const counts = markup`tests="${status.rows}" failures="${refused + failed}" errors="${unknown}" skipped="${skipped + pending + leftOut}"`;
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield plain`<testsuites ${counts}>\n<testsuite name="${name}" timestamp="${status.time}" ${counts}>\n`;
  for await (const row of reportRows(rows)) {
    yield plain`<testcase classname="${action}" name="${nameOf(row)}">${junitResult(row)}</testcase>\n`;
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
      return markup`<skipped message="${message}"/>`;
    default:
      return '';
  }
}

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1c1c1c}
h1{font-size:1.4rem}table{border-collapse:collapse}th,td{text-align:left;padding:.25rem .9rem .25rem 0;
border-bottom:1px solid #ddd;vertical-align:top}.n{text-align:right;font-variant-numeric:tabular-nums}
.done{color:#176b2c}.refused,.failed,.unknown{color:#a11212}.accepted,.pending{color:#7a5200}.skipped{color:#595959}
`;

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
  const facts: Array<[string, string]> = [
    ['App', `${status.appId} (${[status.kind, status.profile].filter((part) => part !== null).join(', ')})`],
    ['Applied', `${status.time} by ${status.operator}`],
    ['State', status.state],
    ['Rows', countText(status.rows)],
    ...groups.map((group): [string, string] => [
      capitalised(groupNames[group]),
      [countText(status[group]), totalsText(status.totals[group])].filter((part) => part !== '').join('   '),
    ]),
  ];
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n';
  yield plain`<meta http-equiv="Content-Security-Policy" content="${policy}">\n<title>${title}</title>\n`;
  yield `<meta name="viewport" content="width=device-width">\n<style>\n${style}</style>\n</head>\n`;
  yield plain`<body>\n<h1>${title}</h1>\n<table>\n`;
  for (const [label, value] of facts)
    yield plain`<tr><th scope="row">${label}</th><td>${safeText(value)}</td></tr>\n`;
  yield plain`</table>\n<h2>Rows</h2>\n<table>\n<tr>${columns.map((column) => markup`<th>${column}</th>`)}</tr>\n`;
  for await (const row of reportRows(rows)) {
    yield plain`<tr>${columns.map((column) => cell(row, column))}</tr>\n`;
  }
  yield '</table>\n</body>\n</html>\n';
}

const capitalised = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase());

function cell(row: ReportRow, column: (typeof columns)[number]): HtmlEscapedString {
  if (column === 'line') return markup`<td class="n">${row.line}</td>`;
  if (column === 'amount') {
    return markup`<td class="n">${safeText(formatAmount(row.amount ?? '', row.currency ?? undefined))}</td>`;
  }
  const value = safeText(row[column] ?? '');
  return column === 'outcome' ? markup`<td class="${value}">${value}</td>` : markup`<td>${value}</td>`;
}
