import type { PaymentRead } from '../client/payment-calls.js';
import { remember } from '../ledger/known/remember.js';
import type { AppRef } from '../ledger/payment-ref.js';
import type { DeskTables } from '../ledger/schema.js';
import { StoreError } from '../store/errors.js';
import type { Store } from '../store/store.js';
import { seenPayment } from './seen-payment.js';

/** Makes payments known as they were just read. Where that fails, the next read records it. */
export async function rememberReads(
  store: Store<DeskTables>,
  app: AppRef,
  reads: readonly PaymentRead[],
  now: number,
): Promise<void> {
  if (reads.length === 0) return;
  try {
    await store.transaction(async (tx) => {
      for (const read of reads) {
        await remember(tx, store.engine, { seen: seenPayment(app, read), source: 'read', now });
      }
    });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}
