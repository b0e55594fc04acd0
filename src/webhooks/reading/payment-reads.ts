// Reads payments for webhooks: within the budget, retried, and repeated while the service is behind the webhook.

import type { Client } from '../../client/client.js';
import type { Clock } from '../../client/clock.js';
import type { PaymentKey, PaymentRead } from '../../client/payment-calls.js';
import { PaydeskError, ProfileError, ServiceError, TemporaryError } from '../../errors.js';
import { idOf } from '../../payments/named-payments.js';
import type { ReadBudget } from './read-budget.js';
import type { UnreadDelivery } from './unread-delivery.js';
import { isAhead } from './verdict.js';

/** What the service answered; `absent` when it has no such payment. */
type ReadOutcome = { value: PaymentRead } | { absent: boolean; why: string };

interface PaymentReads {
  /** Waits until a read may be made. */
  waitForTurn(): Promise<void>;
  once(key: PaymentKey): Promise<ReadOutcome>;
  /** Undefined when it was aborted. A payment that this desk does not know is read within the budget for those. */
  forDeliveries(
    key: PaymentKey,
    deliveries: readonly UnreadDelivery[],
    isKnown: boolean,
  ): Promise<ReadOutcome | undefined>;
}

interface PaymentReadsOptions {
  client: Pick<Client, 'getPayment' | 'canonicalState'>;
  clock: Clock;
  budget: ReadBudget;
  signal: AbortSignal;
  onError(error: unknown): void;
}

/** One read with the client's own retries. */
const READ_LIMIT_MS = 8_000;
/** A read that failed for now is repeated after these. */
const RETRY_DELAYS_MS = [1_000, 5_000];
/** A webhook may be faster than the service's own readers: the payment is read again after these. */
const EARLY_DELAYS_MS = [150, 400, 1_000];

export function createPaymentReads(options: PaymentReadsOptions): PaymentReads {
  const { client, clock, budget, signal, onError } = options;
  let keyRefused = false;

  async function waitForTurn(): Promise<void> {
    for (let wait = budget.take(); wait > 0 && !signal.aborted; wait = budget.take()) {
      await clock.sleep(wait, signal);
    }
  }

  async function once(key: PaymentKey): Promise<ReadOutcome & { retry?: boolean }> {
    try {
      const limit = AbortSignal.timeout(READ_LIMIT_MS);
      const value = await client.getPayment(key, { signal: AbortSignal.any([signal, limit]) });
      // Throws where the answer has no id: such a payment cannot be recorded.
      idOf(value);
      return { value };
    } catch (error) {
      if (error instanceof ServiceError && error.httpStatus === 404) {
        return { absent: true, why: absentText(key) };
      }
      if (!(error instanceof PaydeskError)) throw error;
      // A refused key concerns every read: it is reported once.
      if (error instanceof ProfileError && !keyRefused) onError(error);
      keyRefused ||= error instanceof ProfileError;
      const temporary = error instanceof TemporaryError && !signal.aborted;
      return { absent: false, why: error.message, ...(temporary ? { retry: true } : {}) };
    }
  }

  async function withRetries(key: PaymentKey): Promise<ReadOutcome | undefined> {
    for (let count = 0; ; count += 1) {
      const result = await once(key);
      const wait = RETRY_DELAYS_MS[count];
      if (!('retry' in result) || wait === undefined) return result;
      await clock.sleep(wait, signal);
      if (signal.aborted) return undefined;
    }
  }

  /** A webhook claims a state that the payment has still before it: the read may be behind. */
  function isEarly({ state }: PaymentRead, deliveries: readonly UnreadDelivery[]): boolean {
    return deliveries.some(({ saidState }) => {
      const said = saidState === null ? undefined : client.canonicalState(saidState);
      return said !== undefined && state !== undefined && isAhead(said, state);
    });
  }

  return {
    waitForTurn,
    once,
    async forDeliveries(key, deliveries, isKnown) {
      let result = await withRetries(key);
      let taken = 0;
      for (const wait of EARLY_DELAYS_MS) {
        if (result === undefined) break;
        const absent = isAbsent(result);
        if (!absent && !('value' in result && isEarly(result.value, deliveries))) break;
        if (absent && !isKnown) {
          if (!budget.takeForRepeatedRead()) break;
          taken += 1;
        }
        await clock.sleep(wait, signal);
        await waitForTurn();
        if (signal.aborted) break;
        result = (await withRetries(key)) ?? result;
      }
      if (result !== undefined && !isAbsent(result)) budget.giveBack(taken);
      return result;
    },
  };
}

const isAbsent = (result: ReadOutcome): boolean => 'absent' in result && result.absent;

export const absentText = (key: PaymentKey): string =>
  'paymentId' in key
    ? `the service has no payment ${key.paymentId}`
    : `the service has no payment with reference ${key.referenceId}`;
