// The authoritative read: what a webhook says is only a reason to ask the service. Deliveries of one payment that come
// together are answered by one read, which begins after the last of them arrived.

import type { Client } from '../../client/client.js';
import type { Clock } from '../../client/clock.js';
import type { PaymentKey, PaymentRead } from '../../client/payment-calls.js';
import { PaydeskError, ProfileError, ServiceError, TemporaryError } from '../../errors.js';
import { findKnown } from '../../ledger/known-payments.js';
import type { DeskTables } from '../../ledger/schema.js';
import { seenPayment } from '../../payments/seen-payment.js';
import type { Store } from '../../store/store.js';
import type { AppPlace } from '../inbox/listeners.js';
import { createReadBudget, keyText } from './read-budget.js';
import type { ReadRecorder, ReadResult, UnreadDelivery } from './read-record.js';
import { mayFollow } from './verdict.js';

export interface Reader {
  add(delivery: UnreadDelivery): void;
  /** Reads a payment that no delivery spoke of, within the same limits; undefined when that cannot be done now. */
  look(key: PaymentKey): Promise<PaymentRead | undefined>;
  /** No further read begins; resolves when those under way are written down. */
  stop(): Promise<void>;
}

export interface ReaderOptions {
  store: Store<DeskTables>;
  client: Pick<Client, 'getPayment' | 'canonicalState'>;
  place: AppPlace;
  recorder: ReadRecorder;
  clock: Clock;
  onRead(results: readonly ReadResult[]): void;
  onError(error: unknown): void;
}

const AT_ONCE = 8;
/** Between two reads of one payment: what comes within it is answered together. */
const APART_MS = 50;
const AFTER_ERROR_MS = 1_000;
/** One read with the client's own retries. */
const READ_MS = 8_000;
/** A read that failed for now is made again after these. */
const AGAIN_MS = [1_000, 5_000];
/** A webhook may be quicker than the service's own readers: its word is given a moment to come true. */
const EARLY_MS = [150, 400, 1_000];

interface Line {
  key: PaymentKey;
  waiting: UnreadDelivery[];
  /** Being read, about to be, or read a moment ago. */
  busy: boolean;
}

