// Creates a payment or finds the one that its reference created before, and records which of the two it was.

import { paydesk } from '../next-command.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { type JsonObject, scalarText } from '../contract/json.js';
import { PaydeskError, ProfileError, ServiceError, UnknownOutcomeError } from '../errors.js';
import { NO_ANSWER_YET } from '../ledger/moves/entries.js';
import type { Outcome } from '../ledger/moves/operations.js';
import type { OrderDetails } from '../ledger/known/seen-payment.js';
import { safeText } from '../output/text.js';
import { textAt, valueAt } from '../output/values.js';
import { chargeOutcome, wasRefunded } from './charge-outcome.js';
import { type CreatedPayment, sendCreate, type CreateRequest } from './send-create.js';
import type { Desk } from './desk.js';
import { customerOf, type OtherDetail, type RequestKind } from './differences.js';
import { idOf, labelOf, stateText } from './named-payments.js';
import {
  chargesOnRecord,
  noteCharge,
  recordCreated,
  recordFound,
  recordLost,
  type WhyMade,
} from './record-created.js';
import type { PlannedRequest } from './planned-request.js';

interface CreateOptions {
  why: WhyMade;
  /** Throws when it is not to be sent. */
  confirm: () => Promise<void>;
}

type CreateResult = CreatedPayment | { request: PlannedRequest };

/** Throws where the payment has other details than those that were asked for. */
export async function createPayment(
  desk: Desk,
  request: CreateRequest,
  options: CreateOptions,
): Promise<CreateResult> {
  const made = await createOrCompare(desk, request, options);
  if ('error' in made) throw made.error;
  return made;
}

/** The same, with the payment beside the error that says how it differs. */
export async function createOrCompare(
  desk: Desk,
  request: CreateRequest,
  { why, confirm }: CreateOptions,
): Promise<CreateResult | { read: PaymentRead; error: UnknownOutcomeError }> {
  const { kind, body } = request;
  let isSent = false;
  // A process that is killed leaves a trace of its charge.
  const isNotedBefore = kind === 'charge';
  const onRecord = chargesOnRecord(desk, body);
  const record = async () => {
    const wasSent = isNotedBefore && (await onRecord.isUnseen());
    if (isNotedBefore) await noteCharge(desk, lostEntry(kind, body, notAnswered()), why);
    isSent = true;
    return { wasSent };
  };
  const before = {
    confirm,
    record,
    steady: desk.steady,
    standingOf: async (read: PaymentRead) => (kind === 'charge' ? onRecord.standingOf(read) : undefined),
  };
  const made = await sendCreate(desk.client, request, before).catch(async (error: unknown) => {
    if (isSent && error instanceof PaydeskError && (isNotedBefore || mayHaveArrived(error))) {
      await recordLost(desk, lostEntry(kind, body, error), why);
    }
    throw error;
  });
  if ('request' in made) return made;
  const error = made.differs && madeDifferently(made, made.differs);
  const entry = {
    ...ledgerEntry(kind, body, made.read),
    ...(error && { outcome: 'unknown' as const, error }),
  };
  if (made.created) await recordCreated(desk, entry, why);
  else await recordFound(desk, entry);
  return error ? { read: made.read, error } : made;
}

const notAnswered = () => new UnknownOutcomeError(NO_ANSWER_YET, { code: 'answer-lost' });

function madeDifferently(
  { created, read }: CreatedPayment,
  differs: readonly OtherDetail[],
): UnknownOutcomeError {
  const payment = `Payment ${labelOf(read)}, ${stateText(read)},`;
  const details = differs.map(
    ({ field, asked, found }) => `${field} ${safeText(found)} instead of ${safeText(asked)}`,
  );
  const than = `other details than those asked for: ${details.join(', ')}.`;
  return new UnknownOutcomeError(
    created
      ? `${payment} was made with ${than} Check it before you send anything else.`
      : `${payment} has this reference and ${than} This desk may have made it: check it, and do not charge again.`,
    {
      code: 'made-differently',
      details: [...differs],
      next: [paydesk('payments', 'explain', idOf(read))],
    },
  );
}

/** The service answered, or nobody knows whether it was reached. */
function mayHaveArrived(error: PaydeskError): boolean {
  return error instanceof UnknownOutcomeError || error.httpStatus !== undefined;
}

function outcomeOf(error: PaydeskError): Outcome {
  if (error instanceof UnknownOutcomeError) return 'unknown';
  return error instanceof ServiceError || error instanceof ProfileError ? 'refused' : 'unsent';
}

function lostEntry(kind: RequestKind, body: CreateRequest['body'], error: PaydeskError) {
  return {
    outcome: outcomeOf(error),
    operation: kind === 'charge' ? ('charge' as const) : ('create' as const),
    referenceId: body.referenceId,
    amount: scalarText(body['amount']) ?? '',
    customerId: customerOf(body),
    // A charge has none: it is that of the stored method.
    currency: scalarText(body['currency']) || undefined,
    error,
  };
}

/** A create is done when the payment exists; the result of a charge is in its state. */
function ledgerEntry(kind: RequestKind, body: JsonObject, read: PaymentRead) {
  const order = sentOrder(body);
  if (kind !== 'charge') return { read, operation: 'create', outcome: 'done', order } as const;
  const outcome = wasRefunded(read) ? 'done' : chargeOutcome(read, body['autoCapture'] === true);
  return { read, operation: 'charge', outcome, order } as const;
}

function sentOrder(body: JsonObject): OrderDetails {
  const order = valueAt(body, 'customerOrder');
  const names = ['firstName', 'lastName'].map((name) => textAt(order, 'customer', name)).filter(Boolean);
  return {
    orderId: textAt(order, 'orderId') || undefined,
    name: names.join(' ') || undefined,
    email: textAt(order, 'customer', 'email') || undefined,
    note: textAt(order, 'description') || undefined,
  };
}
