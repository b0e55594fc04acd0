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
interface Line {
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
  const lines = createLines(signal, serve, onError);
  // Apart from the others, because nothing is read for these.
  const nameless = createLines(signal, (line) => finish(line, line.waiting.splice(0), 'none', null), onError);

  function add(unread: UnreadDelivery): void {
    if (signal.aborted) return;
    const delivery = { ...unread, since: clock.monotonic() };
    const { paymentId, referenceId } = delivery;
    if (paymentId !== null) return lines.add({ paymentId }, delivery);
    if (referenceId !== null) return lines.add({ referenceId }, delivery);
    // A line for each, so that none waits for another.
    nameless.add({ paymentId: String(delivery.id) }, delivery);
  }

  async function serve(line: Line): Promise<void> {
    const { key } = line;
    const isKnown = await familiar.has(key);
    if (!isKnown && budget.isAbsent(key)) return finishAbsent(line);
    if (!isKnown && !budget.takeForStranger()) {
      return giveUp(line, line.waiting.splice(0), TOO_MANY);
    }
    await reads.waitForTurn();
    if (signal.aborted) return;
    const deliveries = line.waiting.splice(0);
    const read = await reads.forDeliveries(key, deliveries, isKnown);
    // The next listener reads what was cut off here.
    if (read === undefined || (signal.aborted && !('value' in read))) return;
    if (!isKnown && !('absent' in read && read.absent)) budget.giveBack();
    if ('value' in read) {
      familiar.add(key);
      const seen = seenPayment(app, read.value);
      const state = seen.state ?? '';
      await report(line, deliveries, recorder.read(deliveries, { ...seen, state }, clock.now()));
      return;
    }
    if (!read.absent) return finishFailed(line, deliveries, read.why);
    budget.noteAbsent(key);
    line.waiting.unshift(...deliveries);
    await finishAbsent(line);
  }

  /** A delivery that also has a reference is read by it; for the others there is no such payment. */
  async function finishAbsent(line: Line): Promise<void> {
    const { key } = line;
    const none: WaitingDelivery[] = [];
    for (const delivery of line.waiting.splice(0)) {
      const { referenceId } = delivery;
      if ('paymentId' in key && referenceId !== null) lines.add({ referenceId }, delivery);
      else none.push(delivery);
    }
    await finish(line, none, 'unknown', absentText(key));
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
      await Promise.all([lines.idle(), nameless.idle()]);
    },
  };
}

/** Records the result of a read, or that it failed, and reports it. */
function createReports(options: Pick<ReaderOptions, 'recorder' | 'clock' | 'retries' | 'onRead'>) {
  const { recorder, clock, retries = READ_RETRIES, onRead } = options;

  /** Deliveries whose result could not be written wait for the next read. */
  async function report(
    line: Line,
    deliveries: WaitingDelivery[],
    writing: Promise<ReadResult[]>,
  ): Promise<ReadResult[]> {
    try {
      const results = await writing;
      onRead(results);
      return results;
    } catch (error) {
      line.waiting.unshift(...deliveries);
      throw error;
    }
  }

  async function finish(
    line: Line,
    deliveries: WaitingDelivery[],
    verdict: 'none' | 'unknown',
    why: string | null,
  ): Promise<void> {
    if (deliveries.length === 0) return;
    await report(line, deliveries, recorder.unread(deliveries, verdict, why, clock.now()));
  }

  /** They are not read. What a target needs the read for is recorded as not sent. */
  async function giveUp(line: Line, deliveries: WaitingDelivery[], why: string): Promise<void> {
    await report(
      line,
      deliveries,
      recorder.failed(deliveries, why, clock.now(), () => true),
    );
  }

  /** Those that a target needs the read for wait in the line for another one. */
  async function finishFailed(line: Line, deliveries: WaitingDelivery[], why: string): Promise<void> {
    const now = clock.monotonic();
    const waits = new Map(deliveries.map(({ id, since }) => [id, now - since]));
    const { minPauseMs, maxPauseMs, withinMs } = retries;
    const isGivenUp = (id: number) => (waits.get(id) ?? 0) >= withinMs;
    const writing = recorder.failed(deliveries, why, clock.now(), isGivenUp);
    const results = await report(line, deliveries, writing);
    const unfinished = deliveries.filter((_, index) => results[index]?.verdict === null);
    line.waiting.unshift(...unfinished);
    const pauseMs = Math.min(maxPauseMs, Math.max(minPauseMs, ...waits.values()));
    line.retry = { count: unfinished.length, pauseMs };
  }

  return { report, finish, finishFailed, giveUp };
}

/** One line of deliveries per payment; several payments are served at a time, each at most once at a time. */
function createLines(
  signal: AbortSignal,
  serve: (line: Line) => Promise<void>,
  onError: (error: unknown) => void,
) {
  const lines = new Map<string, Line>();
  const queue: Line[] = [];
  const workers = new Set<Promise<void>>();

  function enqueue(line: Line): void {
    clearTimeout(line.retryTimer);
    if (line.busy) return;
    line.busy = true;
    queue.push(line);
    if (workers.size >= CONCURRENCY || signal.aborted) return;
    const worker = work().finally(() => workers.delete(worker));
    workers.add(worker);
  }

  async function work(): Promise<void> {
    for (let line = queue.shift(); line !== undefined; line = queue.shift()) {
      const failed = await serve(line).then(
        () => false,
        (error: unknown) => {
          onError(error);
          return true;
        },
      );
      if (signal.aborted) return;
      setTimeout(leave, failed ? PAUSE_AFTER_ERROR_MS : PAUSE_MS, line).unref();
    }
  }

  function leave(line: Line): void {
    line.busy = false;
    const { retry, waiting } = line;
    line.retry = undefined;
    if (waiting.length === 0) lines.delete(keyText(line.key));
    else if (waiting.length === retry?.count)
      line.retryTimer = setTimeout(enqueue, retry.pauseMs, line).unref();
    else enqueue(line);
  }

  return {
    add(key: PaymentKey, delivery: WaitingDelivery): void {
      const text = keyText(key);
      const line = lines.get(text) ?? { key, waiting: [], busy: false };
      lines.set(text, line);
      line.waiting.push(delivery);
      enqueue(line);
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
