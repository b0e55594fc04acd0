// The spec leaves gaps. The first variant of each is the sandbox's choice; the others are as plausible, and
// `sandbox start --answers NAME=VARIANT` answers that way, so that a client can be tried against all of them.

import { problems, type ProblemCode } from '../contract/problem-codes.js';
import { states, type StateName } from '../contract/states.js';
import type { WebhookBody } from '../contract/webhook.js';
import { WEBHOOK_TYPE } from '../contract/webhook-type.js';
import type { EndpointName } from '../contract/endpoints.js';
import type { Payment } from '../contract/payment.js';
import type { FieldError, Problem } from '../contract/problem.js';
import type { Answers } from '../contract/schemas.js';

export const answerVariants = {
  'repeated-reference': ['existing', 'conflict', 'created'],
  operations: ['payment', 'empty', 'no-content', 'result', 'accepted'],
  'customer-list': ['cursor', 'array', 'pages', 'customers'],
  'customer-written': ['customer', 'empty'],
  'payment-methods': ['array', 'items', 'ids'],
  'panel-link': ['object', 'string', 'panelLink', 'link'],
  deleted: ['no-content', 'body', 'empty'],
  errors: ['problem', 'error', 'message', 'errors', 'text', 'html', 'empty'],
  auth: ['distinct', 'unauthorized', 'not-found'],
  statuses: ['usual', '200', '202'],
  urls: ['present', 'absent'],
  phone: ['mobileNumber', 'phoneNumber'],
  values: ['usual', 'other'],
  states: ['usual', 'other'],
  'retry-after': ['present', 'absent'],
  'webhook-body': ['full', 'payment-id', 'reference-id', 'nested', 'form', 'query'],
} as const satisfies Record<string, readonly [string, ...string[]]>;

export type AnswerName = keyof typeof answerVariants;
export type AnswerChoices = { [Name in AnswerName]: (typeof answerVariants)[Name][number] };

export const defaultAnswers = Object.fromEntries(
  Object.entries(answerVariants).map(([name, variants]) => [name, variants[0]]),
) as AnswerChoices;

export interface ShapedAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** JSON as it is, for what has its shape already. */
export const jsonAnswer = (status: number, body: unknown): ShapedAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const empty = (status: number): ShapedAnswer => ({ status, headers: {}, body: '' });

const otherStates: ReadonlyMap<string, string> = new Map<StateName, string>([
  ['Authorised', 'Authorized'],
  ['Held', 'OnHold'],
]);
const otherValues: ReadonlyMap<string, string> = new Map([
  ['None', 'NotRequested'],
  ['Registered', 'Active'],
  ['Unknown', 'Pending'],
  ['Verified', 'Passed'],
  ['HostedPage', 'Checkout'],
]);

/** The answer to a success in the shape that was chosen for its gap. */
export function shapeSuccess<Name extends EndpointName>(
  choices: AnswerChoices,
  endpoint: Name,
  status: number,
  body: Answers[Name],
): ShapedAnswer {
  return shapes[endpoint](choices, status, body);
}

type Shape<Body> = (choices: AnswerChoices, status: number, body: Body) => ShapedAnswer;

const asDescribed: Shape<unknown> = (_, status, body) => jsonAnswer(status, body);

const paymentShape: Shape<Payment> = (choices, status, payment) =>
  jsonAnswer(status, shapePayment(choices, payment));

const operationShape: Shape<Payment> = (choices, status, payment) => {
  switch (choices.operations) {
    case 'empty':
      return empty(status);
    case 'no-content':
      return empty(204);
    case 'result':
      return jsonAnswer(status, { result: 'ok' });
    case 'accepted':
      return paymentShape(choices, 202, payment);
    default:
      return paymentShape(choices, status, payment);
  }
};

const looseOperationShape: Shape<Payment> = (choices, status, payment) =>
  operationShape(choices, looseStatus(choices, status), payment);

const deletedShape: Shape<undefined> = ({ deleted }) => {
  if (deleted === 'no-content') return empty(204);
  return deleted === 'body' ? jsonAnswer(200, { deleted: true }) : empty(200);
};

const shapes: { readonly [Name in EndpointName]: Shape<Answers[Name]> } = {
  createHostedPayment: (choices, status, payment) => jsonAnswer(status, shapeValues(choices, payment)),
  createPayment: paymentShape,
  createProviderHostedPayment: (choices, status, payment) =>
    paymentShape(choices, status === 201 ? looseStatus(choices, status) : status, payment),
  createAutoPayment: paymentShape,
  capturePayment: operationShape,
  cancelPayment: operationShape,
  refundPayment: operationShape,
  unholdPayment: looseOperationShape,
  recheckPayment: looseOperationShape,
  getPaymentByReference: paymentShape,
  getPayment: paymentShape,
  createCustomer: (choices, status, customer) =>
    choices['customer-written'] === 'customer' ? jsonAnswer(status, customer) : empty(status),
  updateCustomer: (choices, status, customer) =>
    choices['customer-written'] === 'customer' ? jsonAnswer(status, customer) : empty(204),
  getCustomer: asDescribed,
  listCustomers: asDescribed,
  listPaymentMethods(choices, _, methods) {
    if (choices['payment-methods'] === 'items') return jsonAnswer(200, { items: methods });
    if (choices['payment-methods'] === 'array') return jsonAnswer(200, methods);
    return jsonAnswer(
      200,
      methods.map(({ paymentMethodId }) => paymentMethodId),
    );
  },
  removePaymentMethod: deletedShape,
  stopAutoPayment: deletedShape,
  getPanelLink(choices, _, link) {
    const variant = choices['panel-link'];
    if (variant === 'string') return jsonAnswer(200, link.url);
    return jsonAnswer(200, variant === 'object' ? link : { [variant]: link.url });
  },
};

