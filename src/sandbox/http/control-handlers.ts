import { numberFromText } from '../../contract/json.js';
import type { Control } from '../control/control.js';
import {
  controlOperation,
  exportDocument,
  type ControlAnswers,
  type ControlRequests,
  type ControlRoute,
} from '../control/api.js';
import { check } from '../control/requests.js';
import type { ClockTime, Fault, SandboxStatus, SeededPayment } from '../control/answers.js';
import { readFaultOptions } from '../domain/faults.js';
import { showPayment } from '../domain/payments.js';
import { Refusal } from '../domain/refusal.js';
import type { SandboxEngine } from '../engine.js';
import type { FaultRow } from '../schema.js';
import type { SeededRow } from '../seed.js';
import type { Addresses } from './addresses.js';
import { showApp } from './show-app.js';

/** What the handlers of the control API work with. */
export interface ControlTools {
  engine: SandboxEngine;
  control: Control;
  addresses: Addresses;
  status(): Promise<SandboxStatus>;
  /** Ends the process that serves this. */
  stop(): void;
}

type Handlers = {
  readonly [Route in ControlRoute]: (
    request: ControlRequests[Route],
    tools: ControlTools,
  ) => Promise<ControlAnswers[Route]>;
};

/** What somebody asks with, before it was checked. */
interface Asked {
  parameters?: Record<string, string>;
  query?: unknown;
  body?: unknown;
}

/** Checks a request by the table, and carries it out. */
export async function askControl<Route extends ControlRoute>(
  route: Route,
  { parameters = {}, query = {}, body }: Asked,
  tools: ControlTools,
): Promise<ControlAnswers[Route]> {
  const takes = controlOperation(route);
  // The one cast of this table: TypeScript does not follow a generic route from a schema to the type inferred from it.
  const request = {
    parameters,
    query: takes.query && check(takes.query, query),
    body: takes.body && (takes.body === exportDocument ? body : check(takes.body, body)),
  } as ControlRequests[Route];
  // Links are derived from the generation that was read last, and another process may have started one.
  await tools.engine.generations.read();
  return controlHandlers[route](request, tools);
}

/** What each route of the control API does. */
const controlHandlers: Handlers = {
  'GET /status': (_, { status }) => status(),
  async 'POST /stop'(_, { stop }) {
    setImmediate(stop);
    return { stopping: true };
  },

  'POST /payments/{key}/pay': async ({ parameters, query, body }, { control, addresses }) =>
    showPayment(await control.pay(parameters.key, query.appId, body), addresses),
  'POST /payments/{key}/provider': async ({ parameters, query, body }, { control, addresses }) =>
    showPayment(await control.provider(parameters.key, query.appId, body.answer), addresses),
  'GET /payments/{key}/books': ({ parameters, query }, { control }) =>
    control.books(parameters.key, query.appId),
  async 'GET /payments/{key}/story'({ parameters, query }, { control, addresses }) {
    const { payment, ...story } = await control.story(parameters.key, query.appId);
    return { payment: showPayment(payment, addresses), ...story };
  },
  'GET /settlement': ({ query }, { control }) => control.settlement(query),
  'GET /settlement/defects': ({ query }, { control }) => control.settlementDefects(query),
  async 'POST /webhooks/{id}/resend'({ parameters }, { control }) {
    const sent = await control.resend(idOf(parameters.id, 'webhook'));
    const { event_id: webhookId, url, status, error, ms, answer } = sent;
    return { webhookId, url, status, error, ms, answer };
  },

  'GET /clock': (_, { engine }) => showClock(engine),
  async 'POST /clock'({ body }, { control, engine }) {
    await control.clock(body);
    return showClock(engine);
  },

  'GET /faults': async (_, { engine }) => (await engine.faults.list()).map(showFault),
  'POST /faults': async ({ body }, { control }) => showFault(await control.addFault(body)),
  'DELETE /faults': async (_, { control }) => ({ cleared: await control.clearFaults() }),
  async 'DELETE /faults/{id}'({ parameters }, { control }) {
    const cleared = await control.clearFaults(idOf(parameters.id, 'fault'));
    if (cleared === 0) throw new Refusal('not-found', `There is no fault ${parameters.id}.`);
    return { cleared };
  },

  'GET /apps': async (_, { engine }) => (await engine.apps.all()).map(showApp),
  'POST /apps': async ({ body }, { control }) => showApp(await control.createApp(body)),
  'PATCH /apps/{appId}': async ({ parameters, body }, { control }) =>
    showApp(await control.changeApp(parameters.appId, body)),

  'POST /seed': async (_, { control }) => (await control.seed()).map(showSeeded),
  async 'POST /reset'(_, { control }) {
    await control.reset();
    return { reset: true };
  },
  'GET /export': (_, { control }) => control.export(),
  async 'POST /import'({ body }, { control }) {
    await control.import(body);
    return { imported: true };
  },
};

function idOf(text: string, what: string): number {
  const id = Number(text);
  if (!Number.isSafeInteger(id)) throw new Refusal('not-found', `There is no ${what} ${text}.`);
  return id;
}

/** A sample payment, with what a desk remembers of a payment. */
function showSeeded({ payment, about, added }: SeededRow): SeededPayment {
  return {
    appId: payment.app_id,
    paymentId: payment.payment_id,
    referenceId: payment.reference_id,
    state: payment.state,
    amount: numberFromText(payment.amount),
    currency: payment.currency,
    customerId: payment.customer_id,
    createdTime: new Date(payment.created_time).toISOString(),
    about,
    added,
  };
}

async function showClock(engine: SandboxEngine): Promise<ClockTime> {
  const { now, stopped } = await engine.clock.read();
  return { now: new Date(now).toISOString(), stopped };
}

function showFault({ options, ...fault }: FaultRow): Fault {
  return { ...fault, ...readFaultOptions(options) };
}
