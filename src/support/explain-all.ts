import type { Client } from '../client/client.js';
import type { PaydeskError } from '../errors.js';
import { type NamedPayment, readPayments } from '../payments/named-payments.js';
import { explain, type ExplainOptions, type Explanation } from './explain.js';
import type { Records } from './records.js';

export type Explained = { typed: string; explanation: Explanation } | { typed: string; error: PaydeskError };

/** One read a payment; everything else is on record here. `records` is undefined where that cannot be opened. */
export async function explainAll(
  client: Client,
  names: readonly NamedPayment[],
  records: Promise<Records | undefined>,
  options: ExplainOptions,
): Promise<Explained[]> {
  const [reads, kept] = await Promise.all([readPayments(client, names), records]);
  const explained: Explained[] = [];
  for (const entry of reads) {
    const { typed } = entry.name;
    if ('error' in entry) explained.push({ typed, error: entry.error });
    else {
      const sources = (await kept?.of(entry.read)) ?? { record: undefined, heard: [] };
      explained.push({ typed, explanation: explain(client, entry.read, sources, options) });
    }
  }
  return explained;
}
