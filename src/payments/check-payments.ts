import type { PaymentRead } from '../client/payment-calls.js';
import type { JsonObject } from '../contract/json.js';
import type { SettleOperation } from '../contract/states.js';
import { PaydeskError } from '../errors.js';
import { type Blocked, type Entry, isMove, isOpen, outcomeOf } from '../ledger/moves/entries.js';
import { chargeOutcome, wasRefunded } from './charge-outcome.js';
import type { Desk } from './desk.js';
import { type NamedPayment, type NamedRead, refuseTwice, stateOf } from './named-payments.js';
import { checkIntent, findOpenOfUnread, readOrTellOpen, reportBlocked, unreadResult } from './move/check.js';
import { openUnread } from './move/errors.js';
import { contradictsDone } from './move/proof.js';
import { findOpenAt, refOfPayment, rememberUnmoved } from './move/record.js';
import { withLedger } from './with-ledger.js';
import type { Move, MoveResult } from './move/result.js';
import { recordFound } from './record-created.js';

/** A payment for which the ledger has no instruction. */
interface NothingToCheck {
  typed: string;
  operation: null;
  payment: JsonObject | null;
  before: string | null;
  after: string | null;
  outcome: null;
  error?: PaydeskError;
}

export type CheckResult = MoveResult | NothingToCheck;

/** Finds out the outcomes of earlier instructions. Reads and rechecks; it can never send one. */
export async function checkPayments(
  desk: Desk,
  names: readonly NamedPayment[],
  { wait }: { wait: boolean },
): Promise<CheckResult[]> {
  const reads = await readOrTellOpen(desk, names);
  refuseTwice(reads);
  const results: CheckResult[] = [];
  for (const entry of reads) results.push(await checkOne(desk, entry, wait));
  return results;
}

async function checkOne(desk: Desk, named: NamedRead, wait: boolean): Promise<CheckResult> {
  const { typed } = named.name;
  if ('error' in named) {
    const open = await findOpenOfUnread(named, findOpenAt(desk));
    if (open && isMove(open)) return unreadResult(open, named);
    return { ...nothing(typed), error: open ? openUnread(open, named.error) : named.error };
  }
  const { read } = named;
  const found = await withLedger(() => desk.ledger.unsettled(refOfPayment(desk, read)));
  const entries = found.filter(isMove);
  const open = entries.filter((entry) => isOpen(outcomeOf(entry)));
  const [newest] = [...open, ...entries];
  if (!newest) {
    await rememberUnmoved(desk, [read]);
    await correctCharge(desk, read);
    return (await doneBefore(desk, typed, read)) ?? nothing(typed, read);
  }
  const { operation } = newest;
  return checkIntent(desk, { typed, operation, read, force: false, wait }, newest);
}

/** A charge that the ledger has as failed, refused or unknown, and that was carried out after all. */
async function correctCharge(desk: Desk, read: PaymentRead): Promise<void> {
  const isCharged = wasRefunded(read) || chargeOutcome(read, true) === 'done';
  if (isCharged) await recordFound(desk, { read, operation: 'charge', outcome: 'done', order: {} });
}

/** What cannot be undone: a payment that shows anything else contradicts the ledger. */
const lasting = ['capture', 'refund', 'cancel'] as const satisfies SettleOperation[];

/** The newest instruction that the ledger has as done, or one that the payment contradicts. */
async function doneBefore(desk: Desk, typed: string, read: PaymentRead): Promise<CheckResult | undefined> {
  let newest: Entry | undefined;
  for (const operation of lasting) {
    const blocked = await desk.ledger.findBlocking(refOfPayment(desk, read), operation, {});
    if (blocked?.kind !== 'ended' || outcomeOf(blocked.intent) !== 'done') continue;
    if (contradictsDone(operation, read.state)) return conflict(desk, { typed, operation, read }, blocked);
    if (newest === undefined || blocked.intent.id > newest.id) newest = blocked.intent;
  }
  if (newest === undefined || !isMove(newest)) return undefined;
  const { operation, before_state: before } = newest;
  return { typed, operation, payment: read.object, before, after: stateOf(read), outcome: 'done' };
}

async function conflict(
  desk: Desk,
  move: Pick<Move, 'typed' | 'operation' | 'read'>,
  blocked: Blocked,
): Promise<CheckResult> {
  try {
    return await reportBlocked(desk, { ...move, force: false, wait: false }, blocked);
  } catch (error) {
    if (!(error instanceof PaydeskError)) throw error;
    return { ...nothing(move.typed, move.read), error };
  }
}

function nothing(typed: string, read?: PaymentRead): NothingToCheck {
  const state = read === undefined ? null : stateOf(read);
  return {
    typed,
    operation: null,
    payment: read?.object ?? null,
    before: state,
    after: state,
    outcome: null,
  };
}
