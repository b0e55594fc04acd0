// What is written to the ledger before an instruction is sent, and after.

import { type Command, paydesk } from '../../next-command.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import { firstLine, UnknownOutcomeError } from '../../errors.js';
import type { Blocked, Entry, NewIntent, NewOutcome } from '../../ledger/moves/entries.js';
import type { PaymentNames, PaymentRef } from '../../ledger/payment-ref.js';
import { commandPiece, joinPieces } from '../../output/lines.js';
import { safeText } from '../../output/text.js';
import { StoreError } from '../../store/errors.js';
import { quietOf, type Desk } from '../desk.js';
import { idOf, stateOf } from '../named-payments.js';
import { ledgerFacts, seenPayment } from '../seen-payment.js';
import { withLedger } from '../with-ledger.js';
import { fingerprintOf } from './fingerprint.js';
import { notShownBy } from './proof.js';
import type { Move, MoveResult, Sent } from './result.js';
import { nounOf } from './words.js';

export function refOfPayment({ app }: Pick<Desk, 'app'>, read: PaymentRead): PaymentRef {
  return { appId: app.appId, paymentId: idOf(read), generation: read.generation };
}

export function intentOf(desk: Desk, move: Move, before: PaymentRead): NewIntent {
  return {
    ...ledgerFacts(desk.app, before),
    operation: move.operation,
    before: stateOf(before) ?? undefined,
    beforeFingerprint: fingerprintOf(before),
    quietMs: quietOf(desk, before),
    notShown: notShownBy(move.operation, before.state),
    description: move.description,
    reason: move.reason,
    ticket: move.ticket,
    // A row of a batch that a person sends again still belongs to its batch.
    batchId: move.batchId ?? move.cleared?.batch_id ?? undefined,
  };
}

/** What keeps the move from being sent, if anything does. */
export const findBlocking = (
  desk: Desk,
  { read, operation, again, cleared }: Move,
): Promise<Blocked | undefined> =>
  withLedger(() =>
    desk.ledger.findBlocking(refOfPayment(desk, read), operation, {
      again,
      cleared,
      quietMs: quietOf(desk, read),
      notShown: notShownBy(operation, read.state),
    }),
  );

/**
 * Makes payments known as they were read, where nothing is sent for them. What they show may be the work of somebody
 * else, and the next command may read from a replica that does not show it yet.
 */
export async function rememberUnmoved(
  { ledger, app }: Pick<Desk, 'ledger' | 'app'>,
  reads: readonly PaymentRead[],
): Promise<void> {
  if (reads.length === 0) return;
  try {
    await ledger.remember(reads.map((read) => seenPayment(app, read)));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

/** What is open at this desk under the names of a payment that cannot be read. */
export const findOpenAt =
  ({ ledger, app }: Pick<Desk, 'ledger' | 'app'>) =>
  (names: PaymentNames): Promise<Entry[]> =>
    withLedger(() => ledger.findOpen(app, names));

/**
 * What a write to the ledger fails with after something was sent, where the database itself is there: nobody has expected
 * it. What was sent stays unknown in the ledger, and the next run finds it out.
 */
export function notRecorded(what: string, cause: unknown, check: Command): UnknownOutcomeError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new UnknownOutcomeError(
    `${what}, which could not be written to the ledger because of a bug in paydesk: ${why}`,
    { code: 'outcome-not-recorded', next: [check], cause },
  );
}

/**
 * The result is true whether or not it can be written down; what cannot be written stays open in the ledger. False when
 * the ledger has something newer, so that the result may be out of date.
 */
export async function recordResult(
  desk: Desk,
  { intent, move }: Sent,
  result: MoveResult,
  { neverLeft = false } = {},
): Promise<boolean> {
  const { outcome, after, error, why = error?.message } = result;
  if (intent.last?.outcome === outcome && (after === null || intent.last.after_state === after)) return true;
  const row: NewOutcome = {
    outcome,
    after: after ?? undefined,
    state: after === null ? undefined : (desk.client.canonicalState(after) ?? after),
    why: why === undefined ? undefined : firstLine(why),
    httpStatus: error?.httpStatus,
    neverLeft,
    inBatch: move.batchId !== undefined,
  };
  try {
    return await desk.ledger.record(intent.id, row);
  } catch (failure) {
    const check = paydesk('payments', 'check', intent.payment_id);
    if (!(failure instanceof StoreError)) {
      const shown = after === null ? '' : ` (${safeText(after)})`;
      const what = `The ${nounOf(move.operation)} of payment ${intent.payment_id} ended as ${outcome}${shown}`;
      throw notRecorded(what, failure, check);
    }
    desk.note(
      `The outcome could not be written to the ledger, which has it as unknown: ${failure.message}`,
      joinPieces('Check it again with: ', commandPiece(check)),
    );
    return true;
  }
}
