// The payments that a seed begins with, in every state that something can be done from.

import type { CardName } from '../../src/sandbox/domain/cards.js';
import type { Random } from './random.ts';
import type { World } from './service.ts';

interface Recipe {
  autoCapture: boolean;
  card?: CardName;
  profile?: string;
  /** Milliseconds until the link stops working. */
  expiresIn?: number;
}

const recipes: readonly Recipe[] = [
  { autoCapture: true, card: 'approved' },
  { autoCapture: true, card: 'approved' },
  { autoCapture: true, card: 'refund-fails' },
  { autoCapture: true, card: 'approved', profile: 'Slowbank' },
  { autoCapture: false, card: 'approved' },
  { autoCapture: false, card: 'approved' },
  { autoCapture: false, card: 'capture-fails' },
  { autoCapture: false, card: 'approved', profile: 'Slowbank' },
  { autoCapture: true, card: 'held' },
  { autoCapture: false, card: 'held' },
  { autoCapture: true, card: 'unknown-charged' },
  { autoCapture: false },
  { autoCapture: true, expiresIn: 1_200_000 },
];

export const CUSTOMERS = 4;

export function createBody(
  random: Random,
  reference: string,
  now: number,
  { autoCapture, expiresIn }: Pick<Recipe, 'autoCapture' | 'expiresIn'>,
) {
  return {
    referenceId: reference,
    amount: random.between(100, 99_999) / 100,
    currency: random.pick(['EUR', 'USD', 'GBP']),
    returnUrl: 'https://shop.example/thanks',
    autoCapture,
    showPayRecurringInCheckout: false,
    registerAutoPayment: true,
    customerOrder: { customer: { customerId: `c-${random.whole(CUSTOMERS)}` } },
    ...(expiresIn !== undefined && { expirationTime: new Date(now + expiresIn).toISOString() }),
  };
}

export async function makePayment(
  world: World,
  random: Random,
  reference: string,
  now: number,
): Promise<number> {
  const recipe = random.pick(recipes);
  const { status, body } = await world.handle({
    method: 'POST',
    path: `/api/apps/${world.appId}/payments/hosted-page`,
    headers: { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(createBody(random, reference, now, recipe)),
  });
  if (status !== 201) throw new Error(`The payment was answered with ${status}: ${body}`);
  const { paymentId } = JSON.parse(body) as { paymentId: number };
  if (recipe.card) await world.pay(paymentId, recipe.card, recipe.profile);
  return paymentId;
}
