// The outcome of each row of a batch: as rows, as JSON, and as CSV to read or to plan again.

import { numberJson, totalsJson } from '../../contract/json.js';
import type { BatchRow } from '../../ledger/schema.js';
import type { BatchStatus } from '../../batch/standing.js';
import { formatAmount } from '../amount.js';
import { createCsvWriter } from '../csv.js';
import { toned } from '../lines.js';
import type { ListView } from '../rows.js';
import { safeJson } from '../text.js';
import type { Tone } from '../theme.js';
import { statePiece } from '../values.js';

/** A row as reports give it. */
export interface ReportRow {
  line: number;
  payment: string | null;
  reference: string | null;
  amount: string | null;
  currency: string | null;
  before: string | null;
  after: string | null;
  /** `pending` where nothing was sent for it so far. */
  outcome: string;
  /** Whether the plan left it out. */
  leftOut: boolean;
  why: string | null;
  description: string | null;
  reason: string | null;
  ticket: string | null;
}

export function reportRow(row: BatchRow): ReportRow {
  const { line, description, reason, ticket } = row;
  return {
    line,
    payment: row.payment_id || null,
    reference: row.reference_id ?? (row.payment_id === '' ? row.typed : null),
    amount: row.amount || null,
    currency: row.currency || null,
    before: row.before_state || null,
    after: row.after_state,
    outcome: row.outcome === null || row.outcome === 'unsent' ? 'pending' : row.outcome,
    leftOut: row.planned === 0,
    why: row.why,
    description,
    reason,
    ticket,
  };
}

const tones: Readonly<Record<string, Tone>> = {
  done: 'good',
  accepted: 'waiting',
  pending: 'waiting',
  failed: 'bad',
  refused: 'bad',
  unknown: 'bad',
};

const text = (
  key: 'payment' | 'reference' | 'before' | 'after' | 'why' | 'description' | 'reason' | 'ticket',
) => ({
  key,
  value: (row: ReportRow) => row[key] ?? '',
});

export const reportList: ListView<ReportRow> = {
  empty: 'The batch has no rows.',
  columns: [
    { key: 'line', align: 'right', number: true, value: ({ line }) => String(line) },
    text('payment'),
    text('reference'),
    {
      key: 'amount',
      align: 'right',
      number: true,
      value: ({ amount }) => amount ?? '',
      shown: ({ amount, currency }) => formatAmount(amount ?? '', currency ?? undefined),
    },
    { key: 'currency', extra: 'terminal', value: ({ currency }) => currency ?? '' },
    text('before'),
    { ...text('after'), shown: ({ after }) => statePiece(after ?? '') },
    {
      key: 'outcome',
      value: ({ outcome }) => outcome,
      shown: ({ outcome }) => toned(tones[outcome], outcome),
    },
    text('why'),
    { ...text('description'), extra: true },
    { ...text('reason'), extra: 'terminal' },
    { ...text('ticket'), extra: 'terminal' },
  ],
};

/** Neither done nor accepted, and not done before the plan either. */
function isNotDone(row: BatchRow): boolean {
  if (row.outcome === 'done' || row.outcome === 'accepted') return false;
  return !(row.outcome === 'skipped' && row.planned === 0);
}

const retryColumns = ['payment', 'amount', 'currency', 'description', 'reason', 'ticket'] as const;

/** The rows that were not done, in the form that `batch plan` reads: what the file said, not what the service showed. */
export async function* retryCsv(rows: AsyncIterable<BatchRow>): AsyncGenerator<string> {
  const csv = await createCsvWriter();
  yield csv([retryColumns.map((column) => ({ text: column, number: false }))]);
  for await (const row of rows) {
    if (!isNotDone(row)) continue;
    const cells = [row.typed, row.file_amount, row.file_currency, row.description, row.reason, row.ticket];
    yield csv([cells.map((cell, index) => ({ text: cell ?? '', number: index === 1 }))]);
  }
}

/** A batch as `--json` prints it. */
export function batchJson<T extends BatchStatus>(status: T) {
  const totals = Object.entries(status.totals).map(([group, sums]) => [group, totalsJson(sums)]);
  return { ...status, totals: Object.fromEntries(totals) as Record<string, ReturnType<typeof totalsJson>> };
}

const rowJson = (row: ReportRow) => ({
  ...row,
  payment: numberJson(row.payment),
  amount: numberJson(row.amount),
});

export async function* reportJson(
  status: BatchStatus,
  rows: AsyncIterable<BatchRow>,
): AsyncGenerator<string> {
  yield `{"batch":${safeJson(batchJson(status))},"rows":[`;
  let first = true;
  for await (const row of rows) {
    yield `${first ? '' : ','}\n${safeJson(rowJson(reportRow(row)))}`;
    first = false;
  }
  yield '\n]}\n';
}

export async function* reportRows(rows: AsyncIterable<BatchRow>): AsyncGenerator<ReportRow> {
  for await (const row of rows) yield reportRow(row);
}

export async function* reportCsv(rows: AsyncIterable<BatchRow>): AsyncGenerator<string> {
  const csv = await createCsvWriter();
  const { columns } = reportList;
  yield csv([columns.map(({ key }) => ({ text: key, number: false }))]);
  for await (const row of reportRows(rows)) {
    yield csv([columns.map(({ value, number }) => ({ text: value(row), number: number === true }))]);
  }
}
