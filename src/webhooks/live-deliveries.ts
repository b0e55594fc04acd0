// Deliveries that are still on their way: what is known of each, until it was read and every target had it.

import type { Clock } from '../client/clock.js';
import type { ForwardRow } from '../ledger/inbox-schema.js';
import { type Delivery, forwardOf } from './inbox/delivery.js';
import type { Inbox } from './inbox/inbox.js';
import type { AppRef } from '../ledger/payment-ref.js';
import type { Attempt, Next } from './forwarding/forward-queue.js';
import type { ReadResult } from './reading/read-record.js';

export interface LiveDeliveries {
  add(delivery: Delivery): void;
  /** Left behind by another listener. */
  adopt(deliveries: readonly Delivery[]): void;
  read(results: readonly ReadResult[]): void;
  attempted(forward: ForwardRow, attempt: Attempt, next: Next): void;
  /**
   * Resolves when every target has a delivery or never will, after the read where a target depends on it, or when that
   * read failed; undefined when this listener ends first.
   */
  whenForwarded(id: number, needsRead: boolean): Promise<Delivery | undefined>;
  stop(): void;
}

interface LiveOptions {
  /** As they stand in the inbox. */
  load(ids: readonly number[]): Promise<Delivery[]>;
  now: () => number;
  onProgress(delivery: Delivery): void;
  onSettled(delivery: Delivery): void;
  /** It arrived here, and this listener ends before it is through. */
  onLeft(delivery: Delivery): void;
  onError(error: unknown): void;
}

/** Another process on the same database may have taken a part of the work: it is looked up now and then. */
const LOOK_MS = 1_000;
const MAX_READ = 100;

export function createLiveDeliveries(options: LiveOptions): LiveDeliveries {
  const { load, now, onProgress, onSettled, onLeft, onError } = options;
  const arrived = new Set<number>();
  const live = new Map<number, { delivery: Delivery; changed: number }>();
  const waiters = createWaiters();
  const timer = setInterval(() => void refresh().catch(onError), LOOK_MS).unref();

  function update(delivery: Delivery): void {
    waiters.update(delivery);
    if (!isSettled(delivery)) {
      live.set(delivery.id, { delivery, changed: now() });
      return onProgress(delivery);
    }
    live.delete(delivery.id);
    arrived.delete(delivery.id);
    onSettled(delivery);
  }

  async function refresh(): Promise<void> {
    const old = [...live].filter(([, { changed }]) => now() - changed > LOOK_MS).slice(0, MAX_READ);
    if (old.length === 0) return;
    const loaded = await load(old.map(([id]) => id));
    for (const delivery of loaded) {
      waiters.update(delivery);
      if (live.has(delivery.id) && isSettled(delivery)) update(delivery);
    }
  }

  /** One that came before this listener did. */
  async function bring(id: number): Promise<void> {
    for (const delivery of await load([id])) update(delivery);
  }

  return {
    add(delivery) {
      arrived.add(delivery.id);
      live.set(delivery.id, { delivery, changed: now() });
      waiters.update(delivery);
    },
    adopt(deliveries) {
      for (const delivery of deliveries) live.set(delivery.id, { delivery, changed: now() });
    },
    read(results) {
      for (const result of results) {
        const known = live.get(result.id)?.delivery;
        if (known === undefined) {
          void bring(result.id).catch(onError);
          continue;
        }
        const delivery = withResult(known, result);
        update(delivery);
        // The read is made again, which may take longer than a sender waits.
        if (delivery.verdict === null) waiters.answer(delivery);
      }
    },
    attempted(forward, attempt, next) {
      const known = live.get(forward.delivery_id)?.delivery;
      if (known === undefined) {
        void bring(forward.delivery_id).catch(onError);
        return;
      }
      const { status, ms, error } = attempt;
      const outcome = 'outcome' in next ? next.outcome : ('waiting' as const);
      const forwards = known.forwards.map((each) =>
        each.id === forward.id
          ? { ...each, status, ms, error, outcome, attempts: forward.attempts + 1 }
          : each,
      );
      update({ ...known, forwards });
    },
    whenForwarded: (id, needsRead) => waiters.add(id, needsRead),
    stop() {
      clearInterval(timer);
      for (const [id, { delivery }] of live) if (arrived.has(id)) onLeft(delivery);
      waiters.stop();
    },
  };
}

interface Waiter {
  /** A target depends on the read. */
  needsRead: boolean;
  resolve(delivery: Delivery | undefined): void;
}

/** Senders that wait until their delivery is forwarded. */
function createWaiters() {
  const waiting = new Map<number, Waiter>();

  function answer(delivery: Delivery): void {
    waiting.get(delivery.id)?.resolve(delivery);
    waiting.delete(delivery.id);
  }

  return {
    add: (id: number, needsRead: boolean): Promise<Delivery | undefined> =>
      new Promise((resolve) => waiting.set(id, { needsRead, resolve })),
    answer,
    /** Answers the sender if nothing more is to come. */
    update(delivery: Delivery): void {
      const isRead = delivery.verdict !== null || waiting.get(delivery.id)?.needsRead === false;
      if (isRead && isForwarded(delivery)) answer(delivery);
    },
    stop(): void {
      for (const { resolve } of waiting.values()) resolve(undefined);
      waiting.clear();
    },
  };
}

function withResult(known: Delivery, { forwards, removed, time, ...read }: ReadResult): Delivery {
  const kept = known.forwards.filter(({ id }) => !removed.includes(id));
  const readTime = read.state === null ? null : time;
  return { ...known, ...read, readTime, forwards: [...kept, ...forwards.map(forwardOf)] };
}

/** It was read, or will not be, and every target took it or never will. */
const isSettled = (delivery: Delivery): boolean => delivery.verdict !== null && isForwarded(delivery);

const isForwarded = ({ forwards }: Delivery): boolean =>
  forwards.every(({ outcome }) => outcome !== 'waiting');

const FOLLOW_MS = 100;
/** A delivery that is not settled by then is given as it is. */
const SETTLE_LIMIT_MS = 30_000;

/** Deliveries as they come in, each once it was read and passed on, whichever process receives them. */
export async function* followInbox(
  inbox: Inbox,
  app: AppRef,
  { from, clock, signal }: { from: number; clock: Clock; signal: AbortSignal },
): AsyncGenerator<Delivery> {
  let last = from;
  let waiting = new Set<number>();
  while (!signal.aborted) {
    const fresh = await inbox.after(app, last);
    last = fresh.at(-1)?.id ?? last;
    const older = waiting.size === 0 ? [] : await inbox.named(app, [...waiting]);
    waiting = new Set();
    for (const delivery of [...older, ...fresh]) {
      if (isSettled(delivery) || clock.now() - delivery.time > SETTLE_LIMIT_MS) yield delivery;
      else waiting.add(delivery.id);
    }
    if (fresh.length === 0) await clock.sleep(FOLLOW_MS, signal);
  }
}
