// The customer's side: what may be chosen, what fraud rules say, and the step at the provider.

import { checkoutMethods, type CheckoutMethod } from '../../contract/checkout-methods.js';
import type { PaymentRow, ProviderProfileRow } from '../schema.js';
import type { App } from './apps.js';
import { testCard, type CardName } from './cards.js';
import { findCustomer } from './customers.js';
import { judge, type FraudVerdict } from './fraud.js';
import { authorise, toDeclined } from './instructions.js';
import type { Payer } from './payer.js';
import { invalidField, Refusal } from './refusal.js';
import { changeDetails, changeState } from './transitions.js';
import type { Work } from './work.js';

/** What the creating request says about how it may be paid. */
interface PayChoices {
  paymentProfiles?: number[];
  checkoutMethods?: CheckoutMethod[];
  showPayRecurringInCheckout?: boolean;
  registerAutoPayment?: boolean;
  fraudPolicyId?: number;
}

export function choicesOf(payment: PaymentRow): PayChoices {
  return JSON.parse(payment.request) as PayChoices;
}

/** The provider profiles that this payment may be paid with. */
export function offeredProfiles(app: App, payment: PaymentRow): ProviderProfileRow[] {
  if (app.is_blocked === 1) return [];
  const choices = choicesOf(payment);
  return app.profiles.filter(
    (profile) =>
      profile.is_active === 1 &&
      (payment.flow !== 'ProviderHostedPage' || profile.payment_profile_id === payment.payment_profile_id) &&
      (choices.paymentProfiles?.includes(profile.payment_profile_id) ?? true) &&
      (choices.checkoutMethods?.some((method) => method === profile.method_type) ?? true),
  );
}

export interface PayRequest {
  card: CardName;
  method?: CheckoutMethod | undefined;
  paymentProfileId?: number | undefined;
  /** The customer ticks "save my method". */
  saveMethod?: boolean | undefined;
  /** The provider has a page of its own where the customer agrees first, as wallets do. */
  atProvider?: boolean;
  payerIp?: string;
  payer?: Payer;
}

/** The customer pays. Returns when the provider has answered, or has said that it will later. */
export async function pay(
  work: Work,
  app: App,
  payment: PaymentRow,
  request: PayRequest,
): Promise<PaymentRow> {
  if (app.is_blocked === 1) throw new Refusal('app-blocked', `The app ${app.friendly_name} is blocked.`);
  if (payment.flow === 'AutoPayment')
    throw refuse(payment, 'is a charge on a stored method; no customer pays it');
  if (payment.state !== 'Created' && payment.state !== 'Declined')
    throw refuse(payment, `is ${payment.state}, so it cannot be paid again`);
  if (payment.expiration_time !== null && payment.expiration_time <= work.now)
    throw refuse(payment, 'has expired');
  const choices = choicesOf(payment);
  const profile = chooseProfile(app, payment, request);
  if (request.saveMethod && !choices.showPayRecurringInCheckout && !choices.registerAutoPayment) {
    throw invalidField('saveMethod', 'is not offered by this payment');
  }
  const chosen = await changeDetails(work, payment, {
    card: request.card,
    payment_profile_id: profile.payment_profile_id,
    payer_ip: request.payerIp ?? payment.payer_ip,
    payer: request.payer === undefined ? null : JSON.stringify(request.payer),
    save_method: Number(choices.registerAutoPayment === true || request.saveMethod === true),
    failure: null,
  });
  const verdict = await fraudVerdict(work, app, chosen);
  if (verdict === 'block') return blockPayment(work, chosen);
  if (testCard(request.card).challenge || request.atProvider)
    return changeState(work, chosen, 'ActionRequired', 'customer sent to provider');
  if (verdict === 'hold') return changeState(work, chosen, 'Held', 'held by a fraud rule');
  return authorise(work, chosen, { cause: 'paid by the customer', capture: 'inline' });
}

/** The customer finishes the step at the provider; where that page says how it ends, `outcome` names it. */
export async function finishChallenge(
  work: Work,
  app: App,
  current: PaymentRow,
  passed: boolean,
  outcome?: CardName,
): Promise<PaymentRow> {
  if (current.state !== 'ActionRequired')
    throw refuse(current, `is ${current.state}, no confirmation is open`);
  if (!passed) {
    return changeState(work, current, 'Declined', 'confirmation failed', {
      failure: 'the customer did not confirm',
    });
  }
  const payment = outcome ? await changeDetails(work, current, { card: outcome }) : current;
  if ((await fraudVerdict(work, app, payment)) === 'hold') {
    return changeState(work, payment, 'Held', 'held by a fraud rule');
  }
  return authorise(work, payment, { cause: 'confirmed by the customer', capture: 'inline' });
}

export async function fraudVerdict(work: Work, app: App, payment: PaymentRow): Promise<FraudVerdict> {
  const customer = await findCustomer(work, payment.app_id, payment.customer_id);
  const policyId = choicesOf(payment).fraudPolicyId ?? customer?.fraud_policy_id ?? app.fraud_policy_id;
  const policy = app.policies.find((candidate) => candidate.fraud_policy_id === policyId);
  const verdict = judge(policy, payment.amount);
  return verdict === 'allow' && testCard(payment.card ?? 'approved').hold ? 'hold' : verdict;
}

export function blockPayment(work: Work, payment: PaymentRow): Promise<PaymentRow> {
  return toDeclined(work, payment, 'blocked by a fraud rule', {
    fraud_status: 'Rejected',
    failure: 'blocked by a fraud rule',
  });
}

/** The provider that the customer chose, or the first that the payment offers. */
export function chooseProfile(
  app: App,
  payment: PaymentRow,
  request: Pick<PayRequest, 'method' | 'paymentProfileId'> = {},
): ProviderProfileRow {
  const offered = offeredProfiles(app, payment);
  if (request.paymentProfileId !== undefined) {
    const named = offered.find((profile) => profile.payment_profile_id === request.paymentProfileId);
    if (!named)
      throw invalidField('paymentProfileId', `is not offered by this payment: ${request.paymentProfileId}`);
    return named;
  }
  const wanted = request.method ? [request.method] : checkoutMethods;
  for (const method of wanted) {
    const profile = offered.find((candidate) => candidate.method_type === method);
    if (profile) return profile;
  }
  throw request.method
    ? invalidField('method', `is not offered by this payment: ${request.method}`)
    : refuse(payment, 'offers no active provider');
}

function refuse(payment: PaymentRow, what: string): Refusal {
  return new Refusal('operation-not-allowed', `Payment ${payment.payment_id} ${what}.`);
}
