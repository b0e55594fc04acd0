// One money move: a last read, sent once, and then only read. A lost answer is never answered by sending again.

import type { PaymentRead, SettleResult } from '../client/payment-calls.js';
import { GuardError, TemporaryError } from '../errors.js';
import type { Desk } from './desk.js';
import { forbidden } from './legality.js';
import { failed, notCarriedOut, notSent, refusedBy, stillUnknown } from './move-errors.js';
import { type Move, type MoveResult, resultOf, type Sent, unknownState } from './move-result.js';
import { idOf, labelOf, stateOf } from './named-payments.js';
import { followMove, readsToSettle, readSettling } from './settle.js';
import { isDuring, standingOf } from './standing.js';

export async function carryOut(desk: Desk, move: Move): Promise<MoveResult> {
  const { operation } = move;
  const before = await lastRead(desk, move);
  // Nothing has left yet, so this ends as it would have without a payment.
  desk.signal.throwIfAborted();
  const from = desk.clock.now();
  const answer = await desk.client.operate(operation, idOf(before), { description: move.description });
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
async function lastRead(desk: Desk, { operation, read, force }: Move): Promise<PaymentRead> {
  const now = await desk.client.getPayment({ paymentId: idOf(read) });
  const facts = (of: PaymentRead) =>
    JSON.stringify([of.fields.amount, of.fields.currency, of.fields.customerId]);
  if (facts(now) !== facts(read)) {
    throw new GuardError(`Payment ${labelOf(read)} is no longer what was confirmed, and nothing was sent.`, {
      code: 'changed-meanwhile',
      next: [`paydesk payments get ${idOf(read)}`],
    });
  }
  if (stateOf(now) !== stateOf(read)) {
    desk.note(`Payment ${labelOf(read)} has changed meanwhile: ${stateOf(read)} → ${stateOf(now)}.`);
    const refusal = force ? undefined : forbidden(operation, now);
    if (refusal) throw refusal;
  }
  return now;
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
      if (answer.proven) {
        desk.signal.throwIfAborted();
        return resultOf(sent, sent.before, 'unsent', error);
      }
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
    case 'unknown':
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
  sent.proof.duringSeen ||= isDuring(move.operation, read);
  const standing = standingOf(move.operation, sent.proof, read);
  if (standing === 'done') return resultOf(sent, read, 'done');
  if (standing === 'excluded') return resultOf(sent, read, 'failed', failed(sent, read));
  if (read.state === undefined) desk.note(unknownState(read));
  const taken = resultOf(sent, read, 'accepted');
  return move.wait ? followMove(desk, sent, taken) : taken;
}

async function settleUnknown(desk: Desk, sent: Sent, why: string, first?: PaymentRead): Promise<MoveResult> {
  const { standing, last, shown } = await readsToSettle(desk, sent, first);
  if (last && (standing === 'done' || standing === 'on-its-way')) return accepted(desk, sent, last);
  if (last && standing === 'bounced') return resultOf(sent, last, 'failed', failed(sent, last));
  if (last && standing === 'excluded') return resultOf(sent, last, 'refused', notCarriedOut(sent, last));
  return resultOf(sent, last, 'unknown', stillUnknown(sent, why, shown));
}
