// Sends one instruction: a last read, an intent in the ledger, one request over a fresh connection, and then only
// reads. Nothing is sent twice because an answer was lost.

import type { Fence } from '../../client/exchange.js';
import type { PaymentRead, SettleResult } from '../../client/payment-calls.js';
import { type GuardError, PaydeskError } from '../../errors.js';
import type { Entry } from '../../ledger/moves/entries.js';
import { fenceOf } from '../../ledger/moves/quiet-period.js';
import { quietOf, type Desk } from '../desk.js';
import { hasOtherReference, idOf, labelOf, stateOf } from '../named-payments.js';
import { clearSeen, clearToSend, reportBlocked } from './check.js';
import { changedMeanwhile, interruptedBy, notSent, notSentAgain, takenOver } from './errors.js';
import { forbidden } from './legality.js';
import { beforeOf, isAsBefore, nothingSince } from './proof.js';
import { findBlocking, intentOf, recordResult, rememberUnmoved } from './record.js';
import { withLedger } from '../with-ledger.js';
import {
  type CarriedOut,
  type Evidence,
  isResendOfOpen,
  type Move,
  type MoveResult,
  over,
  resultOf,
  type Sent,
} from './result.js';
import { settle } from './settle.js';

/** A row of a batch is read after the whole of it was confirmed: it need not be read twice in a row. */
const JUST_NOW_MS = 1_000;

/** Sends it, and follows it where that was asked for. */
export async function carryOut(desk: Desk, move: Move): Promise<MoveResult> {
  const { follow } = await sendMove(desk, move);
  return follow();
}

export async function sendMove(desk: Desk, move: Move): Promise<CarriedOut> {
  const { before, refusal } = await lastRead(desk, move);
  if (refusal) {
    // The same operation of another process may be what has moved it.
    const now = { ...move, read: before };
    const blocked = await findBlocking(desk, now);
    if (blocked === undefined) throw refusal;
    return over(await reportBlocked(desk, now, blocked));
  }
  // Nothing has left yet, so this ends as it would have without a payment.
  desk.signal.throwIfAborted();
  const fence = createFence(desk, quietOf(desk, before));
  const intent = intentOf(desk, move, before);
  const { again, cleared, clearedSeen } = move;
  const opening = await withLedger(() => desk.ledger.open(intent, { again, cleared, clearedSeen }));
  if (opening.kind === 'quiet' && cleared === undefined) {
    const clear = await clearToSend(desk, { ...move, read: before }, opening.intent);
    return 'settled' in clear ? over(clear.settled) : sendMove(desk, clear.cleared);
  }
  if (opening.kind === 'seen') {
    return sendMove(desk, await clearSeen(desk, { ...move, read: before }, opening));
  }
  if (opening.kind !== 'opened') return over(await reportBlocked(desk, { ...move, read: before }, opening));
  return send(desk, move, before, opening.intent, fence);
}

async function send(
  desk: Desk,
  move: Move,
  before: PaymentRead,
  intent: Entry,
  fence: MoveFence,
): Promise<CarriedOut> {
  const from = desk.clock.monotonic();
  const sent: Sent = {
    move,
    before: beforeOf(before),
    since: { ...nothingSince },
    beforeRead: before,
    intent,
  };
  let answer: SettleResult;
  const stopRenewing = keepHold(desk, sent, fence.limitMs);
  try {
    answer = await desk.client.operate(move.operation, idOf(before), {
      fence: fence.of(sent),
      referenceId: before.fields.referenceId,
      ...(move.description === undefined ? {} : { description: move.description }),
    });
  } catch (error) {
    // These errors mean that nothing was sent. After any other one, nobody knows: the intent stays open.
    if (error instanceof PaydeskError) {
      await recordResult(desk, sent, resultOf(sent, undefined, 'unsent', error), { neverLeft: true });
    }
    throw error;
  } finally {
    stopRenewing();
  }
  sent.tookMs = desk.clock.monotonic() - from;
  if (answer.kind === 'unsent') {
    const result = resultOf(sent, before, 'unsent', interruptedBy(desk) ?? notSent(sent, answer.why));
    await recordResult(desk, sent, result, { neverLeft: true });
    // The instruction before it is as open as it was.
    if (isResendOfOpen(sent)) {
      return over(resultOf(sent, before, 'unknown', interruptedBy(desk) ?? notSentAgain(sent, answer.why)));
    }
    return over(answer.isLate ? { ...result, isLate: true } : result);
  }
  return settle(desk, sent, evidenceFrom(answer), shownBy(desk, answer));
}

