import { operations, states, statesAwaitingProvider, type Operation } from '../../contract/states.js';
import type { App } from '../domain/apps.js';
import { offeredProfiles } from '../domain/paying.js';
import type { PaymentRow } from '../schema.js';

type PlayAction = 'pay' | 'challenge' | 'provider' | 'hold';

/** Why each thing cannot be done to a payment now; what is absent can be. The rules themselves have the last word. */
export function obstacles(app: App, payment: PaymentRow, now: number): Partial<Record<PlayAction, string>> {
  const { state } = payment;
  const found: Partial<Record<PlayAction, string>> = {};
  const waits = state === 'Created' || state === 'ActionRequired';
  if (payment.flow === 'AutoPayment') found.pay = 'It is a charge on a stored method: no customer pays it.';
  else if (state !== 'Created' && state !== 'Declined')
    found.pay = `It is ${state}: the customer cannot pay it now.`;
  else if (payment.expiration_time !== null && payment.expiration_time <= now)
    found.pay = 'Its link has expired.';
  else if (offeredProfiles(app, payment).length === 0) found.pay = 'It offers no active provider.';
  if (state !== 'ActionRequired') found.challenge = `It is ${state}: no confirmation is open.`;
  if (!statesAwaitingProvider.includes(state))
    found.provider = `It is ${state}: nothing waits at the provider.`;
  if (!waits) found.hold = `It is ${state}: only a payment that is not paid yet can be held.`;
  return found;
}

/** The operations that the state allows. */
export const legalOperations = ({ state }: Pick<PaymentRow, 'state'>): Operation[] =>
  operations.filter((operation) => states[state].legal.includes(operation));
