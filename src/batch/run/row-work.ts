// One row of a batch: what the ledger knows counts first, then what the plan saw, and only then is anything sent.

import type { SettleOperation } from '../../contract/states.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import { isOpen, outcomeOf, type Entry } from '../../ledger/moves/entries.js';
import { type BatchRecord, type BatchRow, PLANNED_AGAIN, PLANNED_CHECK } from '../../ledger/schema.js';
import type { Desk } from '../../payments/desk.js';
import { justAdopted } from '../../payments/move/errors.js';
import { carryOut } from '../../payments/move/send.js';
import type { Move } from '../../payments/move/result.js';
import { nounOf } from '../../payments/move/words.js';
import { stateOf } from '../../payments/named-payments.js';
import { checkIntent, reportBlocked } from '../../payments/move/check.js';
import { findBlocking } from '../../payments/move/record.js';
import { recordRecheck } from '../../payments/record-created.js';
import { type Claimed, isLookedAtAgain, knownResult } from '../rows/claims.js';
import { changeSincePlan } from './change-since-plan.js';
import { chargeRow, earlierResult } from './charge-row.js';
import { notDone } from './not-done.js';
import { heldRow, sendAgain } from './send-again.js';
import { rowResult, type WorkedRow } from '../rows/worked-row.js';

interface RowWork {
  /** Follow each to its end state. */
  wait: boolean;
  /** Send again what may have left and did not arrive, once its quiet period is over: a person decided so. */
  resend: boolean;
  /** A read of the payment; throws as the client does. */
  read: (paymentId: string) => Promise<PaymentRead>;
  /** Makes the payment known as it was read: one that came back is noticed only if it was seen before. */
  remember: (read: PaymentRead) => Promise<void>;
  /** The last intent that the batch has written for the row by now. */
  sentFor: (row: BatchRow) => Promise<Entry | undefined>;
  /** Throws when the app is not the one that is meant. */
  checkApp: (read: PaymentRead) => Promise<void>;
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
  const { action } = batch;
  if (action === 'charge') return chargeRow(desk, batch, row, work);
  try {
    const read = await work.read(row.payment_id);
    if (action === 'recheck') {
      await work.remember(read);
      return await recheck(desk, row, read);
    }
    return await move(desk, batch, { ...claimed, operation: action, read, readTime: desk.steady() }, work);
  } catch (error) {
    const result = notDone(error, row);
    const open = claimed.earlier && outcomeOf(claimed.earlier);
    // What was sent before is as open as it was: that it cannot be read now says nothing about it.
    if (open === undefined || !(isOpen(open) || isLookedAtAgain(row))) return result;
    return { ...result, outcome: open, after: undefined };
  }
}

interface ReadRow {
  operation: SettleOperation;
  read: PaymentRead;
  readTime: number;
}

async function move(
  desk: Desk,
  batch: BatchRecord,
  { row, earlier, operation, read, readTime }: Claimed & ReadRow,
  work: RowWork,
): Promise<WorkedRow> {
  const plain: Move = {
    typed: row.typed,
    operation,
    read,
    description: row.description ?? undefined,
    reason: row.reason ?? undefined,
    ticket: row.ticket ?? undefined,
    batchId: batch.id,
    force: false,
    wait: work.wait,
    again: row.planned === PLANNED_AGAIN,
  };
  if (row.planned === PLANNED_CHECK) return checkOnly(desk, plain);
  if (earlier && isOpen(outcomeOf(earlier))) return settle(desk, plain, earlier, work.resend);
  if (earlier && isLookedAtAgain(row)) return lookAgain(desk, plain, earlier);
  if (!earlier && (row.outcome === 'accepted' || row.outcome === 'refused')) {
    // What was accepted may have been sent again since, and not taken: then the row is left to do.
    const kinds = row.outcome === 'accepted' ? [...OPEN_OR_OVER, 'quiet'] : OPEN_OR_OVER;
    // The ledger of a sandbox that was started again no longer has what was sent.
    return (await checkEarlier(desk, plain, kinds)) ?? { outcome: row.outcome, ...earlierResult(row) };
  }
  if (row.outcome === 'unknown' && !work.resend) return checkUnknown(desk, plain);
  // What this batch may have sent may also be what has changed the payment: then its outcome is checked instead.
  const change = earlier ? undefined : changeSincePlan(asPlanned(row), operation, read);
  if (change !== undefined) {
    const sent = await work.sentFor(row);
    // Another runner has sent it since the row was claimed, which is what changed the payment.
    if (sent && sent.id !== earlier?.id) return workOn(desk, batch, { row, earlier: sent }, work);
    await work.remember(read);
    return { outcome: 'skipped', after: stateOf(read) ?? undefined, why: change };
  }
  await work.checkApp(read);
  const blocked = await findBlocking(desk, plain);
  if (blocked?.kind === 'adopted') return heldRow(read, justAdopted(plain, blocked.leftMs), blocked.leftMs);
  if (blocked?.kind === 'quiet') return sendAgain(desk, plain, blocked.intent);
  return rowResult(await carryOut(desk, { ...plain, readTime }));
}

