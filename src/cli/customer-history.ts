// Changes to customers move no money and need no hold; the history has them all the same.

import type { Ledger } from '../ledger/ledger.js';
import type { ResolvedProfile } from '../profiles/resolve.js';
import { StoreError } from '../store/errors.js';

export const customerOperations = [
  'customer-create',
  'customer-update',
  'remove-method',
  'stop-auto-payment',
  'panel-link',
] as const;

export interface CustomerChange {
  operation: (typeof customerOperations)[number];
  customerId: string;
  /** What was changed, such as the names of the fields; never a secret link. */
  what?: string | undefined;
}

/** The change was made, whether or not it can be written down. */
export async function noteCustomerChange(
  ledger: Ledger,
  { baseUrl, appId, kind, name }: ResolvedProfile,
  { operation, customerId, what }: CustomerChange,
  note: (text: string) => void,
): Promise<void> {
  const place = { baseUrl, appId, kind: kind ?? 'live', profile: name, paymentId: '' } as const;
  try {
    await ledger.note({ ...place, operation, customerId, description: what }, { outcome: 'done' }, undefined);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    note(`This could not be written to the history: ${error.message}`);
  }
}
