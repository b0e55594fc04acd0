// A row whose instruction may have left before, in this batch or outside of it. Nothing is sent again before its quiet
// period has passed and the payment was found exactly as it was.

import type { PaymentRead } from '../../client/payment-calls.js';
import { firstLine, GuardError } from '../../errors.js';
import { isOpen, outcomeOf, type Entry } from '../../ledger/moves/entries.js';
import { quietOf, type Desk } from '../../payments/desk.js';
import { checkIntent, clearToSend } from '../../payments/move/check.js';
import { quietPeriod } from '../../payments/move/errors.js';
import { withLedger } from '../../payments/with-ledger.js';
import type { Move, MoveResult } from '../../payments/move/result.js';
import { carryOut } from '../../payments/move/send.js';
import { stateOf } from '../../payments/named-payments.js';
import { rowResult, type WorkedRow } from '../rows/worked-row.js';

/** Sends the row again as soon as the rule allows it; until then the row is unsent and held. */
export async function sendAgain(desk: Desk, move: Move, entry: Entry): Promise<WorkedRow> {
  const heldMs = isOpen(outcomeOf(entry)) ? 0 : await quietLeft(desk, move, entry);
  if (heldMs > 0) return heldRow(move.read, quietPeriod(entry, move.read, heldMs), heldMs);
  try {
    const clear = await clearToSend(desk, move, entry);
    return 'settled' in clear ? settledRow(clear.settled) : rowResult(await carryOut(desk, clear.cleared));
  } catch (error) {
    if (!(error instanceof GuardError)) throw error;
    return notCleared(desk, move, entry, error);
  }
}

const quietLeft = (desk: Desk, { read }: Move, entry: Entry): Promise<number> =>
  withLedger(() => desk.ledger.quietLeft(entry, quietOf(desk, read)));

/** The row comes up again when its hold ends, so it need not be read before that. */
export function heldRow(read: PaymentRead, error: GuardError, heldMs: number): WorkedRow {
  return {
    outcome: 'unsent',
    after: stateOf(read) ?? undefined,
    why: firstLine(error.message),
    error,
    heldMs,
  };
}

/** What turns out to be accepted needs no word on when it could be sent again. */
function settledRow(result: MoveResult): WorkedRow {
  const row = rowResult(result);
  return result.outcome === 'accepted' ? { ...row, why: undefined, error: undefined } : row;
}

async function notCleared(desk: Desk, move: Move, entry: Entry, error: GuardError): Promise<WorkedRow> {
  const why = { why: firstLine(error.message), error };
  if (error.code === 'not-rechecked') {
    return { outcome: isOpen(outcomeOf(entry)) ? 'unknown' : 'unsent', ...why };
  }
  // The instruction that this batch sent before may be what has changed the payment.
  const isOwn = entry.batch_id === move.batchId;
  if (!isOwn || (error.code !== 'moved' && error.code !== 'changed-meanwhile')) throw error;
  const checked = rowResult(await checkIntent(desk, move, entry));
  return checked.outcome === 'unknown' ? { ...checked, ...why } : checked;
}
