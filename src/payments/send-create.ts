// Creates and charges: sent with a reference that is looked for first, so that running it again makes nothing new.

import { paydesk } from '../next-command.js';
import type { Client } from '../client/client.js';
import type { Created } from '../client/created.js';
import { flowEndpoints, type PaymentRead } from '../client/payment-calls.js';
import type { EndpointName } from '../contract/endpoints.js';
import type { JsonObject } from '../contract/json.js';
import type { Requests } from '../contract/schemas.js';
import { PaydeskError, ServiceError, UnknownOutcomeError } from '../errors.js';
import { checkApp } from './app-check.js';
import { chargeOutcome } from './charge-outcome.js';
import {
  exceptFlow,
  customerOf,
  differencesFound,
  differencesMade,
  type OtherDetail,
  type RequestKind,
} from './differences.js';
import { hasId, labelOf, shownText, stateText } from './named-payments.js';
import { type PlannedRequest, requestOf } from './planned-request.js';

export interface CreatedPayment {
  /** Whether this run made it. */
  created: boolean;
  read: PaymentRead;
  /** This desk has sent the request, and its payment has other details than those that were asked for. */
  differs?: OtherDetail[];
}

/** What is to be known before anything is sent. */
interface BeforeSending {
  /** Throws when it is not to be sent. Not asked where the payment is there. */
  confirm: () => Promise<void>;
  /** Right before it is sent; says whether an earlier run has sent it. */
  record: () => Promise<{ wasSent: boolean }>;
  /** A clock that nobody can set, in milliseconds. */
  steady: () => number;
  /** Whether a charge of this desk that may have made this payment is open, or over; undefined where there is none. */
  standingOf: (read: PaymentRead) => Promise<'open' | 'over' | undefined>;
}

export interface CreateRequest {
  kind: RequestKind;
  body: JsonObject & { referenceId: string };
  /** The reference was made a moment ago, so nobody can have used it. */
  isNew: boolean;
  dryRun: boolean;
}

export const requestEndpoints = {
  ...flowEndpoints,
  charge: 'createAutoPayment',
} as const satisfies Record<RequestKind, EndpointName>;

export async function sendCreate(
  client: Client,
  request: CreateRequest,
  { confirm, record, standingOf, steady }: BeforeSending,
): Promise<CreatedPayment | { request: PlannedRequest }> {
  const { kind, body } = request;
  await checkApp(client, customerOf(body));
  // A reference that was made a moment ago needs no look.
  let lookTime = Infinity;
  const look = async () => {
    lookTime = steady();
    return findByReference(client, body.referenceId);
  };
  const seen = request.isNew ? undefined : await look();
  if (seen) return foundBefore(request, seen, standingOf);
  if (request.dryRun) {
    return { request: requestOf(requestEndpoints[kind], { appId: client.appId }, {}, body) };
  }
  await confirm();
  // While somebody confirmed it, or while this process stood still, another one may have sent it.
  const late = steady() - lookTime <= MAX_LOOK_AGE_MS ? undefined : await look();
  if (late) return foundBefore(request, late, standingOf);
  const { wasSent } = await record();
  const isInTime = () => steady() - lookTime <= MAX_DELAY_MS;
  return send(client, request, { wasSent, look, isInTime });
}

/** The reference is looked for again before it is used if the last look is older. */
const MAX_LOOK_AGE_MS = 1_000;
/** A process that stands still for longer between its look and the first byte sends nothing. */
const MAX_DELAY_MS = 15_000;

/** The payment of a reference that was used before must be the one that is asked for, or that this desk has sent. */
async function foundBefore(
  { kind, body }: CreateRequest,
  read: PaymentRead,
  standingOf: BeforeSending['standingOf'],
): Promise<CreatedPayment> {
  const found = { created: false, read };
  const details = differencesFound(kind, body, read);
  if (details.length === 0) return found;
  const standing = await standingOf(read);
  if (standing === 'open') {
    const differs = differencesMade(kind, body, read);
    return differs.length === 0 ? found : { ...found, differs };
  }
  refuseOther(body, read, standing === undefined ? details : exceptFlow(details));
  return found;
}

function refuseOther(
  { referenceId }: CreateRequest['body'],
  read: PaymentRead,
  details: readonly OtherDetail[],
): void {
  if (details.length === 0) return;
  throw new ServiceError(
    `The reference ${referenceId} is already used by payment ${labelOf(read)}, which has other details. ` +
      'Nothing new was created.',
    { code: 'reference-in-use', details, next: [paydesk('payments', 'get', `ref:${referenceId}`)] },
  );
}

/** The payment of a reference, if there is one. */
export async function findByReference(client: Client, referenceId: string): Promise<PaymentRead | undefined> {
  try {
    return await client.getPayment({ referenceId });
  } catch (error) {
    if (error instanceof ServiceError && error.httpStatus === 404) return undefined;
    throw error;
  }
}

/** Whether the service shows no payment with a reference. Where it cannot be read, that is not known. */
async function isFree(look: Sending['look']): Promise<boolean> {
  try {
    return (await look()) === undefined;
  } catch (error) {
    if (error instanceof PaydeskError) return false;
    throw error;
  }
}

