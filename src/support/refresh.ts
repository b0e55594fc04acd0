import { mapConcurrent } from '../concurrency.js';
import type { Client } from '../client/client.js';
import { type PaydeskError, ServiceError, TemporaryError } from '../errors.js';
import type { KnownPaymentRow } from '../ledger/schema.js';
import type { Records } from './records.js';

const MAX_CONCURRENT_READS = 8;

interface RefreshedPayment {
  typed: string;
  changed: boolean;
  error?: PaydeskError;
}

export interface Refreshed {
  payments: RefreshedPayment[];
  /** The service cannot be used for now: what was not read yet is left as it was. */
  unavailable: PaydeskError | undefined;
}

/** Reads known payments again, several at a time, and records how they are seen. */
export async function refreshKnown(
  rows: readonly KnownPaymentRow[],
  {
    client,
    records,
    signal,
    onProgress,
  }: {
    client: Client;
    records: Records | undefined;
    signal?: AbortSignal;
    onProgress?: (done: number, total: number) => void;
  },
): Promise<Refreshed> {
  const payments: RefreshedPayment[] = [];
  let unavailable: PaydeskError | undefined;
  await mapConcurrent(rows, MAX_CONCURRENT_READS, async (row) => {
    if (unavailable) return;
    signal?.throwIfAborted();
    const typed = row.payment_id;
    try {
      const read = await client.getPayment({ paymentId: typed });
      await records?.remember([read]);
      payments.push({ typed, changed: (read.state ?? read.fields.paymentState ?? '') !== row.state });
    } catch (error) {
      // The client has retried already, so the other reads would fail in the same way.
      if (error instanceof TemporaryError) unavailable ??= error;
      else if (error instanceof ServiceError) payments.push({ typed, changed: false, error });
      else throw error;
    }
    onProgress?.(payments.length, rows.length);
  });
  return { payments, unavailable };
}
