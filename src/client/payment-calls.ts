import { paydeskWith } from '../next-command.js';
import type { Flow } from '../contract/checkout-flows.js';
import type { EndpointName } from '../contract/endpoints.js';
import { duplicateKey, idText } from '../contract/json.js';
import type { Payment } from '../contract/payment.js';
import { GENERATION_HEADER } from '../contract/sandbox-headers.js';
import type { Requests } from '../contract/schemas.js';
import { canonicalState, type StateAliases, type StateName } from '../contract/states.js';
import { PaydeskError, UnknownOutcomeError } from '../errors.js';
import { decodePayment, isOtherPayment, type Decoded, type PaymentKeyParts } from './answers.js';
import type { Answer } from './exchange.js';
import { createdBy, type Created } from './created.js';
import type { CallOptions, EndpointCalls, Written } from './endpoint-calls.js';
import { oddAnswer } from './odd-answer.js';
import { isOnlyQueued } from './queued-answer.js';
import { checkIdentity, type AppIdentity } from './identity.js';
import type { SettleOperation } from '../contract/states.js';
import { classifySettleAnswer, oddityIn, type SettleAnswer } from './settle-answer.js';

export type PaymentKey = { paymentId: string } | { referenceId: string };

export interface PaymentRead extends Decoded<Payment> {
  /** Our name for the state; undefined when the service names one that we do not know. */
  state: StateName | undefined;
  /** Which life of a sandbox showed it, where a sandbox did. */
  generation?: string | undefined;
  answer: Answer;
}

/** A payment after a recheck. */
export interface Rechecked {
  read: PaymentRead;
  /** The service says no more than that it will ask the provider. */
  isQueued: boolean;
}

export type SettleResult = SettleAnswer & { attempts: number; retryAfterMs?: number };

/** The endpoints by the flow that a person chooses. */
export const flowEndpoints = {
  'hosted-page': 'createHostedPayment',
  plain: 'createPayment',
  'provider-hosted-page': 'createProviderHostedPayment',
} as const satisfies Record<Flow, EndpointName>;

type FlowEndpoint<Chosen extends Flow> = (typeof flowEndpoints)[Chosen];
type CreateEndpoint = FlowEndpoint<Flow> | 'createAutoPayment';

export const operationEndpoints = {
  capture: 'capturePayment',
  cancel: 'cancelPayment',
  refund: 'refundPayment',
  unhold: 'unholdPayment',
} as const satisfies Record<SettleOperation, EndpointName>;

