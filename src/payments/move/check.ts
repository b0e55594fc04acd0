// An instruction that was sent before: its outcome, and whether it may be sent again. Nothing here sends one.

import type { PaymentRead } from '../../client/payment-calls.js';
import type { SettleOperation } from '../../contract/states.js';
import { GuardError, PaydeskError } from '../../errors.js';
import {
  type Blocked,
  isSame,
  outcomeOf,
  type Entry,
  type SeenElsewhere,
} from '../../ledger/moves/entries.js';
import type { PaymentNames } from '../../ledger/payment-ref.js';
import { quietOf, type Desk } from '../desk.js';
import {
  hasOtherReference,
  type NamedPayment,
  type NamedRead,
  type NotRead,
  readPayments,
  stateOf,
} from '../named-payments.js';
import {
  changedMeanwhile,
  failed,
  failedBefore,
  heldBy,
  justAdopted,
  ledgerConflict,
  moved,
  notCarriedOut,
  notRechecked,
  openUnread,
  otherPayment,
  quietPeriod,
  seenElsewhere,
  stillOpen,
} from './errors.js';
import {
  beforeOf,
  cameUnderWay,
  contradictsDone,
  hasPassed,
  isAsBefore,
  suggestsFailure,
  standingOf,
} from './proof.js';
import { findOpenAt, recordResult } from './record.js';
import {
  type Evidence,
  type PaymentLook,
  type Move,
  type MoveResult,
  resultOf,
  type Sent,
} from './result.js';
import { conclude, type Confirmed, follow, lookOnce, lookUntilProven, recheckAndRead } from './settle.js';

/** How long a check may wait to see whether a payment that came back stays so: the sandbox's quiet period is shorter. */
const MAX_PAUSE_MS = 5_000;

/** What stands in the way is checked or reported, and nothing is sent. */
export async function reportBlocked(desk: Desk, move: Move, blocked: Blocked): Promise<MoveResult> {
  if (blocked.kind === 'adopted') throw justAdopted(move, blocked.leftMs);
  const { kind, intent } = blocked;
  refuseOther(intent, move.read);
  if (kind === 'contradicted') throw ledgerConflict(intent, move.read);
  if (kind === 'ended') return reportEnded(desk, move, intent);
  if (intent.operation !== move.operation) throw heldBy(intent);
  const result = await checkIntent(desk, move, intent);
  return kind === 'quiet' ? refuseInQuiet(move, intent, result) : result;
}

/** The newest instruction that is open for a payment which cannot be read now. Digits that name two payments are no such reason. */
export async function findOpenOfUnread(
  { name, error }: NotRead,
  findOpen: (names: PaymentNames) => Promise<Entry[]>,
): Promise<Entry | undefined> {
  if (error instanceof GuardError) return undefined;
  const { key, mayBeReference } = name;
  const also = mayBeReference && 'paymentId' in key ? { referenceId: key.paymentId } : {};
  const found = await findOpen({ ...key, ...also });
  return found.toSorted((one, other) => other.id - one.id)[0];
}

/** Reads them all. Where that is not possible, whatever the reason, what is open for one of them is told. */
export async function readOrTellOpen(desk: Desk, names: readonly NamedPayment[]): Promise<NamedRead[]> {
  try {
    return await readPayments(desk.client, names);
  } catch (error) {
    if (!(error instanceof PaydeskError)) throw error;
    for (const name of names) {
      const open = await findOpenOfUnread({ name, error }, findOpenAt(desk));
      if (open) throw openUnread(open, error);
    }
    throw error;
  }
}

/** The result of a payment that was not read: the ledger alone says how its instruction stands. */
export function unreadResult(
  entry: Entry & { operation: SettleOperation },
  { name, error }: NotRead,
): MoveResult {
  return {
    typed: name.typed,
    operation: entry.operation,
    payment: null,
    recorded: {
      paymentId: entry.payment_id,
      referenceId: entry.reference_id,
      amount: entry.amount,
      currency: entry.currency,
    },
    before: entry.before_state,
    after: null,
    outcome: outcomeOf(entry),
    error: openUnread(entry, error),
  };
}

/**
 * Reads the outcome of an earlier instruction, and records it. `mayPause` is false where it has waited once for a
 * payment that came back.
 */
