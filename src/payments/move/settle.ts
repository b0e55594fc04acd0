// Finds out the outcome of an instruction that may have left, by reading. Nothing here sends one.

import { objectsIn } from '../../client/answers.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import { isOnlyQueued } from '../../client/queued-answer.js';
import { firstLine, PaydeskError, TemporaryError } from '../../errors.js';
import { whenText } from '../../output/time.js';
import { quietOf, readerOf, type Desk } from '../desk.js';
import { idOf, shownText, stateOf } from '../named-payments.js';
import { readUntil } from '../wait.js';
import { failed, notCarriedOut, notTaken, pendingOf, refusedBy, showsOther, stillUnknown } from './errors.js';
import { differsFromRead } from './fingerprint.js';
import {
  cameUnderWay,
  endStateOf,
  isAsBefore,
  suggestsFailure,
  type Standing,
  standingOf,
  wasUnderWay,
} from './proof.js';
import { recordResult } from './record.js';
import { nounOf } from './words.js';
import {
  type CarriedOut,
  type Evidence,
  type LastSeen,
  type MoveResult,
  over,
  type PaymentLook,
  resultOf,
  type Sent,
} from './result.js';

/** How long an unknown outcome is read for when nobody asked to wait. */
const READ_MS = 1_500;

/** Right after the answer, or the lack of one. `shown` is the payment as the answer showed it. */
export async function settle(
  desk: Desk,
  sent: Sent,
  evidence: Evidence,
  shown: PaymentRead | undefined,
): Promise<CarriedOut> {
  const told = shown && contradicts(sent, shown) ? contradiction(shown) : evidence;
  sent.since.isTaken = told.kind === 'taken';
  const look = await lookAfter(desk, sent, told, shown);
  const result = conclude(desk, sent, told, look);
  await recordResult(desk, sent, result);
  return sent.move.wait ? { result, follow: () => follow(desk, sent, result, look.last) } : over(result);
}

/** A success that shows the payment in a state which is neither the one before nor one that this leads to. */
function contradicts({ move, before, since }: Sent, shown: PaymentRead): boolean {
  const state = stateOf(shown);
  if (state === null || state === before.stateName) return false;
  const standing = standingOf(move.operation, before, shown, { ...since, isTaken: true });
  return standing === 'changed' || standing === 'excluded';
}

const contradiction = (shown: PaymentRead): Evidence => ({
  kind: 'unknown',
  why: `the service answered ${shown.answer.httpStatus} with the payment in ${shownText(shown)}`,
});

/** With `--wait`: on to the end state, where the result is not final. */
export async function follow(
  desk: Desk,
  sent: Sent,
  result: MoveResult,
  seen: PaymentRead | undefined,
): Promise<MoveResult> {
  if (result.outcome === 'accepted') return followMove(desk, sent, result, seen);
  // The approval is done, and the capture that it has set off is not.
  const isCapturing = desk.client.canonicalState(result.after ?? '') === 'Capturing';
  return result.operation === 'unhold' && result.outcome === 'done' && isCapturing
    ? followCapture(desk, sent, seen)
    : result;
}

async function followCapture(desk: Desk, sent: Sent, seen: PaymentRead | undefined): Promise<MoveResult> {
  let last = seen;
  const reads = createWaitingReads(desk, sent);
  const look = async () => {
    last = (await reads.next()) ?? last;
  };
  const isOver = () => last !== undefined && last.state !== 'Capturing';
  const onPause = (leftMs: number) => {
    const state = last && stateOf(last);
    desk.status?.(reads.failure() ? unreadText(state) : waitingText('Captured', state), leftMs);
  };
  await readUntil(look, isOver, { ...desk, limitMs: desk.waitMs, onPause });
  if (isOver()) return resultOf(sent, last, 'done');
  const seenNow = { last, standing: 'under-way', failure: reads.failure() } as const;
  return resultOf(sent, last, 'done', pendingOf(desk, sent, seenNow));
}

async function lookAfter(
  desk: Desk,
  sent: Sent,
  evidence: Evidence,
  shown: PaymentRead | undefined,
): Promise<PaymentLook> {
  if (evidence.kind === 'taken') {
    // An answer that shows the end is not proof of it: the payment is read.
    const isEnd = shown && standingNow(sent, shown) === 'done';
    return lookOnce(desk, sent, isEnd ? undefined : shown, { taken: true });
  }
  if (evidence.kind !== 'unknown') return lookOnce(desk, sent, undefined, { taken: false });
  return lookUntilProven(desk, sent);
}

