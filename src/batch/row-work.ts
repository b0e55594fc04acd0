// One row of a batch: what the ledger knows counts first, then what the plan saw, and only then is anything sent.

import type { SettleOperation } from '../contract/states.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { numberText } from '../contract/json.js';
import {
  exitCodeOf,
  GuardError,
  type PaydeskError,
  ServiceError,
  TemporaryError,
  UnknownOutcomeError,
} from '../errors.js';
import { outcomeOf, type Entry } from '../ledger/ledger.js';
import type { BatchRecord, BatchRow } from '../ledger/schema.js';
import type { Desk } from '../payments/desk.js';
import { carryOut } from '../payments/move/send.js';
import type { Move, MoveResult } from '../payments/move/result.js';
import { stateOf } from '../payments/named-payments.js';
import { checkIntent, clearToSend } from '../payments/move/check.js';
import { PLANNED_AGAIN, type RowResult } from './batches.js';
import { type Claimed, knownResult } from './claims.js';

export interface RowWork {
  /** Follow each to its end state. */
  wait: boolean;
  /** Send again what may have left and did not arrive, once its quiet period is over: a person decided so. */
  resend: boolean;
  /** A read of the payment; throws as the client does. */
  read: (paymentId: string) => Promise<PaymentRead>;
  /** Throws when the app is not the one that is meant. */
  checkApp: (read: PaymentRead) => Promise<void>;
}

/** What became of a row, with the error behind it and how long the service took. */
export interface WorkedRow extends RowResult {
  error?: PaydeskError | undefined;
  tookMs?: number | undefined;
  /** An instruction was sent, and no read went through since. */
  blind?: boolean;
  /** How long the same instruction is not sent again, because it may have left. */
  heldMs?: number | undefined;
}

/** Throws what concerns more than this row: a key that is not accepted, a ledger that cannot be written. */
export async function workOn(
  desk: Desk,
  batch: BatchRecord,
  claimed: Claimed,
  work: RowWork,
): Promise<WorkedRow> {
  const known = knownResult(claimed);
  if (known) return known;
  const { row } = claimed;
  try {
    const read = await work.read(row.payment_id);
    if (batch.action === 'recheck') return await recheck(desk, row, read);
    return await move(desk, batch, { ...claimed, read, readTime: desk.clock.now() }, work);
  } catch (error) {
    const result = notDone(error, row);
    const open = claimed.earlier && outcomeOf(claimed.earlier);
    // What was sent before is as open as it was: that it cannot be read now says nothing about it.
    if (open !== 'accepted' && open !== 'unknown') return result;
    return { ...result, outcome: open, after: undefined };
  }
}

async function move(
  desk: Desk,
  batch: BatchRecord,
  { row, earlier, read, readTime }: Claimed & { read: PaymentRead; readTime: number },
  work: RowWork,
): Promise<WorkedRow> {
  const plain: Move = {
    typed: row.typed,
    operation: batch.action as SettleOperation,
    read,
    description: row.description ?? undefined,
    reason: row.reason ?? undefined,
    ticket: row.ticket ?? undefined,
    batchId: batch.id,
    force: false,
    wait: work.wait,
    again: row.planned === PLANNED_AGAIN,
  };
  const isOpen = earlier !== undefined && outcomeOf(earlier) !== 'unsent';
  if (isOpen) return rowResult(await settle(desk, plain, earlier, work.resend));
  // An instruction that the service asked to send later may have arrived all the same.
  const now = row.tries > 0 ? await recheckAndRead(desk, row) : read;
  const change = changeSince(row, now);
  if (change !== undefined) return { outcome: 'skipped', after: stateOf(now) ?? undefined, why: change };
  await work.checkApp(now);
  const result = rowResult(await carryOut(desk, { ...plain, read: now, readTime }));
  return { ...result, heldMs: isNotTaken(result) ? desk.quietMs : undefined };
}

/** The service said that it did not take the instruction (425, 429), which is no proof that it did not act on it. */
const isNotTaken = ({ outcome, error }: WorkedRow): boolean =>
  outcome === 'unsent' && error?.code === 'not-taken';

async function recheckAndRead(desk: Desk, row: BatchRow): Promise<PaymentRead> {
  const paymentId = row.payment_id;
  const { value } = await desk.client.recheck(paymentId);
  return desk.client.readBackPayment(value, { paymentId });
}

/** By reading; only a person's decision sends anew what may have left. */
async function settle(desk: Desk, move: Move, entry: Entry, resend: boolean): Promise<MoveResult> {
  const settled = await checkIntent(desk, move, entry);
  if (!resend || settled.outcome !== 'unknown') return settled;
  try {
    const clear = await clearToSend(desk, move, entry);
    return 'settled' in clear ? clear.settled : await carryOut(desk, clear.cleared);
  } catch (error) {
    // Not before the quiet period is over, and not when anything moved: it stays as it is.
    if (!(error instanceof GuardError)) throw error;
    return { ...settled, error };
  }
}

function changeSince(row: BatchRow, read: PaymentRead): string | undefined {
  const state = stateOf(read) ?? '';
  if (state !== row.before_state) {
    return `changed since the plan: ${row.before_state || '?'} → ${state || '?'}`;
  }
  const { amount, currency = '' } = read.fields;
  const shown = amount === undefined ? '' : numberText(amount);
  if (shown === row.amount && currency === row.currency) return undefined;
  return `changed since the plan: ${row.currency} ${row.amount} → ${currency} ${shown}`;
}

/** A recheck may be sent any number of times, so it needs no intent. */
async function recheck(desk: Desk, row: BatchRow, read: PaymentRead): Promise<WorkedRow> {
  const from = desk.clock.now();
  const now = await recheckAndRead(desk, row);
  const [before, after] = [stateOf(read), stateOf(now)];
  return {
    outcome: 'done',
    after: after ?? undefined,
    why: before === after ? 'nothing changed' : `${before ?? '?'} → ${after ?? '?'}`,
    tookMs: desk.clock.now() - from,
  };
}

function rowResult({ outcome, after, error, tookMs }: MoveResult): WorkedRow {
  return {
    outcome,
    after: after ?? undefined,
    why: error && firstLine(error.message),
    error,
    tookMs,
    blind: outcome === 'unknown' && after === null,
  };
}

/** What was thrown was found before anything left, but for a recheck, whose outcome does not matter. */
function notDone(error: unknown, row: BatchRow): WorkedRow {
  const state = row.before_state || undefined;
  if (error instanceof GuardError) {
    const outcome = error.code === 'changed-meanwhile' ? 'skipped' : 'refused';
    return { outcome, after: state, why: firstLine(error.message), error };
  }
  if (error instanceof ServiceError) {
    return { outcome: 'refused', after: state, why: firstLine(error.message), error };
  }
  if (error instanceof UnknownOutcomeError) {
    return { outcome: 'unknown', why: firstLine(error.message), error };
  }
  if (error instanceof TemporaryError && error.code !== LEDGER_LOST) {
    return { outcome: 'unsent', after: state, why: firstLine(error.message), error };
  }
  throw error;
}

/** Whether the database of the ledger is away, which concerns every row. */
export const isLedgerLost = (error: unknown): error is TemporaryError =>
  error instanceof TemporaryError && error.code === LEDGER_LOST;
const LEDGER_LOST = 'ledger-unavailable';

export const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Whether the service does not accept the key, so that no other row would fare better. */
export const isKeyRefused = ({ error }: WorkedRow): boolean => error !== undefined && exitCodeOf(error) === 4;
