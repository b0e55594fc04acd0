// Passes deliveries on: in the order of each payment, many payments at a time, tried again where it failed. What is to
// be sent stands in the inbox, so when a forwarder is killed, the next one continues.

import { createScrubber } from '../../redact.js';
import type { DeliveryRow, ForwardRow } from '../../ledger/inbox-schema.js';
import type { DeskTables } from '../../ledger/schema.js';
import type { Owner } from '../../store/owner.js';
import type { Store } from '../../store/store.js';
import { type Attempt, createForwardQueue, type ForwardQueue, type Next } from './forward-queue.js';
import { forwardedRequest } from './forwarded-request.js';
import type { WebhookRequest } from '../inbox/inbox-writer.js';
import type { Sender } from './sender.js';
import type { Target } from './targets.js';

export interface Forwarder {
  /** Something may be due that nobody has. */
  wake(): void;
  /** Whether one more can be sent at once. */
  hasRoom(): boolean;
  /** Sends what is leased by us already. */
  take(forwards: readonly ForwardRow[], request?: WebhookRequest): void;
  /** No more is begun; resolves when nothing is under way. The sender is closed with it. */
  stop(): Promise<void>;
  waitingElsewhere: ForwardQueue['waitingElsewhere'];
  /** Begins again with what our targets did not accept in earlier runs; says how many there are. */
  retryFailed(): Promise<number>;
}

interface ForwarderOptions {
  store: Store<DeskTables>;
  listener: { id: number; secret: string };
  owner: Owner;
  targets: readonly Target[];
  sender: Sender;
  now: () => number;
  /** RETRIES when absent. */
  retries?: Retries | undefined;
  /** After each attempt; without a further one, `next` is how it ended. */
  onAttempt(forward: ForwardRow, attempt: Attempt, next: Next): void;
  onError(error: unknown): void;
}

/** How often a target that did not answer 2xx is tried again, and for how long after the first attempt. */
export interface Retries {
  delaysMs: readonly number[];
  withinMs: number;
}

const CONCURRENCY = 64;
/** Others on the same database may have left something, and leases run out. */
const LOOK_MS = 1_000;
/** How long targets may still take when it stops. */
const GRACE_MS = 1_500;
const RETRIES: Retries = { delaysMs: [500, 1_000, 2_000], withinMs: 5_000 };

const requestColumns = ['id', 'kind', 'method', 'query', 'headers', 'body'] as const;

/** What is passed on of a delivery. */
interface Passed extends Pick<WebhookRequest, 'method' | 'query' | 'headers' | 'body'> {
  kind: DeliveryRow['kind'];
}

export function createForwarder(options: ForwarderOptions): Forwarder {
  const { store, listener, owner, targets, sender, now, onAttempt, onError } = options;
  const queue = createForwardQueue(
    store,
    listener.id,
    owner,
    targets.map(({ key }) => key),
  );
  const hide = createScrubber(listener.secret);
  const active = new Set<Promise<void>>();
  /** Taken without their requests, which are being read from the database. */
  const loading = new Set<Promise<void>>();
  const room = () => CONCURRENCY - active.size;
  const claims = createClaims(queue, { now, room, send, onError });
  const started = now();

  async function send(forwards: readonly ForwardRow[]): Promise<void> {
    const requests = await requestsOf(store, forwards);
    for (const forward of forwards) begin(forward, requests.get(forward.delivery_id));
  }

  function load(forwards: readonly ForwardRow[]): void {
    const sending = send(forwards)
      .catch(onError)
      .finally(() => loading.delete(sending));
    loading.add(sending);
  }

  function begin(forward: ForwardRow, request: Passed | undefined): void {
    const sending = pass(forward, request)
      .catch(onError)
      .finally(() => {
        active.delete(sending);
        claims.next();
      });
    active.add(sending);
  }

  async function pass(forward: ForwardRow, delivery: Passed | undefined): Promise<void> {
    const target = targets.find(({ key }) => key === forward.target_key);
    if (target === undefined || delivery === undefined) throw new Error('A forward without its delivery.');
    const request = forwardedRequest(delivery, target, { hide, marks: marksOf(delivery) });
    const attempt = await sender.send(request, target);
    if (attempt === undefined) return;
    const next = planNextAttempt(forward, attempt, { now: now(), started, retries: options.retries });
    await queue.record(forward, attempt, next);
    if ('dueTime' in next) claims.expect();
    onAttempt(forward, attempt, next);
  }

  const begun = queue.freeAbandoned().catch(onError);

  return {
    wake: () => void begun.then(() => targets.length > 0 && claims.wake()),
    hasRoom: () => !claims.stopped() && room() > 0,
    take(forwards, request) {
      if (request === undefined) load(forwards);
      else for (const forward of forwards) begin(forward, { ...request, kind: 'received' });
    },
    async stop() {
      const claimed = claims.stop();
      await begun;
      await claimed;
      await Promise.all(loading);
      // A target that takes too long gets it again from the next listener.
      const late = setTimeout(() => void sender.close().catch(onError), GRACE_MS);
      await Promise.all(active);
      clearTimeout(late);
      await sender.close();
      await queue.release();
    },
    waitingElsewhere: () => queue.waitingElsewhere(),
    retryFailed: () => queue.retryFailed(now()),
  };
}

