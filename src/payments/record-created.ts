// What the ledger has of creates, charges and rechecks. Their outcome is written once it is known: none of them needs a hold.

import { paydesk } from '../next-command.js';
import type { PaymentRead, Rechecked } from '../client/payment-calls.js';
import { sameAmount } from '../contract/exact.js';
import { type JsonObject, scalarText } from '../contract/json.js';
import { firstLine, type PaydeskError } from '../errors.js';
import {
  isOpen,
  outcomeOf,
  UNNAMED,
  type Entry,
  type NewIntent,
  type NewOutcome,
} from '../ledger/moves/entries.js';
import type { OrderDetails } from '../ledger/known/seen-payment.js';
import type { Outcome } from '../ledger/moves/operations.js';
import { StoreError } from '../store/errors.js';
import type { Desk } from './desk.js';
import { notRecorded } from './move/record.js';
import { withLedger } from './with-ledger.js';
import { idOf, labelOf, stateOf, stateText } from './named-payments.js';
import { ledgerFacts } from './seen-payment.js';

/** For the ledger only. */
export type WhyMade = Pick<NewIntent, 'reason' | 'ticket' | 'description' | 'batchId'>;

interface CreatedEntry {
  read: PaymentRead;
  operation: 'create' | 'charge';
  outcome: Outcome;
  /** As it was sent: a payment that is read does not show it. */
  order: OrderDetails;
  /** Why its outcome is unknown. */
  error?: PaydeskError;
}

/** A create or a charge that was made: its reference keeps it from being made twice, so it needs no hold. */
export async function recordCreated(desk: Desk, made: CreatedEntry, why: WhyMade): Promise<void> {
  const { read, operation, outcome, order, error } = made;
  await recordOrNote(desk, read, async () => {
    const after = stateOf(read) ?? undefined;
    const facts = { ...ledgerFacts(desk.app, read), order, operation };
    const result = { outcome, after, why: error && firstLine(error.message) };
    await desk.ledger.note({ ...facts, ...why }, result, 'created');
  });
}

/** The payment of an earlier run was found by its reference: an outcome that was unknown is known now. */
export async function recordFound(desk: Desk, found: CreatedEntry): Promise<void> {
  const { read, operation, outcome, order, error } = found;
  await recordOrNote(desk, read, () =>
    desk.ledger.noteFound(
      { ...ledgerFacts(desk.app, read), order, operation },
      { outcome, after: stateOf(read) ?? undefined, why: error && firstLine(error.message) },
    ),
  );
}

/** What the ledger has of a charge: one under the same reference with another amount is not the same. */
export function chargesOnRecord({ ledger, app }: Desk, body: JsonObject & { referenceId: string }) {
  const asked = scalarText(body['amount']) ?? '';
  const isThis = ({ operation, reference_id, amount }: Entry): boolean =>
    operation === 'charge' && reference_id === body.referenceId && sameAmount(amount ?? '', asked);
  const unseen = async () => (await ledger.findOpen(app, { referenceId: body.referenceId })).find(isThis);
  const seen = async (read: PaymentRead) => {
    const ref = ledgerFacts(app, read);
    const unsettled = (await ledger.unsettled(ref)).find(isThis);
    if (unsettled) return unsettled;
    const blocked = await ledger.findBlocking(ref, 'charge', {});
    return blocked && 'intent' in blocked && isThis(blocked.intent) ? blocked.intent : undefined;
  };
  return {
    /** Whether it was sent before, and nobody has seen its payment. */
    isUnseen: () => withLedger(async () => (await unseen()) !== undefined),
    /** Whether the one that may have made this payment is open, or over; undefined where there is none. */
    standingOf: (read: PaymentRead) =>
      withLedger(async () => {
        const entry = (await unseen()) ?? (await seen(read));
        return entry && (isOpen(outcomeOf(entry)) ? ('open' as const) : ('over' as const));
      }),
  };
}

/** A create or charge whose payment nobody has seen. */
interface LostPayment {
  operation: 'create' | 'charge';
  referenceId: string;
  amount: string;
  currency: string | undefined;
  customerId: string | undefined;
  outcome: Outcome;
  error: PaydeskError;
}

/** A charge is on record before it leaves. Where that is not possible, nothing is sent. */
export const noteCharge = (desk: Desk, charge: LostPayment, why: WhyMade): Promise<void> =>
  withLedger(() => noteLost(desk, charge, why));

const noteLost = (
  { ledger, app }: Desk,
  { error, outcome, ...facts }: LostPayment,
  why: WhyMade,
): Promise<void> => {
  const { baseUrl, appId, kind, profile } = app;
  return ledger.note(
    { baseUrl, appId, kind, profile, paymentId: UNNAMED, ...facts, ...why },
    { outcome, why: firstLine(error.message), httpStatus: error.httpStatus },
    undefined,
  );
};

/** A create or charge that was refused, or that may have been carried out. */
export async function recordLost(desk: Desk, lost: LostPayment, why: WhyMade): Promise<void> {
  try {
    await noteLost(desk, lost, why);
  } catch (failure) {
    // The error that led here says what happened.
    desk.note(`The outcome could not be written to the ledger: ${(failure as Error).message}`);
  }
}

/** That the provider was asked, and where that left the payment. What is only queued has left it nowhere yet. */
export async function recordRecheck(
  desk: Pick<Desk, 'ledger' | 'app' | 'note'>,
  before: PaymentRead,
  { read: now, isQueued }: Rechecked,
  why: Pick<NewIntent, 'reason' | 'ticket'> = {},
): Promise<void> {
  const outcome: NewOutcome = isQueued
    ? { outcome: 'done', why: 'the service queued it' }
    : { outcome: 'done', after: stateOf(now) ?? undefined };
  await recordOrNote(desk, now, () =>
    desk.ledger.note(
      { ...ledgerFacts(desk.app, now), ...why, operation: 'recheck', before: stateOf(before) ?? undefined },
      outcome,
      stateOf(before) === stateOf(now) ? 'read' : 'changed',
    ),
  );
}

async function recordOrNote(
  desk: Pick<Desk, 'note'>,
  read: PaymentRead,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (failure) {
    if (!(failure instanceof StoreError)) {
      const what = `Payment ${labelOf(read)} is ${stateText(read)}`;
      throw notRecorded(what, failure, paydesk('payments', 'check', idOf(read)));
    }
    desk.note(`It was done, but could not be written to the ledger: ${failure.message}`);
  }
}
