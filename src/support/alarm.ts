import type { Clock } from '../client/clock.js';

interface Names {
  paymentId?: string | null | undefined;
  referenceId?: string | null | undefined;
}

/** Pauses that end early when something is heard of a payment. */
export interface Alarm {
  /** Resolves with true when it was rung for this payment, with false when the time is up or the signal fires. */
  sleep(payment: Names | undefined, ms: number, signal: AbortSignal): Promise<boolean>;
  ring(payment: Names): void;
}

export function createAlarm(clock: Clock): Alarm {
  const waking = new Map<string, Set<() => void>>();
  /** Rung while nobody slept: the next pause ends at once. */
  const missed = new Set<string>();
  const keys = ({ paymentId, referenceId }: Names): string[] => [
    ...(paymentId ? [`id ${paymentId}`] : []),
    ...(referenceId ? [`ref ${referenceId}`] : []),
  ];

  return {
    async sleep(payment, ms, signal) {
      const names = payment === undefined ? [] : keys(payment);
      if (names.filter((name) => missed.delete(name)).length > 0) return true;
      const woken = new AbortController();
      let rung = false;
      const wake = () => {
        rung = true;
        woken.abort();
      };
      for (const name of names) waking.set(name, (waking.get(name) ?? new Set()).add(wake));
      await clock.sleep(ms, AbortSignal.any([signal, woken.signal]));
      for (const name of names) waking.get(name)?.delete(wake);
      return rung;
    },
    ring(payment) {
      for (const name of keys(payment)) {
        const sleepers = waking.get(name);
        // Most of what is heard is of payments that nobody here waits for.
        if (sleepers === undefined) continue;
        if (sleepers.size === 0) missed.add(name);
        for (const wake of sleepers) wake();
      }
    },
  };
}
