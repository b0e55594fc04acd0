// What is written to the ledger before something is sent, and after.

import { commandText, paydesk } from '../../next-command.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import { firstLine, ProfileError, type PaydeskError, TemporaryError } from '../../errors.js';
import { HomeError } from '../../home-folder.js';
import { UNNAMED, type Entry, type NewIntent, type NewOutcome } from '../../ledger/entries.js';
import type { Outcome } from '../../ledger/operations.js';
import type { OrderDetails } from '../../ledger/known-payments.js';
import type { PaymentNames, PaymentRef } from '../../ledger/payment-ref.js';
import { StoreError } from '../../store/errors.js';
import { quietOf, type Desk } from '../desk.js';
import { idOf, stateOf } from '../named-payments.js';
import { seenPayment } from '../seen-payment.js';
import { fingerprintOf } from './fingerprint.js';
import type { Move, MoveResult, Sent } from './result.js';

export function refOfPayment({ place }: Pick<Desk, 'place'>, read: PaymentRead): PaymentRef {
  return { appId: place.appId, paymentId: idOf(read), generation: read.generation };
}

function factsOf({ place }: Pick<Desk, 'place'>, read: PaymentRead) {
  const { kind, profile, baseUrl } = place;
  return { ...seenPayment(place, read), kind, profile, baseUrl };
}

export function intentOf(desk: Desk, move: Move, before: PaymentRead): NewIntent {
  return {
    ...factsOf(desk, before),
    operation: move.operation,
    before: stateOf(before) ?? undefined,
    beforePrint: fingerprintOf(before),
    quietMs: quietOf(desk, before),
    description: move.description,
    reason: move.reason,
    ticket: move.ticket,
    // A row of a batch that a person sends again still belongs to its batch.
    batchId: move.batchId ?? move.cleared?.batch_id ?? undefined,
  };
}

/** A ledger that cannot be used now could not be used before anything was sent. */
export async function beforeSending<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error instanceof HomeError) {
      throw new ProfileError(`Nothing was sent. ${error.message}`, { code: error.code, cause: error });
    }
    throw new TemporaryError(`The ledger cannot be used. Nothing was sent. ${error.message}`, {
      code: 'ledger-unavailable',
      saysNothingSent: true,
      cause: error,
    });
  }
}

/** What is open at this desk under the names of a payment that cannot be read. */
export const openAt =
  ({ ledger, place }: Pick<Desk, 'ledger' | 'place'>) =>
  (names: PaymentNames): Promise<Entry[]> =>
    beforeSending(() => ledger.openUnder(place, names));

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
  const { outcome, after, error } = result;
  if (intent.last?.outcome === outcome && (after === null || intent.last.after_state === after)) return true;
  const row: NewOutcome = {
    outcome,
    after: after ?? undefined,
    state: after === null ? undefined : (desk.client.canonicalState(after) ?? after),
    why: error && firstLine(error.message),
    httpStatus: error?.httpStatus,
    neverLeft,
    inBatch: move.batchId !== undefined,
  };
  try {
    return await desk.ledger.record(intent.id, row);
  } catch (failure) {
    if (!(failure instanceof StoreError)) throw failure;
    desk.note(
      `The outcome could not be written to the ledger, which has it as unknown: ${failure.message}`,
      `Check it again with: ${commandText(paydesk('payments', 'check', intent.payment_id))}`,
    );
    return true;
  }
}

interface MadePayment {
  read: PaymentRead;
  operation: 'create' | 'charge';
  outcome: Outcome;
  /** As it was sent: a payment that is read does not show it. */
  order: OrderDetails;
  /** Why its outcome is unknown. */
  error?: PaydeskError;
}

/** A create or a charge that was made: its reference keeps it from being made twice, so it needs no hold. */
export async function recordCreated(
  desk: Desk,
  made: MadePayment,
  why: Pick<NewIntent, 'reason' | 'ticket' | 'description' | 'batchId'>,
): Promise<void> {
  const { read, operation, outcome, order, error } = made;
  await recordOrNote(desk, async () => {
    const after = stateOf(read) ?? undefined;
    const facts = { ...factsOf(desk, read), order, operation };
    const result = { outcome, after, why: error && firstLine(error.message) };
    await desk.ledger.note({ ...facts, ...why }, result, 'created');
  });
}

/** The payment of an earlier run was found by its reference: an outcome that was unknown is known now. */
export async function recordFound(desk: Desk, found: MadePayment): Promise<void> {
  const { read, operation, outcome, order } = found;
  await recordOrNote(desk, () =>
    desk.ledger.noteFound(
      { ...factsOf(desk, read), order, operation },
      { outcome, after: stateOf(read) ?? undefined },
    ),
  );
}

/** A create or charge that was refused, or that may have been carried out: nobody knows its payment. */
export async function recordLost(
  desk: Desk,
  lost: {
    operation: 'create' | 'charge';
    referenceId: string;
    amount: string;
    currency: string | undefined;
    outcome: Outcome;
    error: PaydeskError;
  },
  { reason, ticket, batchId }: Pick<NewIntent, 'reason' | 'ticket' | 'batchId'>,
): Promise<void> {
  const { error, outcome, ...facts } = lost;
  const { baseUrl, appId, kind, profile } = desk.place;
  try {
    await desk.ledger.note(
      { baseUrl, appId, kind, profile, paymentId: UNNAMED, ...facts, reason, ticket, batchId },
      { outcome, why: firstLine(error.message), httpStatus: error.httpStatus },
      undefined,
    );
  } catch (failure) {
    if (!(failure instanceof StoreError)) throw failure;
    desk.note(`The outcome could not be written to the ledger: ${failure.message}`);
  }
}

/** That the provider was asked, and where that left the payment. */
export async function recordRecheck(
  desk: Pick<Desk, 'ledger' | 'place' | 'note'>,
  before: PaymentRead,
  now: PaymentRead,
): Promise<void> {
  await recordOrNote(desk, () =>
    desk.ledger.note(
      { ...factsOf(desk, now), operation: 'recheck', before: stateOf(before) ?? undefined },
      { outcome: 'done', after: stateOf(now) ?? undefined },
      stateOf(before) === stateOf(now) ? 'read' : 'changed',
    ),
  );
}

async function recordOrNote(desk: Pick<Desk, 'note'>, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (failure) {
    if (!(failure instanceof StoreError)) throw failure;
    desk.note(`It was done, but could not be written to the ledger: ${failure.message}`);
  }
}