export async function checkIntent(
  desk: Desk,
  move: Move,
  entry: Entry,
  { mayPause = true } = {},
): Promise<MoveResult> {
  refuseOther(entry, move.read);
  const sent = await sentBefore(desk, move, entry);
  const evidence = evidenceIn(entry);
  sent.since.isTaken = evidence.kind === 'taken';
  // Before the reads: a process that is held up after them has not seen what the quiet period brought.
  const known = await desk.ledger.find(entry.id);
  const heldMs = await desk.ledger.quietLeft(known, quietOf(desk, move.read));
  const look = await lookAgain(desk, sent, evidence);
  const result = await settled(desk, sent, { evidence, look, heldMs, entry });
  // Before it is written down, and again where it was not: somebody else may have found out more, or have sent it again.
  const overtaken = async (): Promise<Entry | undefined> => {
    if (result.outcome !== 'failed') return undefined;
    const now = await desk.ledger.find(entry.id);
    return isSame(known, now) ? undefined : now;
  };
  let other = await overtaken();
  if (!other && !(await recordResult(desk, sent, result))) other = await overtaken();
  if (other) return checkIntent(desk, { ...move, read: look.last ?? move.read }, other);
  if (result.isBack && mayPause && !move.wait && (await waitOutQuietPeriod(desk, move, entry))) {
    const read = look.last ?? move.read;
    return checkIntent(desk, { ...move, read }, await desk.ledger.find(entry.id), { mayPause: false });
  }
  const followed = move.wait ? await follow(desk, sent, result, look.last) : result;
  return followed === result ? withTimeLeft(result, heldMs) : followed;
}

const withTimeLeft = (result: MoveResult, heldMs: number): MoveResult =>
  result.outcome === 'done' ? result : { ...result, heldMs: result.heldMs ?? heldMs };

/** Waits until the quiet period is over, where that is a matter of seconds; false where it is not, or at Ctrl-C. */
async function waitOutQuietPeriod(desk: Desk, { read }: Move, { id }: Entry): Promise<boolean> {
  const left = await desk.ledger.quietLeft(await desk.ledger.find(id), quietOf(desk, read));
  if (left > MAX_PAUSE_MS) return false;
  await desk.clock.sleep(left + 1, desk.signal);
  return !desk.signal.aborted;
}

async function lookAgain(desk: Desk, sent: Sent, evidence: Evidence): Promise<PaymentLook> {
  const taken = evidence.kind === 'taken';
  const first = await lookOnce(desk, sent, sent.move.read, { taken });
  const isOpen = first.standing === 'unchanged' || first.standing === 'changed';
  if (taken || evidence.kind !== 'unknown' || !isOpen) return first;
  const later = await lookUntilProven(desk, sent);
  const states = [...first.states, ...later.states];
  return later.last === undefined ? { ...first, states } : { ...later, states };
}

async function settled(
  desk: Desk,
  sent: Sent,
  known: { evidence: Evidence; look: PaymentLook; heldMs: number; entry: Entry },
): Promise<MoveResult> {
  const { evidence, look, heldMs, entry } = known;
  const { last, standing } = look;
  const wasTaken = evidence.kind === 'taken' || sent.since.underWay;
  const isOver = heldMs === 0 && look.rechecked;
  const mayBeTaken = wasTaken || (evidence.kind === 'unknown' && standing === 'back');
  if (last !== undefined && mayBeTaken && suggestsFailure(standing)) {
    // A state that was not seen before starts a quiet period of its own, when it is written down.
    const isStillSo = entry.last?.after_state === stateOf(last);
    if (isOver && isStillSo) return resultOf(sent, last, 'failed', failed(sent, last));
    const leftMs = isStillSo ? heldMs : quietOf(desk, sent.move.read);
    if (wasTaken) {
      const error = stillOpen(sent, entry, look, leftMs);
      return { ...resultOf(sent, last, 'accepted', error), heldMs: leftMs, isBack: true };
    }
  }
  const isExcluded = evidence.kind === 'unknown' && standing === 'excluded';
  const hasMovedOn = last !== undefined && (isExcluded || hasPassed(sent.move.operation, sent.before, last));
  if (last !== undefined && isOver && hasMovedOn) {
    return resultOf(sent, last, 'refused', notCarriedOut(sent, last));
  }
  const result = conclude(desk, sent, evidence, look, heldMs);
  const isOpen = result.outcome === 'unknown' || (result.outcome === 'accepted' && standing !== 'under-way');
  return isOpen ? { ...result, error: stillOpen(sent, entry, look, heldMs) } : result;
}

/** A payment that shows another reference than the one in the ledger is another payment, and proves nothing. */
function refuseOther(entry: Entry, read: PaymentRead): void {
  if (hasOtherReference(entry.reference_id, read)) throw otherPayment(entry, read);
}

/** What was known when it was sent, from the ledger instead of from memory. */
async function sentBefore(desk: Desk, move: Move, entry: Entry): Promise<Sent> {
  const { client } = desk;
  const stateName = entry.before_state;
  const state = client.canonicalState(stateName ?? undefined);
  const fingerprint = entry.before_fingerprint ?? undefined;
  const outcomes = await desk.ledger.outcomesOf(entry.id);
  const underWay = outcomes.some(({ after_state }) =>
    cameUnderWay(move.operation, state, client.canonicalState(after_state ?? undefined)),
  );
  // A state that paydesk does not know may have been captured already: only a change from now on proves anything.
  const capturedAmount = state === undefined ? move.read.fields.capturedAmount : undefined;
  const before = { state, stateName, fingerprint, capturedAmount };
  return { move, before, since: { underWay, isTaken: false }, beforeRead: move.read, intent: entry };
}

