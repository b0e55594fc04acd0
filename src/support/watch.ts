// Follows payments until a state, until they are settled, or until the time is up. Only reads.

import { paydesk } from '../next-command.js';
import { createSlots, type Slots } from '../concurrency.js';
import type { Client } from '../client/client.js';
import type { Clock } from '../client/clock.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { canReach, operationStates, type StateName } from '../contract/states.js';
import { GuardError, NotReachedError, type PaydeskError, ServiceError, TemporaryError } from '../errors.js';
import {
  idOf,
  labelOf,
  type NamedPayment,
  readNamed,
  type ReadOptions,
  stateOf,
  stateText,
} from '../payments/named-payments.js';
import { readUntil, waitEnded, type Turn } from '../payments/wait.js';
import { type Entry, outcomeOf } from '../ledger/moves/entries.js';
import type { Wakeups } from '../webhooks/inbox/wakeups.js';
import type { Records } from './records.js';

/** The customer was charged, refunded, or will not be charged. */
const settled: readonly StateName[] = ['Captured', 'Refunded', 'Cancelled', 'Declined', 'Failed', 'Expired'];

export type Until = StateName | 'settled';

/** Reported while payments are watched. */
export interface WatchEvent {
  event: 'watching' | 'changed';
  read: PaymentRead;
  /** As the service names them. */
  before: string | null;
  after: string | null;
  time: number;
  /** Since the last change, or since the watch started. */
  tookMs: number;
  /** What led to the read. */
  by: 'poll' | 'webhook';
}

export interface Watched {
  typed: string;
  read: PaymentRead | undefined;
  result: 'reached' | 'unreachable' | 'pending' | 'failed';
  error?: PaydeskError;
}

interface WatchOptions extends ReadOptions {
  client: Client;
  clock: Clock;
  /** Fires on Ctrl-C and when the time is up. */
  signal: AbortSignal;
  until: Until;
  /** The first pause between two reads; the next ones grow. */
  intervalMs: number;
  wakeups: Wakeups;
  onEvent: (event: WatchEvent) => Promise<void>;
  /** A read failed, and is tried again. */
  onTrouble: (typed: string, error: PaydeskError) => void;
}

const MAX_PAUSE_MS = 10_000;
/** A person who waits for the service to come back wants to know soon. */
const MAX_TROUBLE_PAUSE_MS = 2_000;
const MAX_CONCURRENT_READS = 8;

export async function watchAll(names: readonly NamedPayment[], options: WatchOptions): Promise<Watched[]> {
  const slots = createSlots(MAX_CONCURRENT_READS);
  return Promise.all(names.map((name) => watchOne(name, options, slots)));
}

async function watchOne(name: NamedPayment, options: WatchOptions, slots: Slots): Promise<Watched> {
  const { client, clock, signal, until, intervalMs, wakeups } = options;
  const { typed } = name;
  let named = name;
  let last: PaymentRead | undefined;
  let since = clock.now();
  let hasTrouble = false;
  const troubleMs = Math.max(MAX_TROUBLE_PAUSE_MS, intervalMs);

  /** Resolves with how the watch ends, or with undefined while it continues. */
  async function look({ woken, restart }: Turn): Promise<Watched | undefined> {
    const read = await slots(() => readNamed(client, named, options));
    hasTrouble = false;
    const time = clock.now();
    const [before, after] = [last ? stateOf(last) : null, stateOf(read)];
    const event = last === undefined ? 'watching' : 'changed';
    named = { typed, key: { paymentId: idOf(read) } };
    if (event === 'watching' || before !== after) {
      const by = woken ? 'webhook' : 'poll';
      await options.onEvent({ event, read, before, after, time, tookMs: time - since, by });
      since = time;
      restart();
    }
    last = read;
    const end = endOf(read, until);
    return end && { typed, read, ...end };
  }

  /** A payment that was never read fails at once; any other is read again. */
  function failure(error: unknown): Watched | undefined {
    if (signal.aborted) return undefined;
    const forNow = error instanceof TemporaryError;
    if (error instanceof ServiceError || error instanceof GuardError || (forNow && last === undefined)) {
      return { typed, read: last, result: 'failed', error };
    }
    if (!forNow) throw error;
    if (!hasTrouble) options.onTrouble(typed, error);
    hasTrouble = true;
    return undefined;
  }

  const { last: end } = await readUntil(
    (turn) => look(turn).catch(failure),
    (watched) => watched !== undefined,
    {
      clock,
      signal,
      firstMs: intervalMs,
      maxMs: Math.max(MAX_PAUSE_MS, intervalMs),
      sleep: (ms, stop) =>
        wakeups.sleep(last && namesOf(last), hasTrouble ? Math.min(ms, troubleMs) : ms, stop),
    },
  );
  return end ?? { typed, read: last, ...stopped(typed, last, signal.reason, until) };
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
      `Payment ${labelOf(read)} is ${stateText(read)} and can no longer become ${until}.`,
      { code: 'not-reached', next: [paydesk('payments', 'explain', idOf(read))] },
    ),
  };
}

/**
 * The instruction of this desk that leads to `until` and was accepted, where the payment shows nothing of it: it is late,
 * or it has failed, and then a watch would never end.
 */
export async function acceptedWithoutEffect(
  records: Records,
  read: PaymentRead,
  until: Until,
): Promise<string | undefined> {
  const [operation, { during, end }] = Object.entries(operationStates).find(
    ([, each]) => each.end === until,
  ) ?? [undefined, {}];
  if (operation === undefined || read.state === during || read.state === end) return undefined;
  const open = await records.findOpen(namesOf(read));
  const isIt = (entry: Entry) => entry.operation === operation && outcomeOf(entry) === 'accepted';
  return open.some(isIt) ? operation : undefined;
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
  const next = read === undefined ? [] : [paydesk('payments', 'explain', idOf(read))];
  const wanted = until === 'settled' ? '' : `, not ${until}`;
  return { result: 'pending', error: waitEnded(reason, `${stands}${wanted}.`, next) };
}
