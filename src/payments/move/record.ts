// What the ledger has to say before something is sent, and what is written there.

import type { SettleOperation } from '../../client/outcome.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import { GuardError, NotReachedError, type PaydeskError, TemporaryError } from '../../errors.js';
import {
  outcomeOf,
  UNNAMED,
  type Entry,
  type NewIntent,
  type Opening,
  type Outcome,
} from '../../ledger/ledger.js';
import type { PaymentPlace } from '../../ledger/payment-place.js';
import { seenPayment } from '../seen-payment.js';
import { StoreError } from '../../store/errors.js';
import type { Desk } from '../desk.js';
import type { Move, MoveResult } from './result.js';
import { idOf, labelOf, stateOf, stateText } from '../named-payments.js';

export function placeOf({ place }: Desk, read: PaymentRead): PaymentPlace {
  return { baseUrl: place.baseUrl, appId: place.appId, paymentId: idOf(read) };
}

function factsOf(desk: Pick<Desk, 'place'>, read: PaymentRead) {
  const { kind, profile } = desk.place;
  return { ...seenPayment(desk.place, read), kind, profile };
}

export function intentOf(desk: Desk, move: Move, before: PaymentRead): NewIntent {
  return {
    ...factsOf(desk, before),
    operation: move.operation,
    before: stateOf(before) ?? undefined,
    description: move.description,
    reason: move.reason,
    ticket: move.ticket,
    // Whoever sends a row of a batch anew, the batch must find it.
    batchId: move.batchId ?? move.resend?.batch_id ?? undefined,
  };
}

/** Whatever the ledger cannot do now, it could not do before anything was sent. */
export async function beforeSending<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new TemporaryError(`The ledger cannot be used, and nothing was sent. ${error.message}`, {
      code: 'ledger-unavailable',
      cause: error,
    });
  }
}

/** The result is true whether or not it can be written down; what cannot be written stays open in the ledger. */
export async function recordResult(desk: Desk, entry: Entry, result: MoveResult): Promise<void> {
  const { outcome, after, error } = result;
  const why = error?.message.split('\n', 1)[0];
  if (entry.last?.outcome === outcome && entry.last.after_state === after) return;
  try {
    await desk.ledger.record(entry.id, {
      outcome,
      after: after ?? undefined,
      state: after === null ? undefined : (desk.client.canonicalState(after) ?? after),
      why,
      httpStatus: error?.httpStatus,
    });
  } catch (failure) {
    if (!(failure instanceof StoreError)) throw failure;
    desk.note(
      `The outcome could not be written to the ledger, where it stays open: ${failure.message}`,
      `Run the same command again: it settles, and sends nothing.`,
    );
  }
}

/** A create or a charge that was made: its reference keeps it from being made twice, so it needs no hold. */
export async function recordCreated(
  desk: Desk,
  made: { read: PaymentRead; operation: 'create' | 'charge'; outcome: Outcome },
  why: { reason?: string | undefined; ticket?: string | undefined },
): Promise<void> {
  const { read, operation, outcome } = made;
  try {
    const after = stateOf(read) ?? undefined;
    await desk.ledger.note({ ...factsOf(desk, read), operation, ...why }, { outcome, after }, 'created');
  } catch (failure) {
    if (!(failure instanceof StoreError)) throw failure;
    desk.note(`It was done, and could not be written to the ledger: ${failure.message}`);
  }
}

/** The payment of an earlier run was found by its reference: an outcome that was unknown is known now. */
export async function recordFound(
  desk: Desk,
  found: { read: PaymentRead; operation: 'create' | 'charge'; outcome: Outcome },
): Promise<void> {
  const { read, operation, outcome } = found;
  try {
    await desk.ledger.noteFound(
      { ...factsOf(desk, read), operation },
      { outcome, after: stateOf(read) ?? undefined },
    );
  } catch (failure) {
    if (!(failure instanceof StoreError)) throw failure;
    desk.note(`What was found could not be written to the ledger: ${failure.message}`);
  }
}

