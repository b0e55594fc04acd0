import { cardNames, outcomeNames, type CardName } from '../../../domain/cards.js';
import type { Payer } from '../../../domain/payer.js';
import { choicesOf, offeredProfiles, type PayRequest } from '../../../domain/paying.js';
import { lockPayment } from '../../../domain/payments.js';
import { Refusal } from '../../../domain/refusal.js';
import type { App } from '../../../domain/apps.js';
import type { Work } from '../../../domain/work.js';
import type { SandboxEngine } from '../../../engine.js';
import type { PaymentRow, ProviderProfileRow } from '../../../schema.js';
import { readAccount, readCard, type Typed } from './typed-values.js';
import { formVersion } from '../page-security.js';
import { pageVersion, type Visit } from './visit.js';

/** What the customer sent: a way of paying with all it needs, or a form to fill in again. */
type Attempt = { request: PayRequest } | { profile: ProviderProfileRow | undefined; typed: Typed };

/** Wallets and coins have a page of their own: from the checkout the customer goes there first. */
export const hasOwnPage = (methodType: string): boolean => methodType === 'Paypal' || methodType === 'Crypto';

export function readAttempt(form: URLSearchParams, visit: Visit, from: 'checkout' | 'provider'): Attempt {
  const profile = offeredProfiles(visit.app, visit.payment).find(
    ({ payment_profile_id: id }) => String(id) === form.get('profile'),
  );
  if (!profile) return { profile, typed: wrong('This way of paying is not offered. Choose another.') };
  const save = form.get('save') === 'yes';
  const request = (card: CardName, payer?: Payer): Attempt => ({
    request: {
      card,
      paymentProfileId: profile.payment_profile_id,
      ...(save && { saveMethod: true }),
      ...(from === 'checkout' && hasOwnPage(profile.method_type) && { atProvider: true }),
      payerIp: '127.0.0.1',
      ...(payer && { payer }),
    },
  });
  const chosen = form.get('outcome');
  if (profile.method_type === 'CreditCard') {
    const card = cardNames.find((name) => name === chosen);
    if (card) return request(card);
    return again(readCard(form, visit.now));
  }
  const outcome = outcomeNames.find((name) => name === chosen);
  if (outcome) return request(outcome);
  if (cardNames.some((name) => name === chosen))
    return { profile, typed: wrong('Only a card can end this way. Choose a card, or another outcome.') };
  if (profile.method_type === 'ElectronicCheck') return again(readAccount(form));
  return request('approved');

  function again(typed: Typed): Attempt {
    if (typed.outcome !== undefined) return request(typed.outcome, typed.payer);
    return { profile, typed: { ...typed, values: { ...typed.values, ...(save && { save: 'yes' }) } } };
  }
}

function wrong(message: string): Typed {
  return { values: {}, errors: { profile: message }, outcome: undefined };
}

/**
 * Acts on the payment as it is now, under its lock. False when it had moved on since the form was made: answered by the
 * provider, paid in another tab, cancelled by the shop, or expired. The page then shows where it stands.
 */
export async function attemptPayment(
  engine: SandboxEngine,
  { payment }: Visit,
  form: URLSearchParams,
  run: (work: Work, app: App, current: PaymentRow) => Promise<unknown>,
): Promise<boolean> {
  try {
    await engine.write(async (work) => {
      const current = await lockPayment(work, { paymentId: payment.payment_id });
      const app = current && (await work.apps.byId(current.app_id, work.tx));
      if (!current || !app) throw new Refusal('not-found', 'The payment is gone.');
      if ((await pageVersion(work, current)) !== formVersion(form))
        throw new Refusal('operation-not-allowed', 'The form was answered before.');
      await run(work, app, current);
    }, 'customer');
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Whether the method is stored: by the customer's choice, because the shop asks for it, or not at all. */
export function savingOf(payment: PaymentRow): 'offered' | 'asked' | 'none' {
  const choices = choicesOf(payment);
  if (choices.registerAutoPayment) return 'asked';
  return choices.showPayRecurringInCheckout ? 'offered' : 'none';
}