/** The plan has promised to send nothing for this row, whatever became of its instruction since. */
async function checkOnly(desk: Desk, move: Move): Promise<WorkedRow> {
  const earlier = await checkEarlier(desk, move);
  if (earlier) return earlier;
  const why = `the plan only checks its earlier ${nounOf(move.operation)}, which is no longer open: plan it again`;
  return { outcome: 'skipped', after: stateOf(move.read) ?? undefined, why };
}

/** This batch has sent nothing for a row whose outcome was unknown. The next run may, once somebody has confirmed that. */
async function checkUnknown(desk: Desk, move: Move): Promise<WorkedRow> {
  const earlier = await checkEarlier(desk, move);
  return earlier ?? { outcome: 'unsent', after: stateOf(move.read) ?? undefined, why: 'it was not sent' };
}

const OPEN_OR_OVER: readonly string[] = ['held', 'ended'];

/** The outcome of the same instruction, wherever it came from; undefined where it is none of these kinds. */
async function checkEarlier(desk: Desk, move: Move, kinds = OPEN_OR_OVER): Promise<WorkedRow | undefined> {
  const blocked = await findBlocking(desk, move);
  if (!blocked || blocked.kind === 'adopted' || !kinds.includes(blocked.kind)) return undefined;
  return rowResult(await reportBlocked(desk, move, blocked));
}

/** Checks the outcome by reading. What may have left is sent again only when a person decided so. */
async function settle(desk: Desk, move: Move, entry: Entry, resend: boolean): Promise<WorkedRow> {
  const settled = rowResult(await checkIntent(desk, move, entry));
  return resend && settled.outcome === 'unknown' ? sendAgain(desk, move, entry) : settled;
}

/** What was sent and refused may have been carried out all the same. It is not sent again. */
async function lookAgain(desk: Desk, move: Move, entry: Entry): Promise<WorkedRow> {
  const looked = rowResult(await checkIntent(desk, move, entry));
  // The service has refused it then, and not now.
  return looked.outcome === 'refused' ? { ...looked, error: undefined } : looked;
}

const asPlanned = ({ reference_id, before_state, amount, currency }: BatchRow) => ({
  reference: reference_id,
  state: before_state,
  amount,
  currency,
});

/** A recheck may be sent any number of times, so it needs no intent. */
async function recheck(desk: Desk, row: BatchRow, read: PaymentRead): Promise<WorkedRow> {
  const from = desk.clock.monotonic();
  const rechecked = await desk.client.recheckedPayment(row.payment_id);
  await recordRecheck(desk, read, rechecked);
  const [before, after] = [stateOf(read), stateOf(rechecked.read)];
  const unchanged = rechecked.isQueued ? 'the service queued it' : 'nothing changed';
  return {
    outcome: 'done',
    after: after ?? undefined,
    why: before === after ? unchanged : `${before ?? '?'} → ${after ?? '?'}`,
    tookMs: desk.clock.monotonic() - from,
  };
}
