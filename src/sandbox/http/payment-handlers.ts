import type { EndpointName } from '../../contract/endpoints.js';
import type { Payment } from '../../contract/payment.js';
import { charge } from '../domain/charges.js';
import { cancel, capture, recheck, refund, unhold } from '../domain/moves.js';
import {
  createOrFindPayment,
  lockPayment,
  readShownPayment,
  sameRequest,
  showPayment,
  type CreateBody,
  type InsertedPayment,
  type CreateFlow,
  type FindPayment,
  type PaymentRowKey,
} from '../domain/payments.js';
import { Refusal } from '../domain/refusal.js';
import type { ShownPaymentRow } from '../domain/statements.js';
import type { Work } from '../domain/work.js';
import type { PaymentRow, ShownBefore } from '../schema.js';
import type { CallContext, CustomerEndpoint, Handlers, CallResult } from './call.js';
import { integer } from './path-integer.js';

type PaymentResult = CallResult<Payment>;
type PaymentCall = CallContext & { parameters: { paymentId: string } | { referenceId: string } };

export const paymentHandlers: Handlers<Exclude<EndpointName, CustomerEndpoint>> = {
  createHostedPayment: (call) => create(call, 'HostedPage', call.body),
  createPayment: (call) => create(call, 'Direct', call.body),
  createProviderHostedPayment: (call) => create(call, 'ProviderHostedPage', call.body),

  async createAutoPayment(call) {
    const { body } = call;
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
};

async function create(call: CallContext, flow: CreateFlow, body: CreateBody): Promise<PaymentResult> {
  const result = await call.engine.write((work) => createOrFindPayment(work, call.app, flow, body), call.via);
  return answerCreated(call, result, body, flow);
}

function answerCreated(
  call: CallContext,
  { payment, created }: InsertedPayment,
  body: object,
  flow: string,
): PaymentResult {
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
  call: PaymentCall,
  move: (work: Work, payment: PaymentRow) => Promise<PaymentRow>,
): Promise<PaymentResult> {
  const payment = await call.engine.write(
    async (work) => move(work, await requirePayment(work, call, lockPayment)),
    call.via,
  );
  return { status: 200, body: showPayment(payment, call.addresses) };
}

async function read(call: PaymentCall): Promise<PaymentResult> {
  const payment = await call.engine.read(async (work) => {
    const current = await requirePayment(work, call, readShownPayment);
    return call.stale ? earlier(work, current) : current;
  });
  return { status: 200, body: showPayment(payment, call.addresses) };
}

/** The payment as a replica that lags behind would show it. */
async function earlier(work: Pick<Work, 'tx'>, payment: ShownPaymentRow): Promise<ShownPaymentRow> {
  const { before_change } = await work.tx
    .selectFrom('payments')
    .select('before_change')
    .where('payment_id', '=', payment.payment_id)
    .executeTakeFirstOrThrow();
  return { ...payment, ...(JSON.parse(before_change ?? '{}') as ShownBefore) };
}

async function requirePayment<Row>(
  work: Pick<Work, 'tx' | 'store'>,
  { app, parameters }: PaymentCall,
  find: FindPayment<Row>,
): Promise<Row> {
  const appId = app.app_id;
  const key: PaymentRowKey =
    'referenceId' in parameters
      ? { appId, referenceId: parameters.referenceId }
      : { appId, paymentId: integer(parameters, 'paymentId') };
  const payment = await find(work, key);
  if (payment) return payment;
  const [named] = Object.values(parameters);
  throw new Refusal('not-found', `There is no payment ${named} in this app.`);
}
