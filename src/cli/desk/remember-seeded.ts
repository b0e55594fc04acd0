import { numberText } from '../../contract/json.js';
import { remember } from '../../ledger/known/remember.js';
import type { SeededPayment } from '../../sandbox/index.js';
import { StoreError } from '../../store/errors.js';
import type { Environment } from '../../child-environment.js';
import { openLedgerAt } from './desk-database.js';

/** Adds sample payments to the known payments; false if the ledger cannot be opened. */
export async function rememberSeeded(
  env: Environment,
  generation: string,
  seeded: readonly SeededPayment[],
): Promise<boolean> {
  try {
    const { store, close } = await openLedgerAt(env);
    try {
      const now = Date.now();
      await store.transaction(async (tx) => {
        for (const { about: _, added: __, createdTime, ...payment } of seeded) {
          const seen = {
            ...payment,
            generation,
            paymentId: numberText(payment.paymentId),
            amount: numberText(payment.amount),
            createdTime: Date.parse(createdTime),
          };
          await remember(tx, store.engine, { seen, source: 'read', now });
        }
      });
    } finally {
      await close();
    }
    return true;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}