/** An answer is evidence, not proof: what was refused or not answered may have been made all the same. */
async function findAfter(
  client: Client,
  referenceId: string,
  error: unknown,
): Promise<PaymentRead | undefined> {
  // A read of a payment in the wrong app would pass for a success.
  if (error instanceof PaydeskError && error.code === 'wrong-app') return undefined;
  const mayBeMade = error instanceof UnknownOutcomeError;
  if (!mayBeMade && !(error instanceof PaydeskError && error.httpStatus !== undefined)) return undefined;
  try {
    return await findByReference(client, referenceId);
  } catch (failure) {
    if (failure instanceof PaydeskError) return undefined;
    throw failure;
  }
}

/** The service has answered, so a read that fails or shows nothing now does not mean that nothing was changed. */
async function findMade(
  client: Client,
  referenceId: string,
  { answer, conflict, value }: Created<PaymentRead>,
): Promise<PaymentRead> {
  const { httpStatus } = answer;
  const shown = value && hasId(value) ? ` with payment ${labelOf(value)}, ${stateText(value)}` : '';
  const answered = `The service answered ${httpStatus}${conflict ? `: ${conflict.message}` : shown}`;
  const unknown = (why: string, cause?: PaydeskError) =>
    new UnknownOutcomeError(
      `${answered}, ${why} Running it again with --reference ${referenceId} is safe: the payment is created only once.`,
      {
        code: conflict?.code ?? 'outcome-unknown',
        httpStatus,
        ...(cause && { cause }),
        next: [paydesk('payments', 'get', `ref:${referenceId}`)],
      },
    );
  let read: PaymentRead | undefined;
  try {
    read = await findByReference(client, referenceId);
  } catch (error) {
    if (!(error instanceof PaydeskError)) throw error;
    throw unknown(`but the payment could not be read. ${error.message}`, error);
  }
  if (!read) throw unknown(`but shows no payment with reference ${referenceId} now.`);
  return read;
}

interface Sending {
  /** An earlier run has sent it, so a conflict may be with that one. */
  wasSent: boolean;
  /** Looks for its reference once more. */
  look: () => Promise<PaymentRead | undefined>;
  /** Asked right before the first byte. */
  isInTime: () => boolean;
}

async function send(
  client: Client,
  { kind, body }: CreateRequest,
  { wasSent, ...sending }: Sending,
): Promise<CreatedPayment> {
  const { referenceId } = body;
  const made = await call(client, kind, body, sending).catch(async (error: unknown) => {
    const read = await findAfter(client, referenceId, error);
    if (read) return read;
    throw error;
  });
  if (!('attempts' in made)) {
    return compared(kind, body, { created: true, read: withId(made, referenceId) });
  }
  const { value } = made;
  const found = value && isProof(kind, body, value) ? value : await findMade(client, referenceId, made);
  const read = withId(found, referenceId);
  const isConflict = made.conflict !== undefined && !made.earlierMayHaveArrived && !wasSent;
  if (isConflict) refuseOther(body, read, inConflict(kind, body, read));
  return compared(kind, body, { created: isOurs(made, kind), read });
}

/** A charge whose reference was free a moment ago is this one, whatever the service calls its flow. */
function inConflict(kind: RequestKind, body: CreateRequest['body'], read: PaymentRead): OtherDetail[] {
  const details = differencesFound(kind, body, read);
  return kind === 'charge' ? exceptFlow(details) : details;
}

/** A payment was made, and without an id nothing can be done with it. */
function withId(read: PaymentRead, referenceId: string): PaymentRead {
  if (hasId(read)) return read;
  const { httpStatus } = read.answer;
  throw new UnknownOutcomeError(
    `The service shows payment ${referenceId} as ${shownText(read)}, without a paymentId. It may have been carried out.`,
    { code: 'odd-answer', httpStatus, next: [paydesk('payments', 'get', `ref:${referenceId}`)] },
  );
}

/** The reference was free a moment ago, so a payment with other details may well be what this request has made. */
function compared(kind: RequestKind, body: CreateRequest['body'], made: CreatedPayment): CreatedPayment {
  const differs = differencesMade(kind, body, made.read);
  return differs.length === 0 ? made : { created: true, read: made.read, differs };
}

/**
 * Whether the answer shows which payment was made. One that does not name the reference may show another payment, and a
 * charge that it shows as failed is read: after a failure, people charge again.
 */
function isProof(kind: RequestKind, body: CreateRequest['body'], shown: PaymentRead): boolean {
  if (shown.fields.referenceId === undefined || !hasId(shown)) return false;
  return kind !== 'charge' || chargeOutcome(shown, body['autoCapture'] === true) !== 'failed';
}

/** The reference was not in use when it was looked for, so an answer that does not tell means that we made it. */
function isOurs(
  { created, conflict, earlierMayHaveArrived }: Created<PaymentRead>,
  kind: RequestKind,
): boolean {
  if (conflict) return earlierMayHaveArrived;
  // Which status a new one is answered with is not specified for every flow.
  return created !== false || kind === 'provider-hosted-page';
}

async function call(
  client: Client,
  kind: RequestKind,
  body: CreateRequest['body'],
  { look, isInTime }: Omit<Sending, 'wasSent'>,
): Promise<Created<PaymentRead>> {
  try {
    if (kind === 'charge') {
      return await client.charge(body as unknown as Requests['createAutoPayment']['body'], {
        mayRepeat: () => isFree(look),
        fence: { beforeAttempt: async () => {}, beforeFirstByte: isInTime },
      });
    }
    return await client.createPayment(kind, body as unknown as Requests['createHostedPayment']['body']);
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) throw error;
    throw error.with({ next: [paydesk('payments', 'get', `ref:${body.referenceId}`), ...error.next] });
  }
}
