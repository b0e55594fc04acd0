import type { BatchRow } from '../ledger/schema.js';
import { createTotals } from './totals.js';

/** Totals by currency of the rows that may still be sent. */
export async function pendingTotals(
  rows: AsyncIterable<BatchRow>,
  withUnknown: boolean,
): Promise<Record<string, string>> {
  const totals = createTotals();
  for await (const { outcome, amount, currency } of rows) {
    const isPending = outcome === null || outcome === 'unsent' || (withUnknown && outcome === 'unknown');
    if (isPending) totals.add(amount, currency);
  }
  return totals.sums();
}