/** Only a hosted checkout always has its addresses: nobody could pay without them. */
function shapePayment(choices: AnswerChoices, payment: Payment): Payment {
  const shaped = shapeValues(choices, payment);
  if (choices.urls === 'present' || payment.paymentFlow === 'HostedPage') return shaped;
  return { ...shaped, redirectUrl: undefined, returnUrl: undefined, webhookUrl: undefined };
}

function shapeValues(choices: AnswerChoices, payment: Payment): Payment {
  if (choices.states === 'usual' && choices.values === 'usual') return payment;
  const shaped = { ...payment };
  if (shaped.paymentState !== undefined) shaped.paymentState = stateText(choices, shaped.paymentState);
  if (choices.values === 'usual') return shaped;
  for (const key of ['autoPayment', 'fraudStatus', 'paymentFlow'] as const) {
    const value = shaped[key];
    if (value !== undefined) shaped[key] = otherValues.get(value) ?? value;
  }
  return shaped;
}

const stateText = ({ states }: AnswerChoices, state: string): string =>
  states === 'other' ? (otherStates.get(state) ?? state) : state;

/** For the endpoints whose status the spec leaves open. */
const looseStatus = ({ statuses }: AnswerChoices, status: number): number =>
  statuses === 'usual' ? status : Number(statuses);

interface FailureFacts {
  code: ProblemCode;
  /** Another one than the code's own: a fault says which. */
  status?: number;
  detail: string;
  errors: FieldError[];
  headers: Record<string, string>;
  requestId: string;
}

export function shapeFailure(choices: AnswerChoices, failure: FailureFacts): ShapedAnswer {
  const { status, title } = problems[failure.code];
  const answer = shapeFailureBody(choices, failure, failure.status ?? status, title);
  const scheme = answer.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  return { ...answer, headers: { ...scheme, ...failure.headers, ...answer.headers } };
}

function shapeFailureBody(
  choices: AnswerChoices,
  failure: FailureFacts,
  status: number,
  title: string,
): ShapedAnswer {
  const { code, detail, errors } = failure;
  switch (choices.errors) {
    case 'error':
      return jsonAnswer(status, { error: { code, message: detail } });
    case 'message':
      return jsonAnswer(status, { message: detail });
    case 'errors':
      return jsonAnswer(status, { errors: errors.length > 0 ? errors : [{ path: '', message: detail }] });
    case 'text':
      return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: detail };
    case 'html':
      return {
        status,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: `<!doctype html><html><head><title>${status} ${title}</title></head><body><h1>${title}</h1></body></html>`,
      };
    case 'empty':
      return empty(status);
    default: {
      const problem: Problem = {
        type: `urn:paydesk:problem:${code}`,
        title,
        status,
        detail,
        code,
        ...(errors.length > 0 && { errors }),
        requestId: failure.requestId,
      };
      return { ...jsonAnswer(status, problem), headers: { 'content-type': 'application/problem+json' } };
    }
  }
}

interface WebhookFacts {
  eventId: string;
  appId: string;
  paymentId: number;
  referenceId: string;
  paymentState: StateName;
  time: number;
}

interface WebhookMessage {
  headers: Record<string, string>;
  body: string;
  query: Record<string, string>;
}

export function webhookMessage(choices: AnswerChoices, facts: WebhookFacts): WebhookMessage {
  const paymentState = stateText(choices, facts.paymentState);
  const { eventId, appId, paymentId, referenceId } = facts;
  const full: WebhookBody = {
    eventId,
    type: WEBHOOK_TYPE,
    appId,
    paymentId,
    referenceId,
    paymentState,
    paymentStateId: states[facts.paymentState].id,
    occurredTime: new Date(facts.time).toISOString(),
  };
  const asJson = (body: unknown): WebhookMessage => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    query: {},
  });
  const flat = Object.fromEntries(Object.entries(full).map(([key, value]) => [key, String(value)]));
  switch (choices['webhook-body']) {
    case 'payment-id':
      return asJson({ paymentId });
    case 'reference-id':
      return asJson({ referenceId });
    case 'nested':
      return asJson({ id: eventId, type: WEBHOOK_TYPE, data: { payment: full } });
    case 'form':
      return {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(flat).toString(),
        query: {},
      };
    case 'query':
      return { headers: {}, body: '', query: { paymentId: String(paymentId), referenceId } };
    default:
      return asJson(full);
  }
}
