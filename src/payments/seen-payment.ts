import type { PaymentRead } from '../client/payment-calls.js';
import { numberText } from '../contract/json.js';
import type { AppRef } from '../ledger/payment-ref.js';
import { remember, type SeenPayment } from '../ledger/known-payments.js';
import type { DeskTables } from '../ledger/schema.js';
import { StoreError } from '../store/errors.js';
import type { Store } from '../store/store.js';
import { idOf } from './named-payments.js';

/** A read as the desk remembers it. */
export function seenPayment(app: AppRef, read: PaymentRead): SeenPayment {
  const { amount, currency, customerId, referenceId, webhookUrl, createdTime, paymentState } = read.fields;
  const created = createdTime === undefined ? NaN : Date.parse(createdTime);
  return {
    appId: app.appId,
    paymentId: idOf(read),
    generation: read.generation,
    state: read.state ?? paymentState,
    referenceId,
    customerId,
    amount: amount === undefined ? undefined : numberText(amount),
    currency,
    webhookUrl,
    createdTime: Number.isNaN(created) ? undefined : created,
  };
}

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