/** What the reads make of it: the table in docs/outcomes.md. */
export function conclude(
  desk: Desk,
  sent: Sent,
  evidence: Evidence,
  look: PaymentLook,
  heldMs = quietOf(desk, sent.beforeRead),
): MoveResult {
  const { standing, last } = look;
  if (last === undefined) return unread(sent, evidence, look);
  if (isOfEarlier(sent, evidence, standing)) return asAnswered(desk, sent, evidence, look, heldMs);
  switch (standing) {
    case 'done':
      return resultOf(sent, last, 'done');
    case 'under-way':
      return resultOf(sent, last, 'accepted');
    case 'back':
      // A replica that lags shows the state before as well, so this proves nothing yet.
      return resultOf(sent, last, 'accepted');
    case 'excluded':
      // The service accepted it and shows the opposite: both cannot be true. And where the answer was lost, the service
      // may still carry it out.
      if (look.rechecked && evidence.kind !== 'taken' && evidence.kind !== 'unknown') {
        return resultOf(sent, last, 'refused', notCarriedOut(sent, last));
      }
      return withHold(desk, sent, resultOf(sent, last, 'unknown', showsOther(sent, last)));
    case 'changed':
      return withHold(desk, sent, resultOf(sent, last, 'unknown', showsOther(sent, last)));
    default:
      return asAnswered(desk, sent, evidence, look, heldMs);
  }
}

/**
 * Whether what the reads show is the end of the same operation that was in progress when this one was sent. The service
 * did not accept this one, or nobody knows, so the end of the other proves nothing about it.
 */
function isOfEarlier({ move, before }: Sent, evidence: Evidence, standing: Standing): boolean {
  if (!wasUnderWay(move.operation, before)) return false;
  if (standing === 'done') return evidence.kind === 'refused' || evidence.kind === 'not-taken';
  return standing === 'back' && evidence.kind !== 'taken';
}

/** No read went through: a success stays taken, and nothing else is known. */
function unread(sent: Sent, evidence: Evidence, { states }: PaymentLook): MoveResult {
  if (evidence.kind === 'taken') return resultOf(sent, undefined, 'accepted');
  const why = evidence.kind === 'refused' ? `the service answered ${evidence.problem.message}` : evidence.why;
  return { ...resultOf(sent, undefined, 'unknown', stillUnknown(sent, why, states)), why };
}

