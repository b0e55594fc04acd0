// One money move: a last read, sent once, and then only read. A lost answer is never answered by sending again.

import type { PaymentRead, SettleResult } from '../../client/payment-calls.js';
import { GuardError, PaydeskError, TemporaryError } from '../../errors.js';
import type { Entry, Opening } from '../../ledger/ledger.js';
import type { Desk } from '../desk.js';
import { beforeSending, endedResult, heldBy, intentOf, placeOf, recordResult } from './record.js';
import { forbidden } from './legality.js';
import { failed, notCarriedOut, notSent, refusedBy, stillUnknown } from './errors.js';
import { type Move, type MoveResult, resultOf, type Sent, unknownState } from './result.js';
import { idOf, labelOf, stateOf } from '../named-payments.js';
import { followMove, judgeRead, readsToSettle, readSettling } from './settle.js';
import { settleOpen } from './settle-open.js';
import { standingOf } from './standing.js';

/** An intent is not sent long after it was written: somebody may have taken it over by then. */
const FRESH_MS = 60_000;
/** A row of a batch is read after the whole of it was confirmed: it need not be read twice in a row. */
const JUST_NOW_MS = 1_000;

export async function carryOut(desk: Desk, move: Move): Promise<MoveResult> {
  const { before, refusal } = await lastRead(desk, move);
  if (refusal) {
    // The same operation of another process may be what has moved it.
    const way = await beforeSending(() =>
      desk.ledger.inTheWay(placeOf(desk, before), move.operation, move.again === true),
    );
    if (way === undefined || way.kind === 'opened') throw refusal;
    return standingInTheWay(desk, move, before, way);
  }
  // Nothing has left yet, so this ends as it would have without a payment.
  desk.signal.throwIfAborted();
  const written = desk.clock.now();
  const opening = await openIntent(desk, move, before);
  if (opening.kind !== 'opened') return standingInTheWay(desk, move, before, opening);
  const { intent } = opening;
  const result = await send(desk, move, before, intent, written);
  await recordResult(desk, intent, result);
  return result;
}

/** What somebody else has sent, or sent to its end, is settled or reported, and not sent again. */
async function standingInTheWay(
  desk: Desk,
  move: Move,
  before: PaymentRead,
  way: Exclude<Opening, { kind: 'opened' }>,
): Promise<MoveResult> {
  if (way.kind === 'ended') return endedResult(move, way, before);
  if (way.intent.operation !== move.operation) throw heldBy(way.intent, before);
  return settleOpen(desk, { ...move, read: before }, way.intent);
}

async function openIntent(desk: Desk, move: Move, before: PaymentRead): Promise<Opening> {
  const intent = intentOf(desk, move, before);
  const { resend, again = false } = move;
  if (!resend) return beforeSending(() => desk.ledger.open(intent, { again }));
  const opened = await beforeSending(() => desk.ledger.reopen(resend, intent));
  if (opened) return { kind: 'opened', intent: opened };
  // Somebody was quicker; whatever stands there now is looked at as anyone else's.
  return beforeSending(() => desk.ledger.open(intent));
}

async function send(
  desk: Desk,
  move: Move,
  before: PaymentRead,
  intent: Entry,
  written: number,
): Promise<MoveResult> {
  const from = desk.clock.now();
  let answer: SettleResult;
  try {
    if (from - written > FRESH_MS) {
      throw new TemporaryError('Writing to the ledger took too long, and nothing was sent.', {
        code: 'ledger-slow',
      });
    }
    answer = await desk.client.operate(move.operation, idOf(before), { description: move.description });
  } catch (error) {
    // What is thrown here was found before anything left; what came back would be an answer.
    await desk.ledger.record(intent.id, { outcome: 'unsent', why: (error as Error).message });
    throw error;
  }
  const { capturedAmount } = before.fields;
  const sent: Sent = {
    move,
    before,
    proof: { state: before.state, ...(capturedAmount === undefined ? {} : { capturedAmount }) },
    tookMs: desk.clock.now() - from,
  };
  return judge(desk, sent, answer);
}

