// Changes to customers move no money and need no hold; the history has them all the same.

import { storeProblem } from '../errors.js';
import { UNNAMED } from '../ledger/moves/entries.js';
import type { Ledger } from '../ledger/moves/ledger.js';
import type { CustomerOperation } from '../ledger/moves/operations.js';
import { StoreError } from '../store/errors.js';

export interface CustomerChange {
  operation: CustomerOperation;
  customerId: string;
  /** What was changed, such as the names of the fields; never a secret link. */
  what?: string | undefined;
}

interface App {
  baseUrl: string;
  appId: string;
  kind?: 'sandbox' | 'live' | undefined;
  name?: string | undefined;
}

/** The change was made, whether or not it can be recorded. */
export async function recordCustomerChange(
  { ledger, note }: { ledger: Ledger; note: (text: string) => void },
  { baseUrl, appId, kind, name }: App,
  { operation, customerId, what }: CustomerChange,
): Promise<void> {
  const app = { baseUrl, appId, kind: kind ?? 'live', profile: name };
  try {
    await ledger.note(
      { ...app, paymentId: UNNAMED, operation, customerId, description: what },
      { outcome: 'done' },
      undefined,
    );
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    note(`This could not be written to the history: ${storeProblem(error)}`);
  }
}
