// One money operation on one or several payments: all are read and checked before the first is sent.

import type { SettleOperation } from '../../contract/states.js';
import { operationEndpoints, type PaymentRead } from '../../client/payment-calls.js';
import { GuardError, PaydeskError, ServiceError, UnknownOutcomeError } from '../../errors.js';
import { checkApp } from '../app-check.js';
import { type Blocked, type Entry, isMove, isOpen, outcomeOf, UNNAMED } from '../../ledger/moves/entries.js';
import type { Outcome } from '../../ledger/moves/operations.js';
import type { Desk } from '../desk.js';
import {
  checkIntent,
  clearToSend,
  findOpenOfUnread,
  readOrTellOpen,
  reportBlocked,
  unreadResult,
} from './check.js';
import {
  heldBy,
  interruptedBy,
  justAdopted,
  ledgerConflict,
  needsForce,
  nothingToResend,
  referenceMoved,
  sentNote,
} from './errors.js';
import { findBlocking, findOpenAt, rememberUnmoved } from './record.js';
import { withLedger } from '../with-ledger.js';
import { forbidden } from './legality.js';
import { sendMove } from './send.js';
import type { Move, MoveResult } from './result.js';
import { unknownStateNote } from '../alias-hint.js';
import { nounOf, withArticle } from './words.js';
import {
  idOf,
  type NamedPayment,
  type NamedRead,
  type NotRead,
  refuseTwice,
  stateOf,
} from '../named-payments.js';
import { paydesk } from '../../next-command.js';
import { joinPieces, type Line, plainLine } from '../../output/lines.js';
import { requestOf } from '../planned-request.js';

interface MovesRequest {
  operation: SettleOperation;
  names: readonly NamedPayment[];
  description?: string | undefined;
  force: boolean;
  wait: boolean;
  dryRun: boolean;
  /** Sends again what this ledger has as failed. */
  again: boolean;
  /** Sends again what may have left and did not arrive, after the quiet period. */
  resend: boolean;
  reason?: string | undefined;
  ticket?: string | undefined;
}

/** What would be done, to be confirmed. */
export interface MovesPlan {
  operation: SettleOperation;
  /** The payments that it is possible for. */
  reads: PaymentRead[];
  leftOut: Array<{ typed: string; error: PaydeskError }>;
}

/** `confirm` throws when it is not to be done; `onResult` is called with each result as it comes. */
export async function moveAll(
  desk: Desk,
  request: MovesRequest,
  steps: { confirm: (plan: MovesPlan) => Promise<void>; onResult?: (result: MoveResult) => void },
): Promise<MoveResult[]> {
  const { operation, names } = request;
  const deskFor = ({ name }: { name: NamedPayment }) => (names.length === 1 ? desk : naming(desk, name));
  const [reads] = await Promise.all([
    readOrTellOpen(desk, names),
    // The requests leave first: the service answers while the ledger is opened.
    nextTurn().then(() => withLedger(() => desk.ledger.ready())),
  ]);
  refuseTwice(reads);
  const planned: PlannedPayment[] = [];
  for (const entry of reads) planned.push(await planPayment(deskFor(entry), request, entry));
  await rememberUnmoved(desk, planned.flatMap(notToBeSent(request)));
  const possible = planned.filter((entry) => 'move' in entry);
  const leftOut = planned.flatMap(({ name, ...rest }) =>
    'error' in rest ? [{ typed: name.typed, error: rest.error }] : [],
  );
  const [only] = leftOut;
  if (names.length === 1 && only) throw only.error;
  await checkApp(desk.client, possible[0]?.move.read.fields.customerId);
  if (possible.length > 0) {
    await steps.confirm({ operation, reads: possible.map(({ move }) => move.read), leftOut });
  }

  // All are sent before the first is followed: to end the wait leaves none of them behind.
  const begun: Array<() => Promise<MoveResult>> = [];
  for (const entry of planned) begun.push(await begin(deskFor(entry), request, entry));
  const results: MoveResult[] = [];
  for (const finish of begun) {
    const result = await finish();
    results.push(result);
    steps.onResult?.(result);
  }
  return results;
}