export function createReader(options: ReaderOptions): Reader {
  const { store, client, place, recorder, clock, onRead, onError } = options;
  const budget = createReadBudget(() => clock.now());
  const lines = new Map<string, Line>();
  const queue: Line[] = [];
  const familiar = new Set<string>();
  const workers = new Set<Promise<void>>();
  const abort = new AbortController();
  const { signal } = abort;
  let keyRefused = false;

  function add(delivery: UnreadDelivery): void {
    if (signal.aborted) return;
    const { paymentId, referenceId } = delivery;
    if (paymentId === null && referenceId === null) {
      const alone: Line = { key: { paymentId: '' }, waiting: [], busy: true };
      return void finish(alone, [delivery], 'none', null).catch(onError);
    }
    const key = paymentId === null ? { referenceId: referenceId as string } : { paymentId };
    const text = keyText(key);
    let line = lines.get(text);
    if (line === undefined) {
      line = { key, waiting: [], busy: false };
      lines.set(text, line);
    }
    line.waiting.push(delivery);
    enqueue(line);
  }

  function enqueue(line: Line): void {
    if (line.busy) return;
    line.busy = true;
    queue.push(line);
    if (workers.size >= AT_ONCE || signal.aborted) return;
    const worker = work().finally(() => workers.delete(worker));
    workers.add(worker);
  }

  async function work(): Promise<void> {
    for (let line = queue.shift(); line !== undefined; line = queue.shift()) {
      const failed = await serve(line).catch((error: unknown) => {
        onError(error);
        return true;
      });
      if (signal.aborted) return;
      setTimeout(leave, failed ? AFTER_ERROR_MS : APART_MS, line).unref();
    }
  }

  function leave(line: Line): void {
    line.busy = false;
    if (line.waiting.length > 0) enqueue(line);
    else lines.delete(keyText(line.key));
  }

  async function serve(line: Line): Promise<void> {
    const { key } = line;
    if (budget.isAbsent(key)) return missing(key, line);
    const stranger = !(await isFamiliar(key));
    if (stranger && !budget.takeForStranger()) {
      return finish(line, line.waiting.splice(0), 'unread', TOO_MANY);
    }
    await turn();
    if (signal.aborted) return;
    const deliveries = line.waiting.splice(0);
    const read = await readFor(key, deliveries);
    // What was cut off is left to the next listener.
    if (read === undefined || (signal.aborted && !('value' in read))) return;
    if (stranger && !('absent' in read && read.absent)) budget.giveBack();
    if ('value' in read) {
      noteFamiliar(key);
      const seen = seenPayment(place, read.value);
      const state = seen.state ?? '';
      return tell(line, deliveries, recorder.read(deliveries, { ...seen, state }, clock.now()));
    }
    if (!read.absent) return finish(line, deliveries, 'unread', read.why);
    budget.noteAbsent(key);
    line.waiting.unshift(...deliveries);
    await missing(key, line);
  }

  /** What could not be written down is waited for once more. */
  async function tell(
    line: Line,
    deliveries: UnreadDelivery[],
    writing: Promise<ReadResult[]>,
  ): Promise<void> {
    try {
      onRead(await writing);
    } catch (error) {
      line.waiting.unshift(...deliveries);
      throw error;
    }
  }

  type Outcome = { value: PaymentRead } | { absent: boolean; why: string };

  async function readFor(key: PaymentKey, deliveries: UnreadDelivery[]): Promise<Outcome | undefined> {
    let result = await readPatiently(key);
    for (const wait of EARLY_MS) {
      if (result === undefined || !('value' in result) || !isEarly(result.value, deliveries)) break;
      await clock.sleep(wait, signal);
      await turn();
      if (signal.aborted) break;
      result = (await readPatiently(key)) ?? result;
    }
    return result;
  }

  async function readPatiently(key: PaymentKey): Promise<Outcome | undefined> {
    for (let count = 0; ; count += 1) {
      const result = await readOnce(key);
      const wait = AGAIN_MS[count];
      if (!('again' in result) || wait === undefined) return result;
      await clock.sleep(wait, signal);
      if (signal.aborted) return undefined;
    }
  }

  async function readOnce(key: PaymentKey): Promise<Outcome & { again?: boolean }> {
    try {
      const limit = AbortSignal.timeout(READ_MS);
      return { value: await client.getPayment(key, { signal: AbortSignal.any([signal, limit]) }) };
    } catch (error) {
      if (error instanceof ServiceError && error.httpStatus === 404)
        return { absent: true, why: absent(key) };
      if (!(error instanceof PaydeskError)) throw error;
      // A key that is not accepted concerns every read: it is told once, and aloud.
      if (error instanceof ProfileError && !keyRefused) onError(error);
      keyRefused ||= error instanceof ProfileError;
      const temporary = error instanceof TemporaryError && !signal.aborted;
      return { absent: false, why: error.message, ...(temporary ? { again: true } : {}) };
    }
  }

  /** A webhook tells of a state that the payment can still come to: the read may be behind. */
  function isEarly(read: PaymentRead, deliveries: readonly UnreadDelivery[]): boolean {
    const { state } = read;
    return deliveries.some(({ saidState }) => {
      const said = saidState === null ? undefined : client.canonicalState(saidState);
      if (said === undefined || state === undefined || said === state) return false;
      return !mayFollow(said, state) && mayFollow(state, said);
    });
  }

  /** Where it was also named in another way, that one is tried; else there is no such payment. */
  async function missing(key: PaymentKey, line: Line): Promise<void> {
    const deliveries = line.waiting.splice(0);
    const others = deliveries.filter(({ referenceId }) => 'paymentId' in key && referenceId !== null);
    const none = deliveries.filter((delivery) => !others.includes(delivery));
    for (const delivery of others) add({ ...delivery, paymentId: null });
    await finish(line, none, 'unknown', absent(key));
  }

  async function finish(
    line: Line,
    deliveries: UnreadDelivery[],
    verdict: 'none' | 'unknown' | 'unread',
    why: string | null,
  ): Promise<void> {
    if (deliveries.length === 0) return;
    await tell(line, deliveries, recorder.unread(deliveries, verdict, why, clock.now()));
  }

  async function isFamiliar(key: PaymentKey): Promise<boolean> {
    if (familiar.has(keyText(key))) return true;
    if (!('paymentId' in key)) return false;
    return (await findKnown(store.db, { ...place, paymentId: key.paymentId })) !== undefined;
  }

  function noteFamiliar(key: PaymentKey): void {
    familiar.add(keyText(key));
    if (familiar.size <= MOST_FAMILIAR) return;
    const [oldest] = familiar;
    if (oldest !== undefined) familiar.delete(oldest);
  }

  /** Waits until a read may be made. */
  async function turn(): Promise<void> {
    for (let wait = budget.take(); wait > 0 && !signal.aborted; wait = budget.take()) {
      await clock.sleep(wait, signal);
    }
  }

  return {
    add,
    async look(key) {
      await turn();
      if (signal.aborted) return undefined;
      const result = await readOnce(key);
      return 'value' in result ? result.value : undefined;
    },
    async stop() {
      abort.abort();
      await Promise.all(workers);
    },
  };
}

const MOST_FAMILIAR = 10_000;
const TOO_MANY = 'not read: too many webhooks came about payments that do not exist';

const absent = (key: PaymentKey): string =>
  'paymentId' in key
    ? `the service has no payment ${key.paymentId}`
    : `the service has no payment with reference ${key.referenceId}`;