/** A create or charge that may have been carried out, and that nobody knows the payment of. */
export async function recordLost(
  desk: Desk,
  lost: {
    operation: 'create' | 'charge';
    referenceId: string;
    amount: string;
    currency: string | undefined;
    error: PaydeskError;
  },
  why: { reason?: string | undefined; ticket?: string | undefined },
): Promise<void> {
  const { error, ...facts } = lost;
  const { baseUrl, appId, kind, profile } = desk.place;
  try {
    await desk.ledger.note(
      { baseUrl, appId, kind, profile, paymentId: UNNAMED, ...facts, reason: why.reason, ticket: why.ticket },
      { outcome: 'unknown', why: error.message.split('\n', 1)[0], httpStatus: error.httpStatus },
      undefined,
    );
  } catch (failure) {
    if (!(failure instanceof StoreError)) throw failure;
    desk.note(`The unknown outcome could not be written to the ledger: ${failure.message}`);
  }
}

/** That the provider was asked, and where that left the payment: whoever looks later need not ask the same again. */
export async function recordRecheck(
  desk: Pick<Desk, 'ledger' | 'place' | 'note'>,
  before: PaymentRead,
  now: PaymentRead,
): Promise<void> {
  const changed = stateOf(before) !== stateOf(now);
  try {
    await desk.ledger.note(
      { ...factsOf(desk, now), operation: 'recheck', before: stateOf(before) ?? undefined },
      { outcome: 'done', after: stateOf(now) ?? undefined },
      changed ? 'changed' : 'read',
    );
  } catch (failure) {
    if (!(failure instanceof StoreError)) throw failure;
    desk.note(`It was done, and could not be written to the ledger: ${failure.message}`);
  }
}

/** Another operation is open for the payment: nothing else is sent until it is settled. */
export function heldBy(entry: Entry, read: PaymentRead): GuardError {
  return new GuardError(
    `Payment ${labelOf(read)} has an open ${entry.operation} of ${entry.operator}, ${outcomeText(entry)}. ` +
      'Nothing else is sent before that is settled.',
    { code: 'intent-open', next: [`paydesk payments ${entry.operation} ${idOf(read)}`] },
  );
}

function outcomeText(entry: Entry): string {
  return outcomeOf(entry) === 'accepted' ? 'accepted and not yet at its end' : 'whose outcome is not known';
}

/** What this ledger knows to be over is reported, and not sent again. */
export function endedResult(
  move: Pick<Move, 'typed' | 'operation'>,
  opening: Extract<Opening, { kind: 'ended' }>,
  read: PaymentRead,
): MoveResult {
  const { intent } = opening;
  const outcome = outcomeOf(intent);
  const { typed, operation } = move;
  const common = {
    typed,
    operation,
    payment: read.object,
    before: intent.before_state,
    after: stateOf(read),
    outcome,
  };
  if (outcome === 'done') return common;
  return {
    ...common,
    error: new NotReachedError(
      `The ${operation} of payment ${labelOf(read)} was sent before and failed${intent.last?.why ? `: ${intent.last.why}` : '.'}`,
      { code: 'failed-before', next: [`paydesk payments ${operation} ${idOf(read)} --again`] },
    ),
  };
}

/** Before the quiet period is over, an instruction that may have left may still arrive. */
export async function checkQuiet(desk: Desk, entry: Entry, read: PaymentRead): Promise<void> {
  const left = entry.time + desk.quietMs - (await desk.ledger.now());
  if (left <= 0) return;
  throw new GuardError(
    `The ${entry.operation} of payment ${labelOf(read)} may still arrive: it can be sent anew in ${Math.ceil(left / 60_000)} min. ` +
      'Nothing was sent.',
    { code: 'quiet-period', next: [`paydesk payments ${entry.operation} ${idOf(read)}`] },
  );
}

export function nothingToResend(operation: SettleOperation, read: PaymentRead): GuardError {
  return new GuardError(
    `There is no open ${operation} of payment ${labelOf(read)} to send anew. Nothing was sent.`,
    { code: 'nothing-open', next: [`paydesk payments ${operation} ${idOf(read)}`] },
  );
}

export function movedSince(entry: Entry, read: PaymentRead): GuardError {
  return new GuardError(
    `Payment ${labelOf(read)} has moved since the ${entry.operation} was sent: ${entry.before_state ?? '?'} → ${stateText(read)}. ` +
      'It is not sent anew.',
    { code: 'moved', next: [`paydesk payments explain ${idOf(read)}`] },
  );
}
