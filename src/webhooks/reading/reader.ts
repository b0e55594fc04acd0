// The authoritative read: what a webhook says is only a reason to ask the service. Deliveries of one payment that come
// together are answered by one read, which begins after the last of them arrived.

import type { Client } from '../../client/client.js';
import type { Clock } from '../../client/clock.js';
import type { PaymentKey, PaymentRead } from '../../client/payment-calls.js';
import type { DeskTables } from '../../ledger/schema.js';
import { seenPayment } from '../../payments/seen-payment.js';
import type { Store } from '../../store/store.js';
import type { AppRef } from '../../ledger/payment-ref.js';
import { absentText, createPaymentReads } from './payment-reads.js';
import { createReadBudget, keyText } from './read-budget.js';
import type { ReadRecorder, ReadResult } from './read-record.js';
import type { UnreadDelivery } from './unread-delivery.js';

export interface Reader {
  add(delivery: UnreadDelivery): void;
  /** Reads a payment that no delivery spoke of, within the same limits; undefined when that cannot be done now. */
  look(key: PaymentKey): Promise<PaymentRead | undefined>;
  /** No further read begins; resolves when those under way are written down. */
  stop(): Promise<void>;
}

interface ReaderOptions {
  store: Store<DeskTables>;
  client: Pick<Client, 'getPayment' | 'canonicalState'>;
  app: AppRef;
  recorder: ReadRecorder;
  clock: Clock;
  /** Ends the client's calls: what is read at that moment is left to the next listener, as after `stop`. */
  signal: AbortSignal;
  /** READ_RETRIES when absent. */
  retries: ReadRetries | undefined;
  onRead(results: readonly ReadResult[]): void;
  onError(error: unknown): void;
}

/** When a read that failed is made again for the targets that need it: after a pause as long as the wait so far. */
export interface ReadRetries {
  minPauseMs: number;
  maxPauseMs: number;
  withinMs: number;
}

const READ_RETRIES: ReadRetries = { minPauseMs: 5_000, maxPauseMs: 600_000, withinMs: 3_600_000 };
const CONCURRENCY = 8;
/** Between two reads of one payment: webhooks that come within it share the next read. */
const PAUSE_MS = 50;
const PAUSE_AFTER_ERROR_MS = 1_000;
const MAX_FAMILIAR = 10_000;
const TOO_MANY = 'not read: too many webhooks arrived for payments that do not exist';

/** The deliveries that wait for a read of one payment. */
interface PaymentQueue {
  key: PaymentKey;
  waiting: WaitingDelivery[];
  /** Being read, about to be, or read a moment ago. */
  busy: boolean;
  /** Where a read failed: how many wait for the next one, and how long, unless another delivery comes. */
  retry?: { count: number; pauseMs: number } | undefined;
  retryTimer?: NodeJS.Timeout | undefined;
}

interface WaitingDelivery extends UnreadDelivery {
  /** When this process took it up, by the monotonic clock. */
  since: number;
}

export function createReader(options: ReaderOptions): Reader {
  const { store, client, app, recorder, clock, onError } = options;
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, options.signal]);
  const budget = createReadBudget(() => clock.monotonic());
  const reads = createPaymentReads({ client, clock, budget, signal, onError });
  const familiar = createFamiliarPayments(store, app);
  const { report, finish, finishFailed, giveUp } = createReports(options);
  const queues = createQueues(signal, serve, onError);
  // Apart from the others, because nothing is read for these.
  const nameless = createQueues(
    signal,
    (queue) => finish(queue, queue.waiting.splice(0), 'none', null),
    onError,
  );

  function add(unread: UnreadDelivery): void {
    if (signal.aborted) return;
    const delivery = { ...unread, since: clock.monotonic() };
    const { paymentId, referenceId } = delivery;
    if (paymentId !== null) return queues.add({ paymentId }, delivery);
    if (referenceId !== null) return queues.add({ referenceId }, delivery);
    // A queue for each, so that none waits for another.
    nameless.add({ paymentId: String(delivery.id) }, delivery);
  }

  async function serve(queue: PaymentQueue): Promise<void> {
    const { key } = queue;
    const isKnown = await familiar.has(key);
    if (!isKnown && budget.isAbsent(key)) return finishAbsent(queue);
    if (!isKnown && !budget.takeForStranger()) {
      return giveUp(queue, queue.waiting.splice(0), TOO_MANY);
    }
    await reads.waitForTurn();
    if (signal.aborted) return;
    const deliveries = queue.waiting.splice(0);
    const read = await reads.forDeliveries(key, deliveries, isKnown);
    // The next listener reads what was cut off here.
    if (read === undefined || (signal.aborted && !('value' in read))) return;
    if (!isKnown && !('absent' in read && read.absent)) budget.giveBack();
    if ('value' in read) {
      familiar.add(key);
      const seen = seenPayment(app, read.value);
      const state = seen.state ?? '';
      await report(queue, deliveries, recorder.read(deliveries, { ...seen, state }, clock.now()));
      return;
    }
    if (!read.absent) return finishFailed(queue, deliveries, read.why);
    budget.noteAbsent(key);
    queue.waiting.unshift(...deliveries);
    await finishAbsent(queue);
  }

  /** A delivery that also has a reference is read by it; for the others there is no such payment. */
  async function finishAbsent(queue: PaymentQueue): Promise<void> {
    const { key } = queue;
    const none: WaitingDelivery[] = [];
    for (const delivery of queue.waiting.splice(0)) {
      const { referenceId } = delivery;
      if ('paymentId' in key && referenceId !== null) queues.add({ referenceId }, delivery);
      else none.push(delivery);
    }
    await finish(queue, none, 'unknown', absentText(key));
  }

  return {
    add,
    async look(key) {
      await reads.waitForTurn();
      if (signal.aborted) return undefined;
      const result = await reads.once(key);
      return 'value' in result ? result.value : undefined;
    },
    async stop() {
      abort.abort();
      await Promise.all([queues.idle(), nameless.idle()]);
    },
  };
}

