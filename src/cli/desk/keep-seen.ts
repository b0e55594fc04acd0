import type { Environment } from '../../child-environment.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import type { AppRef } from '../../ledger/payment-ref.js';
import { noteSeen } from './seen-journal.js';

/**
 * Adds what was read to the known payments. On a desk of one machine that needs no database; those who share one learn
 * of it at once.
 */
export async function keepSeen(
  env: Environment,
  app: AppRef,
  reads: readonly PaymentRead[],
  time: number,
): Promise<void> {
  if (reads.length === 0) return;
  const isLong = noteSeen(env, app, reads, time);
  if (!isLong && !env['PAYDESK_DATABASE']) return;
  const { openToImportJournal } = await import('./desk-database.js');
  await openToImportJournal(env);
}