/** Says of which of several payments it speaks. */
function naming(desk: Desk, { typed }: NamedPayment): Desk {
  const named = (line: Line) => joinPieces(`${typed}: `, plainLine(line).trimStart());
  return { ...desk, note: (...lines) => desk.note(...lines.map(named)) };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

type PlannedPayment =
  /** To be confirmed and sent. */
  | { name: NamedPayment; move: Move }
  /** Open in the ledger: its outcome is checked by reading, whatever its state is now. */
  | { name: NamedPayment; settle: Move; entry: Entry }
  /** Over, as far as the ledger knows. Somebody else may send it again while the other payments are confirmed. */
  | { name: NamedPayment; ended: Move; blocked: Blocked }
  /** Known from the reads to be over. */
  | { name: NamedPayment; result: MoveResult }
  | { name: NamedPayment; error: PaydeskError; seen?: PaymentRead };

/** What is sent, or was sent before, is recorded with its instruction. */
const notToBeSent =
  ({ dryRun }: MovesRequest) =>
  (entry: PlannedPayment): PaymentRead[] => {
    if ('error' in entry) return entry.seen === undefined ? [] : [entry.seen];
    return dryRun && 'move' in entry ? [entry.move.read] : [];
  };

async function planPayment(desk: Desk, request: MovesRequest, entry: NamedRead): Promise<PlannedPayment> {
  if ('error' in entry) return planUnread(desk, request, entry);
  const { name, read } = entry;
  try {
    return { name, ...(await decide(desk, moveOf(request, name, read), request)) };
  } catch (error) {
    if (!(error instanceof PaydeskError)) throw error;
    return { name, error, seen: read };
  }
}

/** Nothing can be sent; what was sent before is not forgotten. */
async function planUnread(desk: Desk, { operation }: MovesRequest, unread: NotRead): Promise<PlannedPayment> {
  const open = await findOpenOfUnread(unread, findOpenAt(desk));
  if (open === undefined) return unread;
  const { name } = unread;
  return isMove(open) && open.operation === operation
    ? { name, result: unreadResult(open, unread) }
    : { name, error: heldBy(open) };
}

function moveOf(request: MovesRequest, { typed }: NamedPayment, read: PaymentRead): Move {
  const { operation, description, force, wait, again, reason, ticket, dryRun } = request;
  return { typed, operation, read, description, force, wait, again, reason, ticket, dryRun };
}

type Decision =
  | { move: Move }
  | { settle: Move; entry: Entry }
  | { ended: Move; blocked: Blocked }
  | { result: MoveResult };

/** The ledger is asked before the state: an open intent explains a state that would otherwise forbid the operation. */
async function decide(desk: Desk, move: Move, { resend }: MovesRequest): Promise<Decision> {
  const { operation, read, force } = move;
  const blocked = await findBlocking(desk, move);
  if (blocked?.kind === 'adopted') throw justAdopted(move, blocked.leftMs);
  if (blocked?.kind === 'ended') {
    desk.note(`The ledger has this ${nounOf(operation)} as ${outcomeOf(blocked.intent)}. Nothing was sent.`);
    return { ended: move, blocked };
  }
  if (blocked) {
    const { intent } = blocked;
    if (blocked.kind === 'contradicted') throw ledgerConflict(intent, read);
    if (intent.operation !== operation) throw heldBy(intent);
    if (isOpen(outcomeOf(intent)) && !resend) return { settle: move, entry: intent };
    const clear = await clearToSend(desk, move, intent);
    if ('settled' in clear) return { result: clear.settled };
    const refused = force ? undefined : forbidden(operation, clear.cleared.read);
    if (refused) throw needsForce(refused, intent, { resend });
    return { move: clear.cleared };
  }
  const other = await findOpenOfOther(desk, move);
  if (other) throw referenceMoved(other, read);
  if (resend) throw nothingToResend(operation, read);
  if (read.state === undefined) desk.note(unknownStateNote(read));
  const refusal = force ? undefined : forbidden(operation, read);
  if (refusal) throw refusal;
  return { move };
}

/**
 * The same operation that is open for another payment under the reference that was typed: a service that shows two
 * payments under one reference in turns would have both of them moved.
 */
async function findOpenOfOther(desk: Desk, { typed, operation, read }: Move): Promise<Entry | undefined> {
  const [id, { referenceId }] = [idOf(read), read.fields];
  if (referenceId === undefined || [id, `id:${id}`].includes(typed)) return undefined;
  const open = await findOpenAt(desk)({ referenceId });
  return open.find((entry) => entry.operation === operation && ![id, UNNAMED].includes(entry.payment_id));
}

/** Sends what is to be sent. The function that it returns follows it, or reads what was sent before, to the result. */
async function begin(
  desk: Desk,
  request: MovesRequest,
  entry: PlannedPayment,
): Promise<() => Promise<MoveResult>> {
  const { operation } = request;
  const { typed } = entry.name;
  if ('error' in entry)
    return async () => ({ ...notMoved(typed, operation, entry.error, entry.seen), neverSent: true });
  if ('result' in entry) return async () => entry.result;
  // What is open is checked by reading; a dry run may do that as well.
  if (request.dryRun && 'move' in entry) return async () => dryRunOf(desk, entry.move);
  const { read } = 'move' in entry ? entry.move : 'ended' in entry ? entry.ended : entry.settle;
  const ifThrown = (error: unknown): MoveResult => {
    // Nothing was sent for this one, or nobody knows; those before it keep their results.
    if (request.names.length === 1 || !(error instanceof PaydeskError)) throw error;
    return notMoved(
      typed,
      operation,
      desk.signal.aborted ? withCommand(error, entry.name, operation) : error,
      read,
    );
  };
  if ('ended' in entry) return () => reportFromLedger(desk, entry.ended, entry.blocked).catch(ifThrown);
  if ('settle' in entry) return () => reportOpen(desk, entry.settle, entry.entry).catch(ifThrown);
  try {
    desk.signal.throwIfAborted();
    const from = desk.clock.monotonic();
    const { result, follow } = await sendMove(desk, entry.move);
    const toEnd = async (): Promise<MoveResult> => {
      const end = await follow();
      return end === result ? end : { ...end, tookMs: desk.clock.monotonic() - from };
    };
    return () => toEnd().catch(ifThrown);
  } catch (error) {
    const result = ifThrown(error);
    return async () => result;
  }
}

/** What was not sent any more, after Ctrl-C or at the end of the time. */
const withCommand = (
  error: PaydeskError,
  { typed }: NamedPayment,
  operation: SettleOperation,
): PaydeskError =>
  error.next.length > 0 ? error : error.with({ next: [paydesk('payments', operation, typed)] });

async function reportFromLedger(desk: Desk, move: Move, blocked: Blocked): Promise<MoveResult> {
  desk.signal.throwIfAborted();
  return reportBlocked(desk, move, (await findBlocking(desk, move)) ?? blocked);
}

async function reportOpen(desk: Desk, move: Move, entry: Entry): Promise<MoveResult> {
  if (desk.signal.aborted) return leftOpen(desk, move, entry);
  const result = await checkIntent(desk, move, entry);
  // An error says so by itself.
  if (!result.error)
    desk.note(`The ledger has ${withArticle(move.operation)}, ${sentNote(entry)}. Nothing was sent now.`);
  return result;
}

/** It was not looked at any more: the ledger alone says how it stands. */
function leftOpen(desk: Desk, { typed, operation, read }: Move, entry: Entry): MoveResult {
  const error = interruptedBy(desk);
  return {
    typed,
    operation,
    payment: read.object,
    before: entry.before_state,
    after: stateOf(read),
    outcome: outcomeOf(entry),
    ...(error && { error: error.with({ next: [paydesk('payments', 'check', idOf(read))] }) }),
  };
}

/** The result of a payment that was not moved, or whose earlier instruction has an unknown outcome. */
function notMoved(
  typed: string,
  operation: SettleOperation,
  error: PaydeskError,
  read?: PaymentRead,
): MoveResult {
  const state = read === undefined ? null : stateOf(read);
  return {
    typed,
    operation,
    payment: read?.object ?? null,
    before: state,
    after: state,
    outcome: outcomeBehind(error),
    error,
  };
}

function outcomeBehind(error: PaydeskError): Outcome {
  if (error instanceof UnknownOutcomeError) return 'unknown';
  return error instanceof GuardError || error instanceof ServiceError ? 'refused' : 'unsent';
}

function dryRunOf({ client }: Desk, { typed, operation, read, description }: Move): MoveResult {
  const state = stateOf(read);
  return {
    typed,
    operation,
    payment: read.object,
    before: state,
    after: state,
    outcome: 'unsent',
    request: requestOf(
      operationEndpoints[operation],
      { appId: client.appId, paymentId: idOf(read) },
      operation === 'refund' ? { description } : {},
    ),
  };
}
