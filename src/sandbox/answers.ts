// The spec leaves gaps. The first variant of each is the sandbox's choice; the others are as plausible, and
// `sandbox start --answers NAME=VARIANT` answers that way, so that a client can be tried against all of them.

import { problems, type ProblemCode } from '../contract/problem-codes.js';
import { states, type StateName } from '../contract/states.js';
import type { WebhookBody } from '../contract/webhook.js';
import { WEBHOOK_TYPE } from '../contract/webhook-type.js';
import type { EndpointName } from '../contract/endpoints.js';
import type { FieldError, Problem } from '../contract/problem.js';

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

const json = (status: number, body: unknown): ShapedAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const empty = (status: number): ShapedAnswer => ({ status, headers: {}, body: '' });

const otherStates: Readonly<Partial<Record<StateName, string>>> = {
  Authorised: 'Authorized',
  Held: 'OnHold',
};
const otherValues: Readonly<Record<string, string>> = {
  None: 'NotRequested',
  Registered: 'Active',
  Unknown: 'Pending',
  Verified: 'Passed',
  HostedPage: 'Checkout',
};

/** The body of a success in the shape that was chosen for its gap. */
export function shapeSuccess(
  choices: AnswerChoices,
  endpoint: EndpointName,
  status: number,
  body: Record<string, unknown> | unknown[] | undefined,
): ShapedAnswer {
  const shaped = Array.isArray(body) || body === undefined ? body : shapeFields(choices, endpoint, body);
  switch (endpoint) {
    case 'capturePayment':
    case 'cancelPayment':
    case 'refundPayment':
    case 'unholdPayment':
    case 'recheckPayment':
      return shapeOperation(choices, looseStatus(choices, endpoint, status), shaped);
    case 'createProviderHostedPayment':
      return json(status === 201 ? looseStatus(choices, endpoint, status) : status, shaped);
    case 'createCustomer':
    case 'updateCustomer':
      if (choices['customer-written'] === 'customer') return json(status, shaped);
      return empty(endpoint === 'createCustomer' ? status : 204);
    case 'listPaymentMethods':
      return shapeMethods(choices, body as Array<Record<string, unknown>>);
    case 'getPanelLink':
      return shapePanelLink(choices, body as { url: string });
    case 'removePaymentMethod':
    case 'stopAutoPayment':
      if (choices.deleted === 'no-content') return empty(204);
      return choices.deleted === 'body' ? json(200, { deleted: true }) : empty(200);
    default:
      return json(status, shaped);
  }
}

function shapeFields(choices: AnswerChoices, endpoint: EndpointName, body: Record<string, unknown>) {
  const shaped = { ...body };
  const state = shaped.paymentState as StateName | undefined;
  if (choices.states === 'other' && state !== undefined) shaped.paymentState = otherStates[state] ?? state;
  if (choices.values === 'other') {
    for (const key of ['autoPayment', 'fraudStatus', 'paymentFlow']) {
      const value = shaped[key];
      if (typeof value === 'string') shaped[key] = otherValues[value] ?? value;
    }
  }
  if (choices.urls === 'absent' && body.paymentFlow !== 'HostedPage' && endpoint !== 'createHostedPayment') {
    for (const key of ['redirectUrl', 'returnUrl', 'webhookUrl']) delete shaped[key];
  }
  return shaped;
}

function looseStatus(choices: AnswerChoices, endpoint: EndpointName, status: number): number {
  const isOpen = ['createProviderHostedPayment', 'unholdPayment', 'recheckPayment'].includes(endpoint);
  return isOpen && choices.statuses !== 'usual' ? Number(choices.statuses) : status;
}

function shapeOperation(choices: AnswerChoices, status: number, body: unknown): ShapedAnswer {
  switch (choices.operations) {
    case 'empty':
      return empty(status);
    case 'no-content':
      return empty(204);
    case 'result':
      return json(status, { result: 'ok' });
    case 'accepted':
      return json(202, body);
    default:
      return json(status, body);
  }
}

function shapeMethods(choices: AnswerChoices, methods: Array<Record<string, unknown>>): ShapedAnswer {
  if (choices['payment-methods'] === 'items') return json(200, { items: methods });
  if (choices['payment-methods'] === 'ids')
    return json(
      200,
      methods.map((method) => method.paymentMethodId),
    );
  return json(200, methods);
}

function shapePanelLink(choices: AnswerChoices, link: { url: string }): ShapedAnswer {
  const variant = choices['panel-link'];
  if (variant === 'string') return json(200, link.url);
  return json(200, variant === 'object' ? link : { [variant]: link.url });
}

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
  return { ...answer, headers: { ...failure.headers, ...answer.headers } };
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
      return json(status, { error: { code, message: detail } });
    case 'message':
      return json(status, { message: detail });
    case 'errors':
      return json(status, { errors: errors.length > 0 ? errors : [{ path: '', message: detail }] });
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
      return { ...json(status, problem), headers: { 'content-type': 'application/problem+json' } };
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
  const paymentState =
    choices.states === 'other' ? (otherStates[facts.paymentState] ?? facts.paymentState) : facts.paymentState;
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
