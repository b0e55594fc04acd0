import type { Client } from '../client/client.js';
import { type PaydeskError, ServiceError, TemporaryError } from '../errors.js';
import type { KnownPaymentRow } from '../ledger/schema.js';
import type { Records } from './records.js';

const AT_ONCE = 8;

export interface Refreshed {
  typed: string;
  changed: boolean;
  error?: PaydeskError;
}

/** Reads payments again that this desk knows, so many at once, and notes how they are seen. */
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
    signal: AbortSignal;
    onProgress: (done: number, total: number) => void;
  },
): Promise<Refreshed[]> {
  const results: Refreshed[] = [];
  let next = 0;
  let done = 0;
  const work = async () => {
    for (let index = next++; index < rows.length; index = next++) {
      signal.throwIfAborted();
      results[index] = await readAgain(rows[index] as KnownPaymentRow, client, records);
      onProgress((done += 1), rows.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, rows.length) }, work));
  return results;
}

async function readAgain(
  row: KnownPaymentRow,
  client: Client,
  records: Records | undefined,
): Promise<Refreshed> {
  const typed = row.payment_id;
  try {
    const read = await client.getPayment({ paymentId: row.payment_id });
    await records?.saw(read);
    return { typed, changed: (read.state ?? read.fields.paymentState ?? '') !== row.state };
  } catch (error) {
    // What concerns one payment stays with it; what concerns all of them is thrown.
    if (!(error instanceof ServiceError || error instanceof TemporaryError)) throw error;
    return { typed, changed: false, error };
  }
}