/** Records the result of a read, or that it failed, and reports it. */
function createReports(options: Pick<ReaderOptions, 'recorder' | 'clock' | 'retries' | 'onRead'>) {
  const { recorder, clock, retries = READ_RETRIES, onRead } = options;

  /** Deliveries whose result could not be written wait for the next read. */
  async function report(
    queue: PaymentQueue,
    deliveries: WaitingDelivery[],
    writing: Promise<ReadResult[]>,
  ): Promise<ReadResult[]> {
    try {
      const results = await writing;
      onRead(results);
      return results;
    } catch (error) {
      queue.waiting.unshift(...deliveries);
      throw error;
    }
  }

  async function finish(
    queue: PaymentQueue,
    deliveries: WaitingDelivery[],
    verdict: 'none' | 'unknown',
    why: string | null,
  ): Promise<void> {
    if (deliveries.length === 0) return;
    await report(queue, deliveries, recorder.unread(deliveries, verdict, why, clock.now()));
  }

  /** They are not read. What a target needs the read for is recorded as not sent. */
  async function giveUp(queue: PaymentQueue, deliveries: WaitingDelivery[], why: string): Promise<void> {
    await report(
      queue,
      deliveries,
      recorder.failed(deliveries, why, clock.now(), () => true),
    );
  }

  /** Those that a target needs the read for wait in the queue for another one. */
  async function finishFailed(
    queue: PaymentQueue,
    deliveries: WaitingDelivery[],
    why: string,
  ): Promise<void> {
    const now = clock.monotonic();
    const waits = new Map(deliveries.map(({ id, since }) => [id, now - since]));
    const { minPauseMs, maxPauseMs, withinMs } = retries;
    const isGivenUp = (id: number) => (waits.get(id) ?? 0) >= withinMs;
    const writing = recorder.failed(deliveries, why, clock.now(), isGivenUp);
    const results = await report(queue, deliveries, writing);
    const unfinished = deliveries.filter((_, index) => results[index]?.verdict === null);
    queue.waiting.unshift(...unfinished);
    const pauseMs = Math.min(maxPauseMs, Math.max(minPauseMs, ...waits.values()));
    queue.retry = { count: unfinished.length, pauseMs };
  }

  return { report, finish, finishFailed, giveUp };
}

/** One queue of deliveries per payment; several payments are served at a time, each at most once at a time. */
function createQueues(
  signal: AbortSignal,
  serve: (queue: PaymentQueue) => Promise<void>,
  onError: (error: unknown) => void,
) {
  const queues = new Map<string, PaymentQueue>();
  const ready: PaymentQueue[] = [];
  const workers = new Set<Promise<void>>();

  function enqueue(queue: PaymentQueue): void {
    clearTimeout(queue.retryTimer);
    if (queue.busy) return;
    queue.busy = true;
    ready.push(queue);
    if (workers.size >= CONCURRENCY || signal.aborted) return;
    const worker = work().finally(() => workers.delete(worker));
    workers.add(worker);
  }

  async function work(): Promise<void> {
    for (let queue = ready.shift(); queue !== undefined; queue = ready.shift()) {
      const failed = await serve(queue).then(
        () => false,
        (error: unknown) => {
          onError(error);
          return true;
        },
      );
      if (signal.aborted) return;
      setTimeout(leave, failed ? PAUSE_AFTER_ERROR_MS : PAUSE_MS, queue).unref();
    }
  }

  function leave(queue: PaymentQueue): void {
    queue.busy = false;
    const { retry, waiting } = queue;
    queue.retry = undefined;
    if (waiting.length === 0) queues.delete(keyText(queue.key));
    else if (waiting.length === retry?.count)
      queue.retryTimer = setTimeout(enqueue, retry.pauseMs, queue).unref();
    else enqueue(queue);
  }

  return {
    add(key: PaymentKey, delivery: WaitingDelivery): void {
      const text = keyText(key);
      const queue = queues.get(text) ?? { key, waiting: [], busy: false };
      queues.set(text, queue);
      queue.waiting.push(delivery);
      enqueue(queue);
    },
    /** Resolves when the workers have ended. */
    idle: async (): Promise<void> => void (await Promise.all(workers)),
  };
}

/** Payments that this desk knows or has just read. Others may be made up, and are read within a smaller budget. */
function createFamiliarPayments(store: Store<DeskTables>, app: AppRef) {
  const read = new Set<string>();
  return {
    async has(key: PaymentKey): Promise<boolean> {
      if (read.has(keyText(key))) return true;
      const [column, name] =
        'paymentId' in key
          ? (['payment_id', key.paymentId] as const)
          : (['reference_id', key.referenceId] as const);
      const known = await store.db
        .selectFrom('known_payments')
        .select('id')
        .where('app_id', '=', app.appId)
        .where(column, '=', name)
        .limit(1)
        .executeTakeFirst();
      return known !== undefined;
    },
    add(key: PaymentKey): void {
      read.add(keyText(key));
      if (read.size <= MAX_FAMILIAR) return;
      const [oldest] = read;
      if (oldest !== undefined) read.delete(oldest);
    },
  };
}
