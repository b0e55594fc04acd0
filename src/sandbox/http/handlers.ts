import type { EndpointName } from '../../contract/endpoints.js';
import type { CustomerBody, CustomerPatch } from '../../contract/customer-request.js';
import type {
  AutoPaymentBody,
  HostedPaymentBody,
  PlainPaymentBody,
  ProviderHostedPaymentBody,
} from '../../contract/payment-request.js';
import type { AnswerChoices } from '../answers.js';
import type { App } from '../domain/apps.js';
import { charge } from '../domain/charges.js';
import {
  createCustomer,
  listCustomers,
  requireCustomer,
  sameCustomer,
  showCustomer,
  updateCustomer,
} from '../domain/customers.js';
import { listMethods, removeMethod, showMethod, stopRegistration } from '../domain/methods.js';
import { cancel, capture, recheck, refund, unhold } from '../domain/moves.js';
import {
  createPayment,
  lockPayment,
  readPayment,
  sameRequest,
  showPayment,
  type CreateBody,
  type Created,
  type CreateFlow,
  type FindPayment,
  type PaymentKey,
} from '../domain/payments.js';
import { invalidField, Refusal } from '../domain/refusal.js';
import type { Work } from '../domain/work.js';
import type { Engine } from '../engine.js';
import type { PaymentRow } from '../schema.js';
import type { Addresses } from './addresses.js';

export interface Call {
  engine: Engine;
  answers: AnswerChoices;
  addresses: Addresses;
  app: App;
  parameters: Record<string, string>;
  query: Record<string, string>;
  /** Already validated by the contract. */
  body: unknown;
  /** The door, for the record: the API, and what the caller calls itself. */
  via: string;
  /** Answer reads with the payment as it was before its last change. */
  stale: boolean;
}

export interface Result {
  status: number;
  body?: Record<string, unknown> | unknown[];
}

type Handler = (call: Call) => Promise<Result>;

const PANEL_LINK_MS = 3_600_000;
const PAGE_SIZE = 50;

export const handlers: Readonly<Record<EndpointName, Handler>> = {
  createHostedPayment: (call) => create(call, 'HostedPage', call.body as HostedPaymentBody),
  createPayment: (call) => create(call, 'Direct', call.body as PlainPaymentBody),
  createProviderHostedPayment: (call) =>
    create(call, 'ProviderHostedPage', call.body as ProviderHostedPaymentBody),

  async createAutoPayment(call) {
    const body = call.body as AutoPaymentBody;
    const result = await call.engine.write((work) => charge(work, call.app, body), call.via);
    return { ...answerCreated(call, result, body, 'AutoPayment'), status: 200 };
  },

  capturePayment: (call) => operate(call, capture),
  cancelPayment: (call) => operate(call, cancel),
  refundPayment: (call) => operate(call, (work, payment) => refund(work, payment, call.query.description)),
  unholdPayment: (call) => operate(call, unhold),

  async recheckPayment(call) {
    const { payment, changed } = await call.engine.write(
      async (work) => recheck(work, await requirePayment(work, call, lockPayment)),
      call.via,
    );
    return { status: 200, body: { ...showPayment(payment, call.addresses), changed } };
  },

  getPayment: read,
  getPaymentByReference: read,

  async createCustomer(call) {
    const body = call.body as CustomerBody;
    const { customer, created } = await call.engine.write((work) => createCustomer(work, call.app, body));
    if (!created && !sameCustomer(customer, body)) {
      throw new Refusal(
        'customer-conflict',
        `Customer ${body.customerId} exists and differs from this request.`,
      );
    }
    return { status: created ? 201 : 200, body: showCustomer(customer, call.app) };
  },

  async getCustomer({ engine, app, parameters }) {
    const customer = await engine.read((work) =>
      requireCustomer(work, app.app_id, parameters.customerId as string),
    );
    return { status: 200, body: showCustomer(customer, app) };
  },

  async updateCustomer({ engine, app, parameters, body }) {
    const { phoneNumber, ...patch } = body as CustomerPatch & { phoneNumber?: string };
    if (phoneNumber !== undefined) patch.mobileNumber = phoneNumber;
    const customer = await engine.write((work) =>
      updateCustomer(work, app, parameters.customerId as string, patch),
    );
    return { status: 200, body: showCustomer(customer, app) };
  },

  listCustomers: (call) => customerPages[call.answers['customer-list']](call),

  async listPaymentMethods({ engine, app, parameters }) {
    const customerId = parameters.customerId as string;
    const methods = await engine.read(async (work) => {
      await requireCustomer(work, app.app_id, customerId);
      return listMethods(work, app.app_id, customerId);
    });
    return { status: 200, body: methods.map(showMethod) };
  },

  async removePaymentMethod({ engine, app, parameters }) {
    const methodId = integer(parameters.paymentMethodId as string, 'paymentMethodId');
    await engine.write((work) => removeMethod(work, app.app_id, parameters.customerId as string, methodId));
    return { status: 204 };
  },

  async stopAutoPayment({ engine, app, parameters }) {
    const id = integer(parameters.customerAutomaticProfileId as string, 'customerAutomaticProfileId');
    await engine.write((work) => stopRegistration(work, app.app_id, parameters.customerId as string, id));
    return { status: 204 };
  },

  async getPanelLink({ engine, app, parameters, addresses }) {
    const customerId = parameters.customerId as string;
    await engine.read((work) => requireCustomer(work, app.app_id, customerId));
    const expires = (await engine.clock.read()).now + PANEL_LINK_MS;
    return {
      status: 200,
      body: {
        url: addresses.panel(app.app_id, customerId, expires),
        expiresTime: new Date(expires).toISOString(),
      },
    };
  },
};

