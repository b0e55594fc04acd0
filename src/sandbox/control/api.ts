// The control API, once: the handlers of the sandbox, the commands that control it and its OpenAPI document are
// derived from this table.

import * as z from 'zod/mini';
import { described } from '../../contract/described.js';
import type { NamesIn } from '../../contract/endpoints.js';
import type { JsonNumber, JsonValue } from '../../contract/json.js';
import { payment } from '../../contract/payment.js';
import type { StreamedFile } from '../settlement/file-format.js';
import { settlementQuery, settlementReport } from '../settlement/request-and-report.js';
import { app, books, cleared, clock, delivery, fault, seededPayment, status, story } from './answers.js';
import { appBody, appPatch, clockBody, faultBody, payBody, providerBody } from './requests.js';

export const CONTROL_PATH = '/_sandbox';

/** What a route takes and answers. */
interface ControlOperation {
  operationId: string;
  summary: string;
  query?: z.ZodMiniType;
  body?: z.ZodMiniType;
  answer: z.ZodMiniType;
  /** Of a success; 200 unless it is given. */
  status?: 201;
  /** Of a success; JSON unless it is given. */
  mediaTypes?: readonly string[];
}

/** Which app is meant, where a reference alone could be that of several. */
const ofApp = z.object({ appId: z.optional(z.string()) });

/** A whole database: passed on as the text that it is. */
export const exportDocument = described(z.custom<string>(), {
  id: 'Export',
  type: 'object',
  description: 'The contents of a sandbox, as exported.',
});

const settlementFile = described(z.custom<StreamedFile>(), {
  type: 'string',
  description: 'One line or entry for everything that moved money.',
});

const done = <Name extends string>(name: Name) =>
  z.object({ [name]: z.literal(true) } as Record<Name, z.ZodMiniLiteral<true>>);

/** By method and path below `/_sandbox`. */
const controlApi = {
  'GET /status': {
    operationId: 'getStatus',
    summary: 'Show the sandbox and what it contains',
    answer: status,
  },
  'POST /stop': { operationId: 'stop', summary: 'Stop the sandbox', answer: done('stopping') },

  'POST /payments/{key}/pay': {
    operationId: 'pay',
    summary: 'Act as the customer',
    query: ofApp,
    body: payBody,
    answer: payment,
  },
  'POST /payments/{key}/provider': {
    operationId: 'answerAsProvider',
    summary: 'Act as the provider',
    query: ofApp,
    body: providerBody,
    answer: payment,
  },
  'GET /payments/{key}/books': {
    operationId: 'getBooks',
    summary: "Read the provider's record of a payment",
    query: ofApp,
    answer: books,
  },
  'GET /payments/{key}/story': {
    operationId: 'getStory',
    summary: 'Read everything that happened to a payment',
    query: ofApp,
    answer: story,
  },
  'GET /settlement': {
    operationId: 'getSettlement',
    summary: "Write a provider's settlement file from its books",
    query: settlementQuery,
    answer: settlementFile,
    mediaTypes: ['text/csv', 'application/xml'],
  },
  'GET /settlement/defects': {
    operationId: 'getSettlementDefects',
    summary: 'List the defects planted in a settlement file',
    query: settlementQuery,
    answer: settlementReport,
  },
  'POST /webhooks/{id}/resend': {
    operationId: 'resendWebhook',
    summary: 'Send a webhook again, delivered or not',
    answer: delivery,
  },

  'GET /clock': { operationId: 'getClock', summary: 'Read the clock', answer: clock },
  'POST /clock': {
    operationId: 'changeClock',
    summary: 'Stop, set, advance or resume the clock',
    body: clockBody,
    answer: clock,
  },

  'GET /faults': { operationId: 'listFaults', summary: 'List the faults', answer: z.array(fault) },
  'POST /faults': {
    operationId: 'addFault',
    summary: 'Add a fault',
    body: faultBody,
    answer: fault,
    status: 201,
  },
  'DELETE /faults': { operationId: 'clearFaults', summary: 'Remove all faults', answer: cleared },
  'DELETE /faults/{id}': { operationId: 'clearFault', summary: 'Remove a fault', answer: cleared },

  'GET /apps': { operationId: 'listApps', summary: 'List the apps with their keys', answer: z.array(app) },
  'POST /apps': {
    operationId: 'createApp',
    summary: 'Create an app',
    body: appBody,
    answer: app,
    status: 201,
  },
  'PATCH /apps/{appId}': { operationId: 'changeApp', summary: 'Change an app', body: appPatch, answer: app },

  'POST /seed': {
    operationId: 'seed',
    summary: 'Add sample payments in every state',
    answer: z.array(seededPayment),
  },
  'POST /reset': {
    operationId: 'reset',
    summary: 'Delete everything except the first two apps',
    answer: done('reset'),
  },
  'GET /export': { operationId: 'export', summary: 'Export the contents', answer: exportDocument },
  'POST /import': {
    operationId: 'import',
    summary: 'Replace the contents with an export',
    body: exportDocument,
    answer: done('imported'),
  },
} as const satisfies Record<`${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`, ControlOperation>;

type ControlApi = typeof controlApi;
export type ControlRoute = keyof ControlApi;
export const controlRoutes = Object.keys(controlApi) as ControlRoute[];

export function controlOperation(route: ControlRoute): ControlOperation {
  return controlApi[route];
}

/** The method and the path of a route. */
export function splitRoute(route: ControlRoute): { method: string; path: string } {
  const [method = '', path = ''] = route.split(' ');
  return { method, path };
}

type Schema<Route extends ControlRoute, Name extends 'query' | 'body'> = ControlApi[Route] extends {
  readonly [Key in Name]: infer Found extends z.ZodMiniType;
}
  ? Found
  : undefined;

type Checked<Found> = Found extends z.ZodMiniType ? z.output<Found> : undefined;

/** What each route is asked with, once it was checked. */
export type ControlRequests = {
  [Route in ControlRoute]: {
    parameters: Record<NamesIn<Route>, string>;
    query: Checked<Schema<Route, 'query'>>;
    body: Checked<Schema<Route, 'body'>>;
  };
};

/** What each route answers with. */
export type ControlAnswers = { [Route in ControlRoute]: z.output<ControlApi[Route]['answer']> };

// The same as a caller sees it.

type Given<Found, Part> = Found extends z.ZodMiniType ? Part : object;

/** What a caller gives to each route: only what the route takes. */
export type ControlInputs = {
  [Route in ControlRoute]: ([NamesIn<Route>] extends [never]
    ? object
    : { parameters: Record<NamesIn<Route>, string> }) &
    Given<Schema<Route, 'query'>, { query?: z.input<NonNullable<Schema<Route, 'query'>>> }> &
    Given<Schema<Route, 'body'>, { body: z.input<NonNullable<Schema<Route, 'body'>>> }>;
};

/** A value that was written as JSON and read by `parseJson`. */
type Parsed<Value> = unknown extends Value
  ? JsonValue
  : Value extends JsonNumber
    ? Value
    : Value extends object
      ? { [Key in keyof Value]: Parsed<Exclude<Value[Key], undefined>> }
      : Value;

/** What a caller gets from each route. */
export type ControlResults = { [Route in ControlRoute]: Parsed<ControlAnswers[Route]> };
