// How much a listener may ask of the service. Anyone with its address can send it anything: what is real pays for
// itself, and what is made up soon costs nothing.

import type { PaymentKey } from '../../client/payment-calls.js';

export interface ReadBudget {
  /** How long to wait for the next read, in milliseconds; 0 takes it. */
  take(): number;
  /** Whether a payment that nobody here has seen may be asked for. */
  takeForStranger(): boolean;
  /** Whether a payment that nobody here has seen, and that was not there, may be asked for once more. */
  takeForRepeatedRead(): boolean;
  /** It was there after all. */
  giveBack(count?: number): void;
  /** Whether it was asked for a moment ago, and was not there. */
  isAbsent(key: PaymentKey): boolean;
  noteAbsent(key: PaymentKey): void;
}

const RATE = 50;
const BURST = 100;
/** Reads that found nothing. */
const MAX_UNKNOWN_READS = 100;
const UNKNOWN_READS_PER_SECOND = 2;
/** Of those, reads that are kept for payments that were not asked for yet: repeated reads do not use them. */
const KEPT_FOR_FIRST_READS = 50;
const ABSENT_MS = 60_000;
const MAX_ABSENT = 10_000;

export function createReadBudget(now: () => number): ReadBudget {
  const reads = createBucket(BURST, RATE, now);
  const strangers = createBucket(MAX_UNKNOWN_READS, UNKNOWN_READS_PER_SECOND, now);
  const absent = new Map<string, number>();
  return {
    take: () => reads.take(),
    takeForStranger: () => strangers.take() === 0,
    takeForRepeatedRead: () => strangers.take(KEPT_FOR_FIRST_READS) === 0,
    giveBack: (count) => strangers.giveBack(count),
    isAbsent: (key) => now() - (absent.get(keyText(key)) ?? -Infinity) < ABSENT_MS,
    noteAbsent(key) {
      absent.delete(keyText(key));
      absent.set(keyText(key), now());
      if (absent.size <= MAX_ABSENT) return;
      const [oldest] = absent.keys();
      if (oldest !== undefined) absent.delete(oldest);
    },
  };
}

export const keyText = (key: PaymentKey): string =>
  'paymentId' in key ? `id:${key.paymentId}` : `ref:${key.referenceId}`;

/** A number of tokens that grows back. */
function createBucket(capacity: number, perSecond: number, now: () => number) {
  let tokens = capacity;
  let filled = now();
  return {
    /** How long to wait for a token, in milliseconds; 0 takes one, and leaves at least `kept`. */
    take(kept = 0): number {
      const at = now();
      tokens = Math.min(capacity, tokens + ((at - filled) * perSecond) / 1000);
      filled = at;
      const missing = kept + 1 - tokens;
      if (missing > 0) return Math.ceil((missing * 1000) / perSecond);
      tokens -= 1;
      return 0;
    },
    giveBack(count = 1): void {
      tokens = Math.min(capacity, tokens + count);
    },
  };
}