/** The payment as it is now; what was checked and confirmed must still be true. */
async function lastRead(
  desk: Desk,
  { operation, read, readTime, force }: Move,
): Promise<{ before: PaymentRead; refusal?: GuardError | undefined }> {
  if (readTime !== undefined && desk.clock.now() - readTime <= JUST_NOW_MS) return { before: read };
  const now = await desk.client.getPayment({ paymentId: idOf(read) });
  const facts = (of: PaymentRead) =>
    JSON.stringify([of.fields.amount, of.fields.currency, of.fields.customerId]);
  if (facts(now) !== facts(read)) {
    throw new GuardError(`Payment ${labelOf(read)} is no longer what was confirmed, and nothing was sent.`, {
      code: 'changed-meanwhile',
      next: [`paydesk payments explain ${idOf(read)}`],
    });
  }
  if (stateOf(now) === stateOf(read)) return { before: now };
  desk.note(`Payment ${labelOf(read)} has changed meanwhile: ${stateOf(read)} → ${stateOf(now)}.`);
  return { before: now, refusal: force ? undefined : forbidden(operation, now) };
}

async function judge(desk: Desk, sent: Sent, answer: SettleResult): Promise<MoveResult> {
  const { operation } = sent.move;
  switch (answer.kind) {
    case 'accepted': {
      const shown = answer.payment && {
        ...answer.payment,
        state: desk.client.canonicalState(answer.payment.fields.paymentState),
        answer: answer.answer,
      };
      const read = shown ?? (await readSettling(desk, sent)).read;
      return accepted(desk, sent, read);
    }
    case 'unsent': {
      const error = notSent(sent, answer);
      if (answer.proven) return resultOf(sent, sent.before, 'unsent', endedBy(desk) ?? error);
      const { read } = await readSettling(desk, sent);
      if (read && stateOf(read) === stateOf(sent.before)) return resultOf(sent, read, 'unsent', error);
      return settleUnknown(desk, sent, answer.why, read);
    }
    case 'refused': {
      // A proxy may have echoed our own success: the payment has the last word.
      const { read, failure } = await readSettling(desk, sent);
      if (failure instanceof TemporaryError) return settleUnknown(desk, sent, answer.problem.message, read);
      const carriedOut = read && ['done', 'on-its-way'].includes(standingOf(operation, sent.proof, read));
      if (carriedOut) return accepted(desk, sent, read);
      return resultOf(sent, read ?? sent.before, 'refused', refusedBy(sent, answer.problem, read));
    }
    default:
      return settleUnknown(desk, sent, answer.why);
  }
}

/** Taken by the service, or shown by a read to have been. */
async function accepted(desk: Desk, sent: Sent, read: PaymentRead | undefined): Promise<MoveResult> {
  const { move } = sent;
  if (read === undefined) {
    const taken = resultOf(sent, undefined, 'accepted');
    return move.wait ? followMove(desk, sent, taken) : taken;
  }
  const { standing, read: last } = await judgeRead(desk, sent, read, { taken: true });
  if (standing === 'done') return resultOf(sent, last, 'done');
  if (standing === 'excluded' || standing === 'bounced') {
    return resultOf(sent, last, 'failed', failed(sent, last));
  }
  if (last.state === undefined) desk.note(unknownState(last));
  const taken = resultOf(sent, last, 'accepted');
  return move.wait ? followMove(desk, sent, taken) : taken;
}

async function settleUnknown(desk: Desk, sent: Sent, why: string, first?: PaymentRead): Promise<MoveResult> {
  const { standing, last, shown } = await readsToSettle(desk, sent, first);
  if (last && (standing === 'done' || standing === 'on-its-way')) return accepted(desk, sent, last);
  if (last && standing === 'bounced') return resultOf(sent, last, 'failed', failed(sent, last));
  if (last && standing === 'excluded') return resultOf(sent, last, 'refused', notCarriedOut(sent, last));
  return resultOf(sent, last, 'unknown', stillUnknown(sent, why, shown));
}

/** Ctrl-C or the time limit, where that is why something did not leave. */
function endedBy({ signal }: Desk): PaydeskError | undefined {
  return signal.aborted && signal.reason instanceof PaydeskError ? signal.reason : undefined;
}
