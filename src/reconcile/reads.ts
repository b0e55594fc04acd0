// Many reads of the service at a pace that it can take.

import { createPace } from '../pace/pace.js';
import { createOutage, readPaced } from '../pace/paced-reads.js';
import type { Client } from '../client/client.js';
import type { Clock } from '../client/clock.js';
import type { PaymentKey, PaymentRead } from '../client/payment-calls.js';
import { mapConcurrent } from '../concurrency.js';
import type { PaydeskError } from '../errors.js';
import { idOf } from '../payments/named-payments.js';

export type PacedRead = { read: PaymentRead } | { error: PaydeskError };

/** The results are in the order of the keys. What concerns all payments is thrown, such as a service that is away. */
export function createReads(
  client: Client,
  { concurrency, clock, signal }: { concurrency: number; clock: Clock; signal: AbortSignal },
): (keys: readonly PaymentKey[]) => Promise<PacedRead[]> {
  const pace = createPace({ concurrency, clock, signal });
  const outage = createOutage(() => {});
  return (keys) =>
    mapConcurrent(keys, concurrency, async (key) => {
      const slot = await pace.enter();
      signal.throwIfAborted();
      if (slot === undefined) throw new Error('no slot without a signal');
      try {
        const payment = JSON.stringify(key);
        return await readPaced(() => readWithId(client, key), { pace, slot, signal, outage, payment });
      } finally {
        pace.leave(slot);
      }
    });
}

async function readWithId(client: Client, key: PaymentKey): Promise<PaymentRead> {
  const read = await client.getPayment(key);
  // Throws where the payment has no usable ID: then this payment is unreadable, and the others are not.
  idOf(read);
  return read;
}
