// One charge of a batch, made by the same code as a single one: the reference is looked for first, and it is the key.

import { firstLine } from '../../errors.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import type { BatchRecord, BatchRow } from '../../ledger/schema.js';
import { followCharge, wasRefunded } from '../../payments/charge-outcome.js';
import type { Desk } from '../../payments/desk.js';
import { failureReason } from '../../payments/failure-reason.js';
import { createOrCompare } from '../../payments/create-payment.js';
import { idOf, stateOf } from '../../payments/named-payments.js';
import { chargedEarlier } from '../attempts.js';
import { chargeBody } from '../plan/charge-rows.js';
import { notDone } from './not-done.js';
import type { WorkedOutcome, WorkedRow } from '../rows/worked-row.js';

/** Throws what concerns more than this row. */
export async function chargeRow(
  desk: Desk,
  batch: BatchRecord,
  row: BatchRow,
  { wait, resend }: { wait: boolean; resend: boolean },
): Promise<WorkedRow> {
  const outcomeBefore = earlierOutcome(row);
  // What was sent before is only looked for, unless a person decided to send it again with the same reference. One whose
  // payment was seen needs no second charge, whatever it shows.
  const onlyLooks =
    outcomeBefore !== undefined && !(outcomeBefore === 'unknown' && resend && row.payment_id === '');
  let isSent = false;
  try {
    if (!onlyLooks) {
      const asked = { body: bodyOf(row), currency: row.file_currency ?? undefined };
      const earlier = await chargedEarlier(desk.client, asked);
      const after = (earlier?.read && stateOf(earlier.read)) ?? undefined;
      if (earlier)
        return {
          outcome: outcomeBefore ?? (earlier.isCharged ? 'skipped' : 'refused'),
          after,
          why: earlier.why,
        };
    }
    const from = desk.clock.monotonic();
    const why = {
      reason: row.reason ?? undefined,
      ticket: row.ticket ?? undefined,
      description: row.description ?? undefined,
      batchId: batch.id,
    };
    const made = await createOrCompare(
      desk,
      { kind: 'charge', body: bodyOf(row), isNew: false, dryRun: onlyLooks },
      { why, confirm: async () => void (isSent = true) },
    );
    if ('request' in made) {
      const why = row.why ?? 'the service shows no payment with this reference';
      return { outcome: outcomeBefore ?? 'unknown', why };
    }
    const tookMs = desk.clock.monotonic() - from;
    if ('error' in made) return { ...notDone(made.error, row), ...seenAs(made.read), tookMs };
    return { ...(await resultOf(desk, row, made.read, wait)), tookMs };
  } catch (error) {
    const result = notDone(error, row);
    if (outcomeBefore === undefined || changesOutcome(result, isSent)) return result;
    // Another charge has the reference, which says nothing about this one.
    if (result.error?.code === 'reference-in-use') return { outcome: outcomeBefore, ...earlierResult(row) };
    // A run that sends has to know that the service does not answer.
    return {
      ...result,
      outcome: outcomeBefore,
      after: earlierResult(row).after,
      isUnread: !onlyLooks && result.outcome === 'unsent',
    };
  }
}

/**
 * A look that failed says nothing about what was sent before, and neither does a service that has no time for what this
 * run has sent; its refusal does.
 */
const changesOutcome = ({ error, outcome }: WorkedRow, isSent: boolean): boolean =>
  isSent && outcome === 'refused' && error?.code !== 'reference-in-use';

/** What an earlier run recorded for the row. */
export const earlierResult = ({ after_state, why }: BatchRow) => ({
  after: after_state ?? undefined,
  why: why ?? undefined,
});

const seenAs = (read: PaymentRead) => ({ after: stateOf(read) ?? undefined, payment: idOf(read) });

/** The outcome that an earlier run recorded for a row that it sent. */
function earlierOutcome({ outcome }: BatchRow): WorkedOutcome | undefined {
  switch (outcome) {
    case 'accepted':
    case 'failed':
    case 'refused':
    case 'unknown':
      return outcome;
    default:
      return undefined;
  }
}

const bodyOf = (row: BatchRow) =>
  chargeBody({
    typed: row.typed,
    amount: row.amount,
    customer: row.customer_id ?? undefined,
    method: row.method_id ?? undefined,
    description: row.description ?? undefined,
  });

async function resultOf(desk: Desk, row: BatchRow, made: PaymentRead, wait: boolean): Promise<WorkedRow> {
  const wanted = { autoCapture: true, wait: wait && !wasRefunded(made) };
  const { read, outcome, error } = await followCharge(desk, made, wanted);
  const { currency } = read.fields;
  const facts = { ...seenAs(read), currency };
  const otherCurrency =
    row.file_currency !== null && currency !== undefined && currency !== row.file_currency
      ? `charged in ${currency}, and the file says ${row.file_currency}`
      : undefined;
  if (wasRefunded(read)) return { ...facts, outcome: 'done', why: 'charged, and refunded since' };
  // As with another amount: a person has to look at it, and a canary or a limit was meant for the other currency.
  if (otherCurrency !== undefined && (outcome === 'done' || outcome === 'accepted'))
    return { ...facts, outcome: 'unknown', why: otherCurrency };
  switch (outcome) {
    case 'done':
      return { ...facts, outcome: 'done' };
    case 'accepted':
      return { ...facts, outcome: 'accepted' };
    case 'unknown':
      return { ...facts, outcome: 'unknown', why: error && firstLine(error.message) };
    default:
      return { ...facts, outcome: 'failed', why: failureReason(read) || undefined };
  }
}
