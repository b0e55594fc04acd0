// Creates and charges: sent with a reference that is looked for first, so that running it again makes nothing new.

import { paydesk } from '../next-command.js';
import type { Client } from '../client/client.js';
import type { Created } from '../client/created.js';
import { flowEndpoints, type PaymentRead } from '../client/payment-calls.js';
import type { JsonObject } from '../contract/json.js';
import type { Requests } from '../contract/schemas.js';
import { PaydeskError, ServiceError, TemporaryError, UnknownOutcomeError } from '../errors.js';
import { checkApp } from './app-check.js';
import { customerOf, differences, type RequestKind } from './differences.js';
import { labelOf } from './named-payments.js';
import { type PlannedRequest, requestOf } from './planned-request.js';

export interface CreatedPayment {
  /** Whether this run made it. */
  created: boolean;
  read: PaymentRead;
}

export interface CreateRequest {
  kind: RequestKind;
  body: JsonObject & { referenceId: string };
  /** The reference was made a moment ago, so nobody can have used it. */
  isNew: boolean;
  dryRun: boolean;
}

/** `confirm` throws when it is not to be sent; it is not asked about a payment that is there already. */
export async function createPayment(
  client: Client,
  request: CreateRequest,
  confirm: () => Promise<void>,
): Promise<CreatedPayment | { request: PlannedRequest }> {
  const { kind, body } = request;
  await checkApp(client, customerOf(body));
  const seen = request.isNew ? undefined : await findByReference(client, body.referenceId);
  if (seen) return compared(kind, body, { created: false, read: seen });
  if (request.dryRun) {
    const endpoint = kind === 'charge' ? 'createAutoPayment' : flowEndpoints[kind];
    return { request: requestOf(endpoint, { appId: client.appId }, {}, body) };
  }
  await confirm();
  return compared(kind, body, await send(client, kind, body));
}

function compared(kind: RequestKind, body: CreateRequest['body'], result: CreatedPayment): CreatedPayment {
  const details = differences(kind, body, result.read);
  if (details.length === 0) return result;
  const { referenceId } = body;
  throw new ServiceError(
    `The reference ${referenceId} is already used by payment ${labelOf(result.read)}, which has other details. ` +
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

/** An answer is evidence, not proof: what was refused or not answered may have been made all the same. */
async function findAfter(
  client: Client,
  referenceId: string,
  error: unknown,
): Promise<PaymentRead | undefined> {
  const mayBeMade = error instanceof UnknownOutcomeError;
  if (!mayBeMade && !(error instanceof PaydeskError && error.httpStatus !== undefined)) return undefined;
  try {
    return await findByReference(client, referenceId);
  } catch (failure) {
    if (failure instanceof PaydeskError) return undefined;
    throw failure;
  }
}

/** The service has taken it, so a read that fails now does not mean that nothing was changed. */
async function findMade(client: Client, referenceId: string): Promise<PaymentRead | undefined> {
  try {
    return await findByReference(client, referenceId);
  } catch (error) {
    if (!(error instanceof TemporaryError)) throw error;
    throw new UnknownOutcomeError(
      `The service accepted the request, but the payment could not be read. ${error.message} ` +
        `Running it again with --reference ${referenceId} is safe: the payment is created only once.`,
      { code: 'outcome-unknown', cause: error, next: [paydesk('payments', 'get', `ref:${referenceId}`)] },
    );
  }
}

async function send(client: Client, kind: RequestKind, body: CreateRequest['body']): Promise<CreatedPayment> {
  const { referenceId } = body;
  const made = await call(client, kind, body).catch(async (error: unknown) => {
    const read = await findAfter(client, referenceId, error);
    if (read) return read;
    throw error;
  });
  if (!('attempts' in made)) return { created: true, read: made };
  const { conflict } = made;
  if (made.value) return { created: isOurs(made, kind), read: made.value };
  const read = await findMade(client, referenceId);
  if (read) return { created: isOurs(made, kind), read };
  throw new ServiceError(
    `The service answered ${made.answer.httpStatus}${conflict ? `: ${conflict.message}` : ''}, ` +
      `but there is no payment with reference ${referenceId}.`,
    { code: conflict?.code ?? 'odd-answer', httpStatus: made.answer.httpStatus, next: [paydesk('doctor')] },
  );
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
): Promise<Created<PaymentRead>> {
  try {
    if (kind === 'charge')
      return await client.charge(body as unknown as Requests['createAutoPayment']['body']);
    return await client.createPayment(kind, body as unknown as Requests['createHostedPayment']['body']);
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) throw error;
    const { code, details, httpStatus } = error;
    const next = [paydesk('payments', 'get', `ref:${body.referenceId}`)];
    throw new UnknownOutcomeError(error.message, { code, details, httpStatus, cause: error, next });
  }
}
