import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SandboxEngine } from '../engine.js';
import type { PaymentRow } from '../schema.js';

/** Links that carry their own proof: to a payment's checkout, and to a customer's panel. */
export interface Addresses {
  /** Where the customer pays: at the checkout, or straight at the provider. */
  checkout(payment: Pick<PaymentRow, 'payment_id' | 'flow'>): string;
  /** The payment that a checkout token was made for. */
  readCheckout(token: string): number | undefined;
  panel(appId: string, customerId: string, expires: number): string;
  /** Whom a panel link was made for, when it is whole and has not expired. */
  readPanel(token: string, now: number): { appId: string; customerId: string } | undefined;
}

/** How long a panel link can be used. */
export const PANEL_LINK_MS = 3_600_000;

const CHECKOUT_PROOF_LENGTH = 32;

export function createAddresses(engine: SandboxEngine, baseUrl: () => string): Addresses {
  const checkoutProof = (paymentId: number) =>
    engine.generations.deriveOften('checkout', paymentId).slice(0, CHECKOUT_PROOF_LENGTH);
  const panelProof = (text: string) =>
    createHmac('sha256', engine.derive('panel', 'signing')).update(text).digest('base64url');

  return {
    checkout: ({ payment_id, flow }) =>
      `${baseUrl()}/${flow === 'ProviderHostedPage' ? 'provider' : 'checkout'}/${payment_id}-${checkoutProof(payment_id)}`,
    readCheckout(token) {
      const match = /^([1-9]\d{0,14})-([0-9a-f]+)$/.exec(token);
      if (!match) return undefined;
      const paymentId = Number(match[1]);
      return equal(match[2] as string, checkoutProof(paymentId)) ? paymentId : undefined;
    },
    panel(appId, customerId, expires) {
      const text = Buffer.from(JSON.stringify([appId, customerId, expires])).toString('base64url');
      return `${baseUrl()}/panel/${text}.${panelProof(text)}`;
    },
    readPanel(token, now) {
      const [text = '', proof = '', ...more] = token.split('.');
      if (more.length > 0 || !equal(proof, panelProof(text))) return undefined;
      const [appId, customerId, expires] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as [
        string,
        string,
        number,
      ];
      return expires > now ? { appId, customerId } : undefined;
    },
  };
}

/** In constant time for texts of the same length. */
export function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