/** What the answer said, as far as the ledger has it. */
function evidenceIn({ last }: Entry): Evidence {
  const why = last?.why ?? 'nothing more is known of it';
  switch (last?.outcome) {
    case 'accepted':
    case 'failed':
      return { kind: 'taken' };
    case 'refused':
      return {
        kind: 'refused',
        problem: { httpStatus: last.http_status ?? 400, message: why, fieldErrors: [] },
      };
    case 'unsent':
      return { kind: 'not-taken', why };
    default:
      return { kind: 'unknown', why };
  }
}

/** What this ledger knows to be over is reported, unless the payment contradicts it. */
async function reportEnded(desk: Desk, move: Move, entry: Entry): Promise<MoveResult> {
  const { operation, typed } = move;
  const outcome = outcomeOf(entry);
  const sent = await sentBefore(desk, move, entry);
  const result = (read: PaymentRead) => ({
    typed,
    operation,
    payment: read.object,
    before: entry.before_state,
    after: stateOf(read),
    outcome,
  });
  if (outcome === 'failed') {
    if (standingOf(operation, sent.before, move.read, sent.since) !== 'done') {
      return { ...result(move.read), error: failedBefore(sent, entry) };
    }
    const late = resultOf(sent, move.read, 'done');
    await recordResult(desk, sent, late);
    return late;
  }
  if (!contradictsDone(operation, move.read.state)) return result(move.read);
  const confirmed = await recheckAndRead(desk, sent);
  const shown = [confirmed?.rechecked, confirmed?.read].find(
    (read) => read !== undefined && !contradictsDone(operation, read.state),
  );
  if (shown) return result(shown);
  throw ledgerConflict(entry, confirmed?.read ?? move.read);
}

function refuseInQuiet(move: Move, entry: Entry, result: MoveResult): MoveResult {
  if (!['refused', 'unsent', 'failed'].includes(result.outcome)) return result;
  return { ...result, error: quietPeriod(entry, move.read, result.heldMs ?? 0) };
}

/**
 * The one rule for sending again: the quiet period has passed, and a recheck and a read taken after it show the
 * payment exactly as it was before. Returns the result where the reads settle it.
 */
export async function clearToSend(
  desk: Desk,
  move: Move,
  entry: Entry,
): Promise<{ settled: MoveResult } | { cleared: Move }> {
  // As it stands before the reads: whatever becomes known of it while they are made makes them worthless.
  const known = await desk.ledger.find(entry.id);
  const left = await desk.ledger.quietLeft(known, quietOf(desk, move.read));
  if (left > 0)
    return { settled: await refusedUntil(desk, move, entry, quietPeriod(entry, move.read, left)) };
  const sent = await sentBefore(desk, move, entry);
  const confirmed = move.dryRun ? onlyRead(move.read) : await recheckAndRead(desk, sent);
  if (confirmed === undefined) {
    const result = await checkIntent(desk, move, entry);
    if (result.outcome === 'done') return { settled: result };
    throw notRechecked(entry, move.read);
  }
  // A failed move may leave its reason in the payment. One that was sent with --force while the same was in progress ends
  // in another state than the one that it was sent in.
  const isFailed = outcomeOf(entry) === 'failed';
  const { read, differs, rechecked } = confirmed;
  const isBack = standingOf(move.operation, sent.before, read, sent.since) === 'back';
  const isUnchanged = (isFailed && isBack) || isAsBefore(sent.before, read, { ignoreFailure: isFailed });
  if (isUnchanged && !differs) return { cleared: { ...move, read, cleared: known } };
  const result = await checkIntent(desk, { ...move, read }, entry);
  if (result.outcome === 'done' || result.outcome === 'accepted' || result.outcome === 'refused') {
    return { settled: result };
  }
  throw moved(entry, (differs && rechecked) || read);
}

/** The same for an instruction of somebody else, of which the payment showed more before than it does now. */
export async function clearSeen(desk: Desk, move: Move, { leftMs, time }: SeenElsewhere): Promise<Move> {
  if (leftMs > 0) throw seenElsewhere(move, leftMs);
  const before = beforeOf(move.read);
  const confirmed = await recheckAndRead(desk, { move, before, beforeRead: move.read });
  if (confirmed === undefined) throw notRechecked(move, move.read);
  const { read, differs, rechecked } = confirmed;
  const isUnchanged = isAsBefore(before, read, { ignoreFailure: true }) && !differs;
  if (isUnchanged) return { ...move, read, readTime: undefined, clearedSeen: time };
  throw changedMeanwhile(move.read, (differs && rechecked) || read);
}

const onlyRead = (read: PaymentRead): Confirmed => ({ read, differs: false, rechecked: undefined });

/** Reads once more before it says that it is too early: it may be done by now. What failed stays failed. */
async function refusedUntil(desk: Desk, move: Move, entry: Entry, error: GuardError): Promise<MoveResult> {
  if (outcomeOf(entry) === 'failed') throw error;
  const result = await checkIntent(desk, move, entry);
  return result.outcome === 'done' ? result : { ...result, error };
}
