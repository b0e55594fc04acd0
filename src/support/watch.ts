// Follows payments until a state, until they are settled, or until the time is up. Nothing is sent but reads.

import type { Client } from '../client/client.js';
import type { Clock } from '../client/clock.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { canReach, type StateName } from '../contract/states.js';
import {
  InterruptedError,
  NotReachedError,
  type PaydeskError,
  PendingError,
  ServiceError,
  TemporaryError,
} from '../errors.js';
import { idOf, labelOf, type NamedPayment, stateOf, stateText } from '../payments/named-payments.js';
import type { Alarm } from './alarm.js';

/** The money is taken, given back, or will not be taken. */
const settled: readonly StateName[] = ['Captured', 'Refunded', 'Cancelled', 'Declined', 'Failed', 'Expired'];

export type Until = StateName | 'settled';

/** Something to tell while payments are watched. */
export interface WatchEvent {
  event: 'watching' | 'changed';
  read: PaymentRead;
  /** As the service names them. */
  before: string | null;
  after: string | null;
  time: number;
  /** Since the change before, or since it is watched. */
  tookMs: number;
  /** What made this desk look. */
  by: 'poll' | 'webhook';
}

export interface Watched {
  typed: string;
  read: PaymentRead | undefined;
  result: 'reached' | 'unreachable' | 'pending' | 'failed';
  error?: PaydeskError;
}

export interface WatchOptions {
  client: Client;
  clock: Clock;
  /** Fires on Ctrl-C and when the time is up. */
  signal: AbortSignal;
  until: Until;
  /** The first pause between two reads; the next ones grow. */
  intervalMs: number;
  /** Ends a pause early; undefined where there is no inbox. */
  alarm: Alarm;
  onEvent: (event: WatchEvent) => Promise<void>;
  /** A read that failed for now. */
  onTrouble: (typed: string, error: PaydeskError) => void;
}

const GROWTH = 1.5;
const LONGEST_MS = 10_000;
const AT_ONCE = 8;

export async function watchAll(names: readonly NamedPayment[], options: WatchOptions): Promise<Watched[]> {
  const slots = createSlots(AT_ONCE);
  return Promise.all(names.map((name) => watchOne(name, options, slots)));
}

async function watchOne(name: NamedPayment, options: WatchOptions, slots: Slots): Promise<Watched> {
  const { client, clock, signal, until, intervalMs, alarm } = options;
  const { typed } = name;
  let key = name.key;
  let last: PaymentRead | undefined;
  let since = clock.now();
  let by: WatchEvent['by'] = 'poll';
  let inTrouble = false;
  const longest = Math.max(LONGEST_MS, intervalMs);
  for (let pause = intervalMs; ; pause = Math.min(longest, pause * GROWTH)) {
    try {
      const asked = key;
      const read = await slots(() => client.getPayment(asked));
      inTrouble = false;
      const time = clock.now();
      const [before, after] = [last ? stateOf(last) : null, stateOf(read)];
      const event = last === undefined ? 'watching' : 'changed';
      key = { paymentId: idOf(read) };
      if (event === 'watching' || before !== after) {
        await options.onEvent({ event, read, before, after, time, tookMs: time - since, by });
        since = time;
        pause = intervalMs;
      }
      last = read;
      const end = endOf(read, until);
      if (end) return { typed, read, ...end };
    } catch (error) {
      // What is cut short by Ctrl-C or the time limit ends below.
      if (!signal.aborted) {
        const forNow = error instanceof TemporaryError;
        // What was never read is told at once; what was is read again.
        if (error instanceof ServiceError || (forNow && last === undefined)) {
          return { typed, read: last, result: 'failed', error };
        }
        if (!forNow) throw error;
        if (!inTrouble) options.onTrouble(typed, error);
        inTrouble = true;
      }
    }
    if (signal.aborted) return { typed, read: last, ...stopped(typed, last, signal.reason, until) };
    const rung = await alarm.sleep(last && namesOf(last), pause, signal);
    by = rung ? 'webhook' : 'poll';
    if (rung) pause = intervalMs;
  }
}

const namesOf = (read: PaymentRead) => ({ paymentId: idOf(read), referenceId: read.fields.referenceId });

function endOf(read: PaymentRead, until: Until): Pick<Watched, 'result' | 'error'> | undefined {
  const { state } = read;
  if (state === undefined) return undefined;
  if (until === 'settled') return settled.includes(state) ? { result: 'reached' } : undefined;
  if (state === until) return { result: 'reached' };
  if (canReach(state, until)) return undefined;
  return {
    result: 'unreachable',
    error: new NotReachedError(
      `Payment ${labelOf(read)} is ${stateText(read)} and cannot come to be ${until} any more.`,
      { code: 'not-reached', next: [`paydesk payments explain ${idOf(read)}`] },
    ),
  };
}

function stopped(
  typed: string,
  read: PaymentRead | undefined,
  reason: unknown,
  until: Until,
): Pick<Watched, 'result' | 'error'> {
  const stands =
    read === undefined
      ? `Payment ${typed} could not be read`
      : `Payment ${labelOf(read)} is ${stateText(read)}`;
  const next = read === undefined ? [] : [`paydesk payments explain ${idOf(read)}`];
  const error =
    reason instanceof InterruptedError
      ? new InterruptedError(`${stands}.`, { code: 'stopped-waiting', next })
      : new PendingError(`${stands} now that the time is up, and not ${until}.`, { code: 'time-up', next });
  return { result: 'pending', error };
}

type Slots = <T>(work: () => Promise<T>) => Promise<T>;

/** So many at once, the others in turn. */
function createSlots(count: number): Slots {
  const waiting: Array<() => void> = [];
  let free = count;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
