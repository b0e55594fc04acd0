// An intent that is open in the ledger is settled by reading. Nothing here sends one.

import type { PaymentRead } from '../../client/payment-calls.js';
import { UnknownOutcomeError } from '../../errors.js';
import { outcomeOf, type Entry } from '../../ledger/ledger.js';
import type { Desk } from '../desk.js';
import { checkQuiet, movedSince, recordResult } from './record.js';
import { failed, notCarriedOut, pendingOf } from './errors.js';
import { type Move, type MoveResult, resultOf, type Sent } from './result.js';
import { idOf, labelOf, stateOf, stateText } from '../named-payments.js';
import { followMove, readsToSettle } from './settle.js';
import { isDuring, standingOf } from './standing.js';

export async function settleOpen(desk: Desk, move: Move, entry: Entry): Promise<MoveResult> {
  const sent = await sentBefore(desk, move, entry);
  // Nothing is sent, so nothing took its time.
  const { tookMs: _, ...result } = await judgeReads(desk, sent, entry);
  await recordResult(desk, entry, result);
  const by = `${entry.operator} at ${new Date(entry.time).toISOString()}`;
  if (!result.error) desk.note(`Sent before, by ${by}. Settled by reading; nothing was sent now.`);
  return result;
}

/** What was known when it was sent, from the ledger instead of from memory. */
async function sentBefore(desk: Desk, move: Move, entry: Entry): Promise<Sent> {
  const { client } = desk;
  const theirs = entry.before_state ?? undefined;
  const state = client.canonicalState(theirs);
  const before: PaymentRead = { ...move.read, state, fields: { ...move.read.fields, paymentState: theirs } };
  const sent: Sent = { move, before, proof: { state }, tookMs: 0 };
  for (const { after_state } of await desk.ledger.outcomesOf(entry.id)) {
    const seen = client.canonicalState(after_state ?? undefined);
    if (isDuring(move.operation, { ...before, state: seen })) sent.proof.duringSeen = true;
  }
  return sent;
}

async function judgeReads(desk: Desk, sent: Sent, entry: Entry): Promise<MoveResult> {
  const { move } = sent;
  const { standing, last = move.read, shown } = await readsToSettle(desk, sent, move.read);
  switch (standing) {
    case 'done':
      return resultOf(sent, last, 'done');
    case 'on-its-way': {
      const taken = resultOf(sent, last, 'accepted');
      return move.wait ? followMove(desk, sent, taken) : taken;
    }
    case 'bounced':
      return resultOf(sent, last, 'failed', failed(sent, last));
    case 'excluded':
      return resultOf(sent, last, 'refused', notCarriedOut(sent, last));
    default:
      return stillOpen(desk, sent, entry, last, shown);
  }
}

/** What the service took is still taken, though no read shows it yet; all else is as unknown as before. */
function stillOpen(desk: Desk, sent: Sent, entry: Entry, last: PaymentRead, shown: string[]): MoveResult {
  const { operation } = sent.move;
  const outcome = outcomeOf(entry) === 'accepted' ? 'accepted' : 'unknown';
  if (outcome === 'accepted' && sent.move.wait) {
    return resultOf(sent, last, outcome, pendingOf(desk, sent, last));
  }
  const since = new Date(entry.time).toISOString();
  return resultOf(
    sent,
    last,
    outcome,
    new UnknownOutcomeError(
      `The ${operation} of payment ${labelOf(last)}, sent by ${entry.operator} at ${since}, is still open: ` +
        `it shows ${[...new Set(shown)].join(', then ') || stateText(last)}.\nNothing was sent. It may still arrive; ` +
        `a person may send it anew with --resend once ${Math.round(desk.quietMs / 60_000)} minutes have passed.`,
      {
        code: 'still-open',
        next: [`paydesk payments ${operation} ${idOf(last)}`, `paydesk payments explain ${idOf(last)}`],
      },
    ),
  );
}

/**
 * A person decided to send anew what may have left. Refused before the quiet period is over and when anything has
 * moved; the provider is asked first, unless this only looks. Gives back the result when the reads settle it, else the payment as it is.
 */
export async function prepareResend(
  desk: Desk,
  move: Move,
  entry: Entry,
  { asks } = { asks: true },
): Promise<{ settled: MoveResult } | { read: PaymentRead }> {
  await checkQuiet(desk, entry, move.read);
  const { client } = desk;
  const paymentId = idOf(move.read);
  const asked = asks ? (await client.recheck(paymentId)).value : undefined;
  const read = await client.readBackPayment(asked, { paymentId });
  const sent = await sentBefore(desk, { ...move, read }, entry);
  if (standingOf(move.operation, sent.proof, read) !== 'open') {
    return { settled: await settleOpen(desk, { ...move, read }, entry) };
  }
  if (stateOf(read) === entry.before_state) return { read };
  if (read.state === undefined) throw movedSince(entry, read);
  // Nothing is under way after so long, and the payment has gone another way: what was sent came to nothing.
  const settled = resultOf(sent, read, 'refused', notCarriedOut(sent, read));
  if (asks) await recordResult(desk, entry, settled);
  return { settled };
}
