// Reads for many rows: a service that asks to wait is waited for, and one that answers nobody is an outage.

import { GuardError, type PaydeskError, ServiceError, TemporaryError } from '../errors.js';
import type { Pace, Slot } from './pace.js';

/** After this many failed reads in a row, of different payments, the cause is not the payment. */
const OUTAGE_AFTER = 3;
/** Asked to wait this often in succession, with nothing going through: that is an outage too. */
const MAX_THROTTLES = 25;

export interface Outage {
  /** Set once reads fail as a whole. */
  readonly error: PaydeskError | undefined;
  /** Why a payment could not be read, the last time that happened. */
  readonly lastFailure: PaydeskError | undefined;
  readable(): void;
  unreadable(error: PaydeskError, payment: string): void;
  throttled(times: number, error: PaydeskError): void;
}

/** `onOutage` is called once. */
export function createOutage(onOutage: (error: PaydeskError) => void): Outage {
  const failed = new Set<string>();
  let found: PaydeskError | undefined;
  let lastFailure: PaydeskError | undefined;
  const declare = (error: PaydeskError) => {
    if (found !== undefined) return;
    found = error;
    onOutage(error);
  };
  return {
    get error() {
      return found;
    },
    get lastFailure() {
      return lastFailure;
    },
    readable() {
      failed.clear();
    },
    unreadable(error, payment) {
      lastFailure = error;
      failed.add(payment);
      if (failed.size >= OUTAGE_AFTER) declare(error);
    },
    throttled(times, error) {
      if (times >= MAX_THROTTLES) declare(error);
    },
  };
}

/** Whether the service asked to wait, and how long. */
export function throttleOf(
  error: PaydeskError | undefined,
): { retryAfterMs: number | undefined } | undefined {
  if (!(error instanceof TemporaryError) || (error.httpStatus !== 429 && error.httpStatus !== 425)) {
    return undefined;
  }
  const details = error.details as { retryAfterMs?: unknown } | undefined;
  const { retryAfterMs } = details ?? {};
  return { retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined };
}

/** Reads, and tells the outage watch that the service answered. Throws as the client does. */
export async function readWatched<T>(readService: () => Promise<T>, outage: Outage): Promise<T> {
  try {
    const read = await readService();
    outage.readable();
    return read;
  } catch (error) {
    // An answer all the same, if not the one that was hoped for.
    if (!(error instanceof TemporaryError) || throttleOf(error)) outage.readable();
    throw error;
  }
}

interface PacedReading {
  pace: Pace;
  slot: Slot;
  signal: AbortSignal;
  outage: Outage;
  /** As it was asked for. */
  payment: string;
}

/**
 * One read among many. A service that asks to wait is waited for. An answer about this one payment is given back, an error
 * included. What concerns all of them is thrown: no answer at all, or failures of several payments in a row.
 */
export async function readPaced<T>(
  readService: () => Promise<T>,
  { pace, slot, signal, outage, payment }: PacedReading,
): Promise<{ read: T } | { error: ServiceError | GuardError | TemporaryError }> {
  for (;;) {
    try {
      const read = await readWatched(readService, outage);
      pace.answered(slot);
      return { read };
    } catch (error) {
      const throttle = error instanceof TemporaryError ? throttleOf(error) : undefined;
      if (throttle && !signal.aborted && pace.throttles < MAX_THROTTLES) {
        pace.throttled(slot, throttle.retryAfterMs);
        await pace.pause();
        continue;
      }
      if (error instanceof TemporaryError && !throttle && error.httpStatus !== undefined) {
        outage.unreadable(error, payment);
        if (outage.error) throw outage.error;
        return { error };
      }
      if (!(error instanceof ServiceError || error instanceof GuardError)) throw error;
      pace.answered(slot);
      return { error };
    }
  }
}