export function createPaymentCalls(
  calls: EndpointCalls,
  identity: AppIdentity & { isSandbox?: boolean },
  aliases: StateAliases,
) {
  const paymentIn = (answer: Answer, asked: PaymentKeyParts) =>
    decodedPayment(answer, asked, identity, aliases);

  async function getPayment(key: PaymentKey, options: CallOptions = {}): Promise<PaymentRead> {
    const name = 'paymentId' in key ? key.paymentId : key.referenceId;
    // What is not found may be mistyped: the payments that this desk knows can be searched.
    const given = { ...options, lookFor: paydeskWith(['payments', 'find'], name) };
    const { answer } =
      'paymentId' in key
        ? await calls.succeed('getPayment', `payment ${name}`, { ...given, parameters: key })
        : await calls.succeed('getPaymentByReference', `payment with reference ${name}`, {
            ...given,
            parameters: key,
          });
    return shownPayment(answer, paymentIn(answer, key));
  }

  async function create(
    name: CreateEndpoint,
    body: Requests[CreateEndpoint]['body'],
    options: CallOptions = {},
  ): Promise<Created<PaymentRead>> {
    const result = await calls.send(name, { ...options, body });
    const { referenceId } = body;
    const safeAgain = `Running it again with --reference ${referenceId} is safe: the payment is created only once.`;
    const context = { ...calls.contextOf(name, 'such path'), safeAgain };
    return createdBy(result, name, context, (answer) => madePayment(answer, referenceId, identity, aliases));
  }

  async function recheck(paymentId: string): Promise<Written<PaymentRead>> {
    const call = { parameters: { paymentId } };
    const { answer, result } = await calls.succeed('recheckPayment', `payment ${paymentId}`, call);
    const odd = oddityIn(answer, { paymentId, appId: identity.appId });
    if (odd !== undefined) throw oddAnswer(odd, answer);
    return { value: paymentIn(answer, { paymentId }), answer, attempts: result.attempts };
  }

  return {
    getPayment,
    /** The payment that an answer shows, whatever was asked; undefined where it shows none. */
    paymentShownIn: (answer: Answer) => paymentIn(answer, {}),

    createPayment: <Chosen extends Flow>(flow: Chosen, body: Requests[FlowEndpoint<Chosen>]['body']) =>
      create(flowEndpoints[flow], body),

    /** Charges a stored method. A success says nothing about the charge: the state does. */
    charge: (body: Requests['createAutoPayment']['body'], options?: CallOptions) =>
      create('createAutoPayment', body, options),

    /** Sent once; only a request that provably never left is tried again. What came back is never thrown. */
    async operate(
      operation: SettleOperation,
      paymentId: string,
      given: CallOptions & { description?: string; referenceId?: string | undefined } = {},
    ): Promise<SettleResult> {
      const { last, attempts, retryAfterMs } = await calls.send(operationEndpoints[operation], {
        ...given,
        parameters: { paymentId },
        ...(operation === 'refund' ? { query: { description: given.description } } : {}),
      });
      const asked = { paymentId, referenceId: given.referenceId, appId: identity.appId };
      const outcome = classifySettleAnswer(last, asked);
      return { ...outcome, attempts, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    },

    recheck,

    /** The payment as a recheck answered with it, or else read back. */
    async recheckedPayment(paymentId: string): Promise<Rechecked> {
      const { value, answer } = await recheck(paymentId);
      return { read: value ?? (await getPayment({ paymentId })), isQueued: isOnlyQueued(answer) };
    },
  };
}

/** The payment that a read is about; throws where the answer shows none, or none that can be relied on. */
function shownPayment(answer: Answer, read: PaymentRead | undefined): PaymentRead {
  if (!read) throw oddAnswer('data that is not a payment', answer);
  // Which of the two is meant nobody knows, and one of them may be the state.
  const isTwice = duplicateKey(answer.text, answer.raw) !== undefined;
  if (isTwice) throw oddAnswer('a body that has a field twice', answer);
  return read;
}

/** The payment that a create answered with; what an odd answer shows is not to be trusted, and is read back instead. */
function madePayment(
  answer: Answer,
  referenceId: string,
  identity: AppIdentity & { isSandbox?: boolean },
  aliases: StateAliases,
): PaymentRead | undefined {
  const isOdd = oddityIn(answer, { referenceId, appId: identity.appId }) !== undefined;
  if (isOdd) return undefined;
  try {
    return decodedPayment(answer, { referenceId }, identity, aliases);
  } catch (error) {
    if (!(error instanceof PaydeskError)) throw error;
    throw madeAnyway(answer, aliases, error);
  }
}

/** The service answered with a success, so whatever is wrong with the answer, the payment may have been made. */
function madeAnyway(answer: Answer, aliases: StateAliases, error: PaydeskError): UnknownOutcomeError {
  const { httpStatus } = answer;
  const { paymentId, paymentState } = decodePayment(answer.raw)?.fields ?? {};
  const state = canonicalState(paymentState, aliases) ?? 'in an unknown state';
  const shown = paymentId === undefined ? 'a payment' : `payment ${idText(paymentId)}`;
  return new UnknownOutcomeError(
    `${error.message} It answered ${httpStatus} with ${shown}, ${state}: it may have been carried out.`,
    { code: error.code, httpStatus, details: error.details, next: error.next, cause: error },
  );
}

/** The payment in an answer, if it shows one; it must be the one asked for, and of our app. */
function decodedPayment(
  answer: Answer,
  asked: PaymentKeyParts,
  identity: AppIdentity & { isSandbox?: boolean },
  aliases: StateAliases,
): PaymentRead | undefined {
  const found = decodePayment(answer.raw);
  if (!found) return undefined;
  checkIdentity(found.object, identity);
  if (isOtherPayment(found.fields, asked)) throw oddAnswer('a different payment than requested', answer);
  // Only a sandbox may say that its ids mean other payments now.
  const generation = identity.isSandbox ? answer.headers[GENERATION_HEADER] : undefined;
  const state = canonicalState(found.fields.paymentState, aliases);
  return { ...found, state, answer, ...(generation === undefined ? {} : { generation }) };
}
