// The outcome of each row of a batch: as rows, as JSON, and as CSV to read or to plan again.

import { numberJson, totalsJson } from '../../contract/json.js';
import type { BatchRow } from '../../ledger/schema.js';
import { groupNames } from '../../batch/run/ending.js';
import { nextAttempt } from '../../batch/attempts.js';
import type { BatchStatus } from '../../batch/rows/status.js';
import { amountCell, formatAmount } from '../../contract/amount-format.js';
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
  /** `pending` where it is still to be sent, `throttled` where the service has asked to send it later. */
  outcome: string;
  /** Whether the plan left it out. */
  leftOut: boolean;
  why: string | null;
  description: string | null;
  reason: string | null;
  ticket: string | null;
  /** Of a charge: who was charged, and which stored method where the file names one. */
  customer: string | null;
  method: string | null;
}

function reportRow(row: BatchRow): ReportRow {
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
    customer: row.customer_id,
    method: row.method_id,
  };
}

/** What people read: a row that the plan left out was not refused, whatever its outcome is called elsewhere. */
export function rowOutcomeText({ outcome, leftOut }: ReportRow): string {
  if (leftOut) return groupNames.leftOut;
  return outcome === 'pending' ? groupNames.pending : outcome;
}

const tones: Readonly<Record<string, Tone>> = {
  done: 'good',
  accepted: 'waiting',
  pending: 'waiting',
  throttled: 'waiting',
  failed: 'bad',
  refused: 'bad',
  unknown: 'bad',
};

const text = (
  key:
    | 'payment'
    | 'reference'
    | 'before'
    | 'after'
    | 'why'
    | 'description'
    | 'reason'
    | 'ticket'
    | 'customer'
    | 'method',
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
      value: ({ amount, currency }) => amountCell(amount ?? '', currency ?? undefined),
      shown: ({ amount, currency }) => formatAmount(amount ?? '', currency ?? undefined),
    },
    { key: 'currency', extra: 'terminal', value: ({ currency }) => currency ?? '' },
    { ...text('before'), spare: 1 },
    { ...text('after'), spare: 2, shown: ({ after }) => statePiece(after ?? '') },
    {
      key: 'outcome',
      value: ({ outcome }) => outcome,
      shown: (row) => toned(row.leftOut ? undefined : tones[row.outcome], rowOutcomeText(row)),
    },
    { ...text('why'), least: 20 },
    { ...text('description'), extra: true },
    { ...text('reason'), extra: 'terminal' },
    { ...text('ticket'), extra: 'terminal' },
    { ...text('customer'), extra: true },
    { ...text('method'), extra: true, number: true },
    { key: 'leftOut', extra: true, value: ({ leftOut }) => (leftOut ? 'yes' : 'no') },
  ],
};

/** Neither done nor accepted, and not done before the plan either. */
function isNotDone(row: BatchRow): boolean {
  if (row.outcome === 'done' || row.outcome === 'accepted') return false;
  return !(row.outcome === 'skipped' && row.planned === 0);
}

type RetryCells = Record<string, (row: BatchRow) => string | null>;

const fileCells: RetryCells = {
  amount: (row) => row.file_amount,
  currency: (row) => row.file_currency,
  description: (row) => row.description,
  reason: (row) => row.reason,
  ticket: (row) => row.ticket,
};

/** A charge that failed has used its reference, so the next attempt gets another. The others keep theirs: they may have been made. */
const chargeCells: RetryCells = {
  reference: ({ typed, outcome }) => (outcome === 'failed' ? nextAttempt(typed) : typed),
  customer: (row) => row.customer_id,
  method: (row) => row.method_id,
  ...fileCells,
};

/** The rows that were not done, in the form that `batch plan` reads: what the file said, not what the service showed. */
export async function* retryCsv(action: string, rows: AsyncIterable<BatchRow>): AsyncGenerator<string> {
  const csv = await createCsvWriter();
  const columns = Object.entries(
    action === 'charge' ? chargeCells : { payment: ({ typed }: BatchRow) => typed, ...fileCells },
  );
  yield csv([columns.map(([column]) => ({ text: column, number: false }))]);
  for await (const row of rows) {
    if (!isNotDone(row)) continue;
    yield csv([columns.map(([column, cell]) => ({ text: cell(row) ?? '', number: column === 'amount' }))]);
  }
}

/** A batch as `--json` prints it. */
export function batchJson<T extends BatchStatus>(status: T) {
  const { screenTotals: _, ...shown } = status;
  const totals = Object.entries(status.totals).map(([group, sums]) => [group, totalsJson(sums)]);
  return { ...shown, totals: Object.fromEntries(totals) as Record<string, ReturnType<typeof totalsJson>> };
}

const rowJson = (row: ReportRow) => ({
  ...row,
  payment: numberJson(row.payment),
  amount: numberJson(row.amount),
  method: numberJson(row.method),
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

/** The same with every column, for a CSV. */
export const wholeReportList: ListView<ReportRow> = {
  ...reportList,
  columns: reportList.columns.map((column) => {
    const whole = { ...column };
    delete whole.extra;
    return whole;
  }),
};

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