/** The reads say nothing of it. */
function asAnswered(
  desk: Desk,
  sent: Sent,
  evidence: Evidence,
  { last, states }: PaymentLook,
  heldMs: number,
): MoveResult {
  switch (evidence.kind) {
    case 'taken':
      return resultOf(sent, last, 'accepted');
    case 'refused': {
      const error = refusedBy(sent, evidence.problem, { read: last, heldMs });
      const why = evidence.problem.message;
      return withHold(desk, sent, { ...resultOf(sent, last, 'refused', error), why });
    }
    case 'not-taken': {
      const { why, retryAfterMs } = evidence;
      const result = resultOf(sent, last, 'unsent', notTaken(sent, evidence, { read: last, heldMs }));
      return withHold(desk, sent, {
        ...result,
        why,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    }
    default: {
      const { why } = evidence;
      const result = resultOf(sent, last, 'unknown', stillUnknown(sent, why, states));
      return withHold(desk, sent, { ...result, why });
    }
  }
}

const withHold = (desk: Desk, sent: Sent, result: MoveResult): MoveResult => ({
  ...result,
  heldMs: quietOf(desk, sent.beforeRead),
});

/** One read; where it proves nothing, a recheck and another read. */
export async function lookOnce(
  desk: Desk,
  sent: Sent,
  first: PaymentRead | undefined,
  { taken, recheck = true }: { taken: boolean; recheck?: boolean },
): Promise<PaymentLook> {
  const states: string[] = [];
  const { read = first, failure } = first ? {} : await readSettling(desk, sent);
  if (read === undefined) {
    // A service that does not show the payment now may do so later.
    if (failure && !(failure instanceof TemporaryError)) desk.note(failure.message);
    return { standing: 'changed', last: undefined, states, rechecked: false };
  }
  states.push(stateOf(read) ?? '?');
  // Where the service did not accept the move, it may be another one that is in progress.
  if (taken) noteUnderWay(sent, read);
  const standing = standingNow(sent, read);
  if (isProof(sent, standing, taken)) return { standing, last: read, states, rechecked: false };
  const confirmed = recheck ? await recheckAndRead(desk, sent) : undefined;
  if (confirmed === undefined) return { standing, last: read, states, rechecked: false };
  const { rechecked = confirmed.read } = confirmed;
  if (confirmed.differs) {
    states.push(stateOf(rechecked) ?? '?', stateOf(confirmed.read) ?? '?');
    return { standing: 'changed', last: rechecked, states, rechecked: true };
  }
  states.push(stateOf(confirmed.read) ?? '?');
  noteUnderWay(sent, confirmed.read);
  return { standing: standingNow(sent, confirmed.read), last: confirmed.read, states, rechecked: true };
}

function noteUnderWay({ move, before, since }: Sent, read: PaymentRead): void {
  since.underWay ||= cameUnderWay(move.operation, before.state, read.state);
}

const standingNow = ({ move, before, since }: Sent, read: PaymentRead): Standing =>
  standingOf(move.operation, before, read, since);

/** A state on the way may be that of an earlier attempt, unless the service is known to have taken this one. */
function isProof({ intent }: Sent, standing: Standing, taken: boolean): boolean {
  if (standing === 'done') return true;
  if (standing === 'under-way') return taken || intent.resend_of === null;
  return taken && standing === 'unchanged';
}

/** What a recheck that went through and the read after it show. */
export interface Confirmed {
  read: PaymentRead;
  /** The recheck itself showed or reported a change that the read does not have: one of them is not true (yet). */
  differs: boolean;
  /** The payment as the recheck showed it, if it showed its state. */
  rechecked: PaymentRead | undefined;
}

type CheckedMove = Pick<Sent, 'move' | 'before' | 'beforeRead'>;

/**
 * Asks the provider again and reads the payment after it; undefined where either did not go through. A recheck that is
 * only queued has not gone through, but a change that it shows counts.
 */
export async function recheckAndRead(desk: Desk, sent: CheckedMove): Promise<Confirmed | undefined> {
  if (sent.move.dryRun) return undefined;
  let rechecked: PaymentRead | undefined;
  let saysChanged: boolean;
  let isQueued: boolean;
  try {
    const { value, answer } = await readerOf(desk).recheck(idOf(sent.beforeRead));
    rechecked = value;
    saysChanged = objectsIn(answer.raw).some(({ changed }) => changed === true);
    isQueued = isOnlyQueued(answer);
  } catch (error) {
    if (!(error instanceof PaydeskError)) throw error;
    return undefined;
  }
  const { read } = await readSettling(desk, sent);
  if (read === undefined) return undefined;
  const isChange = saysChanged || (rechecked !== undefined && showsChange(sent, rechecked, read));
  const differs = isChange && stateOf(read) === sent.before.stateName;
  if (isQueued && !differs) return undefined;
  return { read, differs, rechecked: rechecked && stateOf(rechecked) !== null ? rechecked : undefined };
}

/** Whether a recheck shows another state than before, or something else that a read which is as before does not have. */
function showsChange({ before }: Pick<Sent, 'before'>, rechecked: PaymentRead, read: PaymentRead): boolean {
  const state = stateOf(rechecked);
  if (state !== null && state !== before.stateName) return true;
  return isAsBefore(before, read, { ignoreFailure: true }) && differsFromRead(rechecked, read);
}

/** One read after sending, whatever has happened to the command since. It never throws: the move was made. */
async function readSettling(
  desk: Desk,
  sent: Pick<Sent, 'beforeRead'>,
): Promise<{ read?: PaymentRead; failure?: PaydeskError }> {
  const key = { paymentId: idOf(sent.beforeRead) };
  const reader = readerOf(desk);
  try {
    return { read: await reader.getPayment(key) };
  } catch (error) {
    if (!(error instanceof PaydeskError)) throw error;
    // Ctrl-C in the middle of the read: it is made again by the client that does not stop.
    if (desk.signal.aborted && reader !== desk.settling) return readSettling(desk, sent);
    return { failure: error };
  }
}

/** The reads of a wait: a person is told once that they fail, until one succeeds again. */
function createWaitingReads(desk: Desk, sent: Pick<Sent, 'beforeRead'>) {
  let failure: PaydeskError | undefined;
  return {
    failure: () => failure,
    async next(): Promise<PaymentRead | undefined> {
      const { read, failure: now } = await readSettling(desk, sent);
      if (now && !failure && !desk.signal.aborted) desk.note(`${firstLine(now.message)} Trying again.`);
      failure = now;
      return read;
    },
  };
}

/** Reads until something is proven, or the time is up. The provider is asked once. */
export async function lookUntilProven(desk: Desk, sent: Sent): Promise<PaymentLook> {
  const limitMs = sent.move.wait ? desk.waitMs : READ_MS;
  let result: PaymentLook = { standing: 'changed', last: undefined, states: [], rechecked: false };
  const look = async () => {
    const next = await lookOnce(desk, sent, undefined, { taken: false, recheck: !result.rechecked });
    const states = [...result.states, ...next.states];
    const rechecked = result.rechecked || next.rechecked;
    result = next.last === undefined ? { ...result, states } : { ...next, states, rechecked };
  };
  const isOver = () =>
    result.last !== undefined && ['done', 'under-way', 'excluded'].includes(result.standing);
  const onPause = (leftMs: number) => {
    if (sent.move.wait)
      desk.status?.(waitingText(`the outcome of the ${nounOf(sent.move.operation)}`), leftMs);
  };
  await readUntil(look, isOver, { ...desk, limitMs, firstMs: 500, onPause });
  return result;
}

/** The status line while a command waits. */
const waitingText = (end: string, state?: string | null): string =>
  `${state ? `${state}. ` : ''}Waiting for ${end}.`;

/** The same while the payment cannot be read. */
const unreadText = (state: string | null | undefined): string =>
  `The payment cannot be read now.${state ? ` Last seen: ${state}.` : ''} Trying again.`;

/** The same while the payment shows that the move may have failed. */
function backText({ before, move }: Sent, read: PaymentRead, quietLeftMs: number): string {
  const where = `${stateOf(read) === before.stateName ? 'Back in' : 'In'} ${shownText(read)}.`;
  return quietLeftMs > 0
    ? `${where} If that is still so ${whenText(quietLeftMs)}, the ${nounOf(move.operation)} has failed.`
    : `${where} The provider could not be asked whether that is final. Trying again.`;
}

/** Follows a move that was taken until it is at its end, is known to have failed, or the time is up. */
async function followMove(
  desk: Desk,
  sent: Sent,
  taken: MoveResult,
  seen: PaymentRead | undefined,
): Promise<MoveResult> {
  let last = seen;
  let standing: Standing = 'under-way';
  let state = taken.after;
  let hasFailed = false;
  let since = desk.steady();
  const reads = createWaitingReads(desk, sent);
  const look = async () => {
    const read = await reads.next();
    if (read === undefined) return;
    last = read;
    noteUnderWay(sent, read);
    standing = standingNow(sent, read);
    if (stateOf(read) !== state) {
      desk.note(`  ${state ?? '?'} → ${stateOf(read) ?? '?'}`);
      since = desk.steady();
    }
    state = stateOf(read);
    if (suggestsFailure(standing) && desk.steady() - since >= quietOf(desk, sent.beforeRead)) {
      const confirmed = await recheckAndRead(desk, sent);
      if (confirmed === undefined || confirmed.differs) return;
      last = confirmed.read;
      noteUnderWay(sent, confirmed.read);
      standing = standingNow(sent, confirmed.read);
      hasFailed = suggestsFailure(standing);
    }
  };
  const isOver = () => standing === 'done' || hasFailed;
  const end = endStateOf(sent.move.operation) ?? 'the approval';
  const waitsFor = () => {
    if (reads.failure()) return unreadText(state);
    if (last === undefined || !suggestsFailure(standing)) return waitingText(end, state);
    return backText(sent, last, since + quietOf(desk, sent.beforeRead) - desk.steady());
  };
  const onPause = (leftMs: number) => desk.status?.(waitsFor(), leftMs);
  await readUntil(look, isOver, { ...desk, limitMs: desk.waitMs, onPause });
  const seenNow = { last, standing, failure: reads.failure() };
  const result = ended(desk, sent, seenNow, hasFailed);
  const isNewest = await recordResult(desk, sent, result);
  // Somebody else has found out more, or has sent it again, while this process was held up.
  return hasFailed && !isNewest ? ended(desk, sent, seenNow, false) : result;
}

function ended(desk: Desk, sent: Sent, seen: LastSeen, hasFailed: boolean): MoveResult {
  const { last, standing } = seen;
  if (last !== undefined && standing === 'done') return resultOf(sent, last, 'done');
  if (last !== undefined && hasFailed) return resultOf(sent, last, 'failed', failed(sent, last));
  if (last !== undefined && standing === 'changed')
    return resultOf(sent, last, 'unknown', showsOther(sent, last));
  return resultOf(sent, last, 'accepted', pendingOf(desk, sent, seen));
}