function evidenceFrom(answer: Exclude<SettleResult, { kind: 'unsent' }>): Evidence {
  switch (answer.kind) {
    case 'taken':
      return { kind: 'taken' };
    case 'refused':
      return { kind: 'refused', problem: answer.problem };
    case 'not-taken': {
      const { why, problem, retryAfterMs } = answer;
      return { kind: 'not-taken', why, problem, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    }
    default:
      return { kind: 'unknown', why: answer.why };
  }
}

/** The payment as a success showed it: as good as a read. */
function shownBy({ client }: Desk, answer: SettleResult): PaymentRead | undefined {
  if (answer.kind !== 'taken' || !answer.payment) return undefined;
  const state = client.canonicalState(answer.payment.fields.paymentState);
  return { ...answer.payment, state, answer: answer.answer };
}

/** The payment as it is now; what was checked and confirmed must still be true. */
async function lastRead(
  desk: Desk,
  { operation, read, readTime, force, cleared }: Move,
): Promise<{ before: PaymentRead; refusal?: GuardError | undefined }> {
  if (readTime !== undefined && desk.steady() - readTime <= JUST_NOW_MS) {
    return { before: read, refusal: force ? undefined : forbidden(operation, read) };
  }
  const now = await desk.client.getPayment({ paymentId: idOf(read) });
  const facts = (of: PaymentRead) =>
    JSON.stringify([of.fields.amount, of.fields.currency, of.fields.customerId]);
  const isOther = facts(now) !== facts(read) || hasOtherReference(read.fields.referenceId, now);
  // What is sent again was cleared for the payment exactly as it was.
  const hasMoved = cleared !== undefined && !isAsBefore(beforeOf(read), now);
  if (!isOther && !hasMoved && stateOf(now) === stateOf(read)) return { before: now };
  await rememberUnmoved(desk, [now]);
  if (isOther || hasMoved) throw changedMeanwhile(read, now);
  desk.note(`Payment ${labelOf(read)} has changed meanwhile: ${stateOf(read)} → ${stateOf(now)}.`);
  return { before: now, refusal: force ? undefined : forbidden(operation, now) };
}

/**
 * Renews the hold while the answer is waited for: a slow service may still be working on it, so nobody may take it
 * over. Returns a function that stops the renewing.
 */
function keepHold(desk: Desk, sent: Sent, everyMs: number): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const renewLater = () => {
    if (isOver) return;
    // A hold that cannot be renewed runs out, which the fence of the next attempt notices.
    timer = setTimeout(() => void desk.ledger.renew(sent.intent.id).then(renewLater, renewLater), everyMs);
  };
  renewLater();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

interface MoveFence {
  /** How long after the intent was written or renewed the first byte may leave. */
  limitMs: number;
  of(sent: Sent): Fence;
}

/**
 * Keeps an instruction from leaving long after its intent was written: a process that slept may find that somebody
 * else took over. Made before the intent is written, so that a slow disk counts too.
 */
function createFence(desk: Desk, quietMs: number): MoveFence {
  const limitMs = fenceOf(quietMs);
  let renewed = desk.steady();
  return {
    limitMs,
    of: (sent) => ({
      async beforeAttempt(attempt) {
        if (attempt === 1) return;
        const from = desk.steady();
        if (!(await withLedger(() => desk.ledger.renew(sent.intent.id)))) throw takenOver(sent);
        renewed = from;
        // However long the attempts before took: somebody else may have moved the payment since it was read.
        const now = await desk.client.getPayment({ paymentId: idOf(sent.beforeRead) });
        if (isAsBefore(sent.before, now)) return;
        await rememberUnmoved(desk, [now]);
        throw changedMeanwhile(sent.beforeRead, now);
      },
      beforeFirstByte: () => desk.steady() - renewed <= limitMs,
    }),
  };
}
