// A plan and a report for the page that a CI service shows of a job.

import { screenCounts } from '../../batch/rows/counts.js';
import { groupNames, groupsShown } from '../../batch/run/ending.js';
import type { PlanRow } from '../../batch/plan/plan-row.js';
import type { BatchStatus } from '../../batch/rows/status.js';
import type { BatchRow } from '../../ledger/schema.js';
import { countText, formatAmount, totalsText } from '../../contract/amount-format.js';
import { markdownRow, markdownRows, markdownText } from '../markdown.js';
import { amountShown, paymentNamed, planCounts, type PlanShown } from './batch-plan.js';
import { rowOutcomeText, reportRows } from './batch-report.js';

/** A page of GitHub takes 1 MiB. */
export const MAX_MARKDOWN_ROWS = 1_000;

const moreRows = (count: number): string => `\n… and ${countText(count)} more rows\n`;

export function* planMarkdown(
  plan: PlanShown & { app: string },
  leftOut: readonly PlanRow[],
): Generator<string> {
  yield `## Plan: ${plan.action}\n\n${markdownText(plan.app)}\n`;
  yield* markdownRows(['', 'rows:', '']);
  for (const [verdict, label, note] of planCounts(plan)) {
    yield markdownRow([label, countText(plan.counts[verdict]), note]);
  }
  if (leftOut.length === 0) return;
  yield* markdownRows(['line:', 'payment', 'reference', 'file:', 'service:', 'why']);
  for (const row of leftOut) {
    const { line, reference, file, why } = row;
    const stated = formatAmount(file?.amount ?? '', file?.currency);
    const service = formatAmount(...amountShown(row));
    yield markdownRow([String(line), paymentNamed(row), reference ?? '', stated, service, why ?? '']);
  }
  const more = plan.rows - plan.counts.act - plan.counts.done - leftOut.length;
  if (more > 0) yield moreRows(more);
}

/** The counts, and the rows that are neither done nor on their way. */
export async function* reportMarkdown(
  status: BatchStatus,
  rows: AsyncIterable<BatchRow>,
): AsyncGenerator<string> {
  const { kind, profile } = status;
  const app = `app ${status.appId} (${[kind, profile].filter((part) => part !== null).join(', ')})`;
  yield `## Batch ${markdownText(status.id)}: ${status.action}\n\n${markdownText(app)}, ${status.state}\n`;
  yield* markdownRows(['', 'rows:', '']);
  const counts = screenCounts(status);
  for (const group of groupsShown(counts)) {
    yield markdownRow([groupNames[group], countText(counts[group]), totalsText(status.screenTotals[group])]);
  }
  let listed = 0;
  for await (const row of reportRows(rows)) {
    if (row.outcome === 'done' || row.outcome === 'accepted') continue;
    listed += 1;
    if (listed > MAX_MARKDOWN_ROWS) continue;
    if (listed === 1)
      yield* markdownRows(['line:', 'payment', 'reference', 'amount:', 'outcome', 'why', 'ticket']);
    const amount = formatAmount(row.amount ?? '', row.currency ?? undefined);
    const { line, payment, reference, why, ticket } = row;
    yield markdownRow([
      String(line),
      payment ?? '',
      reference ?? '',
      amount,
      rowOutcomeText(row),
      why ?? '',
      ticket ?? '',
    ]);
  }
  if (listed > MAX_MARKDOWN_ROWS) yield moreRows(listed - MAX_MARKDOWN_ROWS);
}
