// Pauses that end early when a webhook of the payment reaches the inbox of this desk.

import type { Clock } from '../../client/clock.js';
import type { PaymentNames } from '../../ledger/payment-ref.js';
import type { DeskTables } from '../../ledger/schema.js';
import { StoreError } from '../../store/errors.js';
import type { Store } from '../../store/store.js';
import { createInbox } from './inbox.js';

export interface Wakeups {
  /** Resolves with true when a webhook of this payment arrived, with false when the time is up or the signal fires. */
  sleep(payment: PaymentNames | undefined, ms: number, signal: AbortSignal): Promise<boolean>;
}

interface WakeupOptions {
  /** Undefined where it cannot be opened: then every pause takes its full time. */
  store: Store<DeskTables> | undefined;
  app: { baseUrl: string; appId: string };
  clock: Clock;
}

/** Looks into the inbox while `work` runs. */
export async function withWakeups<T>(
  { store, app, clock }: WakeupOptions,
  work: (wakeups: Wakeups) => Promise<T>,
): Promise<T> {
  const { wakeups, wake } = createWakeups(clock);
  if (store === undefined) return work(wakeups);
  const over = new AbortController();
  const watching = watchInbox(store, app, { clock, signal: over.signal, wake });
  try {
    // An error while watching the inbox ends the work too.
    return await Promise.race([work(wakeups), watching.then(() => new Promise<never>(() => {}))]);
  } finally {
    over.abort();
    await watching.catch(() => {});
  }
}

/** `wake` ends the pauses of those who wait for this payment. */
export function createWakeups(clock: Clock): { wakeups: Wakeups; wake: (payment: PaymentNames) => void } {
  const sleeping = new Map<string, Set<() => void>>();
  /** Woken while nobody slept: the next pause ends at once. */
  const missed = new Set<string>();
  const keysOf = ({ paymentId, referenceId }: PaymentNames): string[] => [
    ...(paymentId ? [`id ${paymentId}`] : []),
    ...(referenceId ? [`ref ${referenceId}`] : []),
  ];
  return {
    wakeups: {
      async sleep(payment, ms, signal) {
        const keys = payment === undefined ? [] : keysOf(payment);
        if (keys.filter((key) => missed.delete(key)).length > 0) return true;
        const woken = new AbortController();
        const wake = () => woken.abort();
        for (const key of keys) sleeping.set(key, (sleeping.get(key) ?? new Set()).add(wake));
        await clock.sleep(ms, AbortSignal.any([signal, woken.signal]));
        for (const key of keys) sleeping.get(key)?.delete(wake);
        return woken.signal.aborted;
      },
    },
    wake(payment) {
      for (const key of keysOf(payment)) {
        const sleepers = sleeping.get(key);
        // Most webhooks are about payments that nobody here waits for.
        if (sleepers === undefined) continue;
        if (sleepers.size === 0) missed.add(key);
        for (const wake of sleepers) wake();
      }
    },
  };
}

// A look takes a fraction of a millisecond, and somebody may be watching the screen.
const LOOK_EVERY_MS = 50;

/** Wakes for every webhook that arrives from now on. A database that cannot be used is tried again: polling continues. */
async function watchInbox(
  store: Store<DeskTables>,
  app: { baseUrl: string; appId: string },
  { clock, signal, wake }: { clock: Clock; signal: AbortSignal; wake: (payment: PaymentNames) => void },
): Promise<void> {
  const inbox = createInbox(store);
  let last: number | undefined;
  while (!signal.aborted) {
    try {
      const newest = await inbox.newestId(app);
      if (last !== undefined && newest > last) {
        for (const delivery of await inbox.after(app, last)) {
          wake(delivery);
          last = Math.max(last, delivery.id);
        }
      }
      last ??= newest;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}
