// One row after the other, with what the run as a whole learns from each: an outage, a refused key, too many failures.

import { firstLine, PaydeskError } from '../../errors.js';
import type { BatchRecord, BatchRow } from '../../ledger/schema.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import { checkApp } from '../../payments/app-check.js';
import type { Desk } from '../../payments/desk.js';
import { StoreError } from '../../store/errors.js';
import type { Claimed, Claims } from '../rows/claims.js';
import { groupOf, type Tally } from '../rows/counts.js';
import type { Pace, Slot } from '../../pace/pace.js';
import { createOutage, readWatched, throttleOf } from '../../pace/paced-reads.js';
import { concernsEveryRow } from './not-done.js';
import { workOn } from './row-work.js';
import type { RunOptions } from './options.js';
import type { RowWaits } from './row-waits.js';
import type { Stopping } from './stopping.js';
import type { RowOutcome, WorkedRow } from '../rows/worked-row.js';

/** A row that the service asked to send later is sent so often at most in one run. */
const MAX_TRIES = 3;

export interface RunnerTools {
  desk: Desk;
  batch: BatchRecord;
  claims: Claims;
  remember: (read: PaymentRead) => Promise<void>;
  tally: Tally;
  stopping: Stopping;
  options: RunOptions;
  /** When this run began, by the ledger's clock: rows that are left for later runs are due after it. */
  startTime: number;
  reportProgress: () => void;
  rowWaits: RowWaits;
}

/** What a run has done so far. */
export interface RunReport {
  /** Rows for which this run sent something or found out the outcome. */
  worked: number;
  /** Whether this run sent an instruction that the service did not take (425, 429). */
  hasThrottled: boolean;
  /** Why the last row that was not sent was not. */
  notSent?: PaydeskError | undefined;
}

interface RowRunner {
  readonly report: Readonly<RunReport>;
  run(claimed: Claimed, slot: Slot): Promise<WorkedRow>;
}

export function createRowRunner(tools: RunnerTools, pace: Pace): RowRunner {
  const { desk, batch, claims, stopping, options, reportProgress, rowWaits } = tools;
  const { signal, stop } = stopping;
  const outage = createOutage((error) => stop({ kind: 'outage', error }));
  let appChecked: Promise<void> | undefined;
  const rowWork = {
    wait: options.wait,
    resend: options.resend,
    read: (paymentId: string) => readWatched(() => desk.client.getPayment({ paymentId }), outage),
    remember: tools.remember,
    sentFor: claims.sentFor,
    checkApp: (read: { fields: { customerId?: string | undefined } }) =>
      (appChecked ??= checkApp(desk.client, read.fields.customerId)),
  };
  const report: RunReport = { worked: 0, hasThrottled: false };
  let failures = 0;

  /** What was throttled or came too late is tried again after a pause, with fewer at once; what may have been sent is not. */
  async function work(claimed: Claimed, slot: Slot): Promise<WorkedRow> {
    for (;;) {
      const result = await workOn(rowWaits.deskFor(claimed.row), batch, claimed, rowWork);
      const throttle = result.outcome === 'unsent' ? slowDownOf(result) : undefined;
      if (!throttle || !result.error) {
        if (result.outcome !== 'unsent' && !result.isUnread) pace.answered(slot, result.tookMs);
        return result;
      }
      pace.throttled(slot, throttle.retryAfterMs);
      outage.throttled(pace.throttles, result.error);
      if (result.heldMs !== undefined) return result;
      await pace.pause();
      if (signal.aborted) return result;
    }
  }

  async function workToEnd(claimed: Claimed, slot: Slot): Promise<WorkedRow> {
    try {
      return await work(claimed, slot);
    } catch (error) {
      return await unknownAfter(tools, claimed, error);
    } finally {
      rowWaits.end(claimed.row);
    }
  }

  async function run(claimed: Claimed, slot: Slot): Promise<WorkedRow> {
    reportProgress();
    const result = await workToEnd(claimed, slot);
    const isLater = slowDownOf(result) !== undefined || result.heldMs !== undefined;
    if ((result.isUnread || (result.outcome === 'unsent' && !isLater)) && result.error) {
      outage.unreadable(result.error, String(claimed.row.line));
    }
    if (concernsEveryRow(result) && result.error) stop({ kind: 'hopeless', error: result.error });
    report.hasThrottled ||= isNotTaken(result);
    await record(tools, claimed, result);
    if (result.outcome !== 'unsent') report.worked += 1;
    else report.notSent = result.error;
    if (isFailure(claimed, result)) failures += 1;
    if (options.stopAfterFailures !== undefined && failures >= options.stopAfterFailures) {
      stop({ kind: 'failures', failures });
    }
    return result;
  }

  return { report, run };
}

/** After an error of the ledger, or one that nobody expected, it is unknown whether something was sent for the row. */
async function unknownAfter(tools: RunnerTools, claimed: Claimed, error: unknown): Promise<WorkedRow> {
  if (error instanceof PaydeskError) throw error;
  const { message } = error as Error;
  if (error instanceof StoreError) {
    tools.stopping.stop({ kind: 'ledger', error });
    return { outcome: 'unknown', why: message };
  }
  await record(tools, claimed, { outcome: 'unknown', why: firstLine(message) });
  throw error;
}

/** Whether the service asked to wait, or this machine is too busy to send in time: both need fewer rows at once. */
const slowDownOf = ({ isLate, error }: WorkedRow): ReturnType<typeof throttleOf> =>
  isLate ? { retryAfterMs: undefined } : throttleOf(error);

/** Whether the instruction of a row was sent now and throttled; a throttled read, or a check of an earlier one, sends none. */
const isNotTaken = ({ error }: WorkedRow): boolean =>
  error?.code === 'not-taken' && throttleOf(error) !== undefined;

/** What an earlier run was told already is no failure of this one, unless nobody knows more of it now. */
function isFailure({ row }: Claimed, { outcome }: WorkedRow): boolean {
  if (outcome === 'unknown') return true;
  return (outcome === 'refused' || outcome === 'failed') && outcome !== row.outcome;
}

/** A row that the service throttled stays throttled while it waits for the end of its quiet period. */
function writtenAs(row: BatchRow, { outcome, error, heldMs }: WorkedRow): RowOutcome {
  if (outcome !== 'unsent') return outcome;
  const stillWaits = row.outcome === 'throttled' && heldMs !== undefined;
  return throttleOf(error) || stillWaits ? 'throttled' : outcome;
}

/** Writes down what became of a row; a ledger that is away ends the run. */
async function record(tools: RunnerTools, { row }: Claimed, result: WorkedRow): Promise<void> {
  const { desk, claims, tally, stopping, startTime } = tools;
  const waits =
    result.heldMs !== undefined && groupOf(result.outcome) === 'pending' && row.tries + 1 < MAX_TRIES;
  const written = { ...result, outcome: writtenAs(row, result) };
  try {
    const due = waits
      ? { time: (await desk.ledger.now()) + (result.heldMs ?? 0), tries: row.tries + 1 }
      : { time: startTime + 1, tries: 0 };
    if (await claims.finish(row, written, due)) tally.move(row, written);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // The outcome is known all the same, and the ledger finds it out again when the batch is resumed.
    tally.move(row, written);
    stopping.stop({ kind: 'ledger', error });
  }
}