async function create(call: Call, flow: CreateFlow, body: CreateBody): Promise<Result> {
  const result = await call.engine.write((work) => createPayment(work, call.app, flow, body), call.via);
  return answerCreated(call, result, body, flow);
}

function answerCreated(call: Call, { payment, created }: Created, body: object, flow: string): Result {
  const shown = showPayment(payment, call.addresses);
  if (created) return { status: 201, body: shown };
  const choice = call.answers['repeated-reference'];
  if (choice === 'conflict' || (choice === 'existing' && !sameRequest(payment, body, flow))) {
    throw new Refusal(
      'reference-conflict',
      `The reference ${payment.reference_id} is in use by payment ${payment.payment_id}.`,
    );
  }
  return { status: choice === 'created' ? 201 : 200, body: shown };
}

async function operate(
  call: Call,
  move: (work: Work, payment: PaymentRow) => Promise<PaymentRow>,
): Promise<Result> {
  const payment = await call.engine.write(
    async (work) => move(work, await requirePayment(work, call, lockPayment)),
    call.via,
  );
  return { status: 200, body: showPayment(payment, call.addresses) };
}

async function read(call: Call): Promise<Result> {
  const payment = await call.engine.read(async (work) => {
    const current = await requirePayment(work, call, readPayment);
    return call.stale ? earlier(work, current) : current;
  });
  return { status: 200, body: showPayment(payment, call.addresses) };
}

/** The payment as a replica that lags behind would show it. */
async function earlier(work: Pick<Work, 'tx'>, payment: PaymentRow): Promise<PaymentRow> {
  const last = await work.tx
    .selectFrom('events')
    .select('from_state')
    .where('payment_id', '=', payment.payment_id)
    .where('version', '=', payment.version)
    .executeTakeFirst();
  const state = last?.from_state ?? payment.state;
  const wasCaptured = state === 'Captured' || state === 'Refunding' || state === 'Refunded';
  return { ...payment, state, captured_amount: wasCaptured ? payment.captured_amount : '0' };
}

async function requirePayment(
  work: Pick<Work, 'tx' | 'store'>,
  { app, parameters }: Call,
  find: FindPayment,
): Promise<PaymentRow> {
  const { paymentId, referenceId } = parameters;
  const appId = app.app_id;
  const key: PaymentKey =
    referenceId === undefined
      ? { appId, paymentId: integer(paymentId as string, 'paymentId') }
      : { appId, referenceId };
  const payment = await find(work, key);
  if (!payment)
    throw new Refusal('not-found', `There is no payment ${referenceId ?? paymentId} in this app.`);
  return payment;
}

function integer(text: string, name: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new Refusal('not-found', `${name} is a whole number, not "${text}".`);
  }
  return value;
}

type CustomerPage = (call: Call) => Promise<Result>;

const customerPages: Readonly<Record<AnswerChoices['customer-list'], CustomerPage>> = {
  async cursor(call) {
    const limit = Number(call.query.limit ?? PAGE_SIZE);
    const after = readCursor(call.query.cursor);
    const rows = await page(call, after, limit + 1);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return {
      status: 200,
      body: {
        items: items.map((row) => showCustomer(row, call.app)),
        nextCursor: rows.length > limit && last ? Buffer.from(`c${last.id}`).toString('base64url') : null,
      },
    };
  },
  async array(call) {
    return { status: 200, body: (await page(call, 0, 1_000_000)).map((row) => showCustomer(row, call.app)) };
  },
  async customers(call) {
    const customers = (await page(call, 0, 1_000_000)).map((row) => showCustomer(row, call.app));
    return { status: 200, body: { customers } };
  },
  async pages(call) {
    const pageSize = pageNumber(call.query, 'pageSize', PAGE_SIZE);
    const number = pageNumber(call.query, 'page', 1);
    const { total } = await call.engine.store.db
      .selectFrom('customers')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('app_id', '=', call.app.app_id)
      .executeTakeFirstOrThrow();
    const rows = await call.engine.store.db
      .selectFrom('customers')
      .selectAll()
      .where('app_id', '=', call.app.app_id)
      .orderBy('id')
      .limit(pageSize)
      .offset((number - 1) * pageSize)
      .execute();
    const data = rows.map((row) => showCustomer(row, call.app));
    return { status: 200, body: { data, total, page: number, pageSize } };
  },
};

function page(call: Call, after: number, limit: number) {
  return call.engine.read((work) => listCustomers(work, call.app.app_id, { after, limit }));
}

function pageNumber(query: Record<string, string>, name: string, usual: number): number {
  const text = query[name] ?? String(usual);
  if (!/^[1-9]\d{0,8}$/.test(text)) throw invalidField(name, 'must be a whole number, at least 1');
  return Number(text);
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const match = /^c(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  const id = Number(match?.[1]);
  if (!Number.isSafeInteger(id)) throw invalidField('cursor', 'is not one that this service gave out');
  return id;
}