interface ClaimOptions {
  now: () => number;
  /** How many more can be sent at once. */
  room: () => number;
  send(forwards: readonly ForwardRow[]): Promise<void>;
  onError(error: unknown): void;
}

/** Claims what is due whenever there is room: when woken, when something falls due, and now and then. */
function createClaims(queue: ForwardQueue, { now, room, send, onError }: ClaimOptions) {
  let stopped = false;
  let claiming: Promise<void> | undefined;
  let again = false;
  /** Something is due behind another, or was left by another process. */
  let behind = true;
  let timer: NodeJS.Timeout | undefined;

  function wake(): void {
    if (stopped) return;
    again = true;
    behind = true;
    claiming ??= claimAll().finally(() => {
      claiming = undefined;
    });
  }

  async function claimAll(): Promise<void> {
    clearTimeout(timer);
    try {
      while (again && !stopped && room() > 0) {
        again = false;
        const limit = room();
        const forwards = await queue.claim(now(), limit);
        if (forwards.length === limit) again = true;
        await send(forwards);
      }
      if (!stopped) await lookAgain();
    } catch (error) {
      onError(error);
      schedule(LOOK_MS);
    }
  }

  async function lookAgain(): Promise<void> {
    const next = await queue.nextTime();
    behind = next !== undefined;
    const wait = next === undefined ? LOOK_MS : next - now();
    // One that is due already is claimed by another, or waits behind another of its lane.
    schedule(wait > 0 ? Math.min(wait, LOOK_MS) : LOOK_MS);
  }

  function schedule(ms: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(wake, ms).unref();
  }

  return {
    wake,
    /** After one was sent. Most of the time nothing is behind it, and a look would cost more than sending. */
    next: () => void (behind && wake()),
    /** Something is due later. */
    expect(): void {
      behind = true;
    },
    stopped: () => stopped,
    /** Resolves when no claim is under way. */
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await claiming;
    },
  };
}

export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

export function planNextAttempt(
  forward: Pick<ForwardRow, 'attempts' | 'first_time'>,
  attempt: Attempt,
  { now, started, retries = RETRIES }: { now: number; started: number; retries?: Retries | undefined },
): Next {
  if (isSuccess(attempt.status)) return { outcome: 'delivered' };
  const delay = retries.delaysMs[forward.attempts];
  if (delay === undefined) return { outcome: 'failed' };
  // What was tried before this process began does not count: nobody was there to try again.
  const first = Math.max(forward.first_time ?? attempt.time, started);
  return now + delay - first > retries.withinMs ? { outcome: 'failed' } : { dueTime: now + delay };
}

const marksOf = ({ kind }: Pick<DeliveryRow, 'kind'>): Array<[string, string]> =>
  kind === 'synthetic' ? [['Paydesk-Synthetic', 'true']] : [];

async function requestsOf(
  store: Store<DeskTables>,
  forwards: readonly ForwardRow[],
): Promise<Map<number, Passed>> {
  if (forwards.length === 0) return new Map();
  const ids = [...new Set(forwards.map(({ delivery_id }) => delivery_id))];
  const rows = await store.db
    .selectFrom('deliveries')
    .select(requestColumns)
    .where('id', 'in', ids)
    .execute();
  return new Map(
    rows.map((row) => [row.id, { ...row, headers: JSON.parse(row.headers) as Array<[string, string]> }]),
  );
}
