// A listener at work: webhooks come in, are kept, answered, read and passed on, and whoever watches is told.

import type { Client } from '../client/client.js';
import type { Clock } from '../client/clock.js';
import type { PaydeskError } from '../errors.js';
import type { DeskTables } from '../ledger/schema.js';
import type { Line } from '../output/lines.js';
import type { Owner } from '../store/owner.js';
import type { Store } from '../store/store.js';
import type { Chaos } from './forwarding/chaos.js';
import type { Delivery } from './inbox/delivery.js';
import { planForwards } from './forwarding/forward-plan.js';
import { createForwarder, type Forwarder } from './forwarding/forwarder.js';
import { createInbox } from './inbox/inbox.js';
import { createInboxWriter, type WebhookRequest } from './inbox/inbox-writer.js';
import { type AppPlace, openListener } from './inbox/listeners.js';
import { createLiveDeliveries } from './inbox/live-deliveries.js';
import { findMissed, openPayments } from './reading/missed.js';
import { namePayment } from './inbox/name-payment.js';
import { createReadRecorder, type UnreadDelivery } from './reading/read-record.js';
import { createReader } from './reading/reader.js';
import { PATH_PREFIX, startReceiver } from './inbox/receiver.js';
import { createSender } from './forwarding/sender.js';
import { type Filter, needsRead, passes, type Target } from './forwarding/targets.js';
import { createProbe } from './tunnels/probe.js';
import { openTunnel } from './tunnels/supervise.js';
import type { Tunnel, TunnelEvent } from './tunnels/tunnel.js';
import { createUnreadQueue } from './reading/unread-queue.js';

export type ListenEvent =
  | { type: 'arrived' | 'progress' | 'settled'; delivery: Delivery }
  | { type: 'missed'; delivery: Delivery }
  | { type: 'down'; why: string }
  | { type: 'up'; downMs: number }
  /** `pointing` are the open payments whose webhooks still go to the old address. */
  | { type: 'url-changed'; url: string; previous: string; pointing: string[] }
  | { type: 'failed'; error: PaydeskError };

export interface ListenOptions {
  store: Store<DeskTables>;
  client: Client;
  place: AppPlace;
  owner: Owner;
  clock: Clock;
  port: number;
  /** Where that port is taken, any other will do. */
  orAnother: boolean;
  tunnel: Tunnel;
  targets: readonly Target[];
  /** What holds for all targets. */
  filter: Filter;
  /** When a webhook is answered: once it is kept, or once every target took it. */
  ack: 'immediate' | 'forwarded';
  chaos: Chaos | undefined;
  interactive: boolean;
  signal: AbortSignal;
  note: (...lines: Line[]) => void;
  onEvent(event: ListenEvent): void;
  onError(error: unknown): void;
}

export interface Listener {
  readonly id: number;
  /** The address for webhooks, as it is now. */
  readonly url: string;
  readonly localUrl: string;
  readonly secret: string;
  /** Forwards that wait for targets that this listener does not have. */
  waitingElsewhere: Forwarder['waitingElsewhere'];
  /** Takes nothing new, and leaves in the queue what was not passed on yet. */
  stop(): Promise<void>;
}

const UPKEEP_MS = 20_000;

export async function startListener(options: ListenOptions): Promise<Listener> {
  const { store, client, place, owner, clock, targets, chaos, onEvent, onError } = options;
  const now = () => clock.now();
  const listener = await openListener(store, place);
  const inbox = createInbox(store);
  const inboxWriter = createInboxWriter(store, listener.id, owner, () => forwarder.hasRoom());
  const unread = createUnreadQueue(store, listener.id, owner);
  const sender = createSender(now);
  const stopping = new AbortController();

  const planned = (facts: UnreadDelivery & { state: string | null }, afterRead: boolean) =>
    targets
      .filter(({ filter }) => (needsRead(filter) || needsRead(options.filter)) === afterRead)
      .filter(({ filter }) => passes(options.filter, facts) && passes(filter, facts))
      .flatMap((target) => planForwards(target, { listenerId: listener.id, ...facts }, now(), chaos));

  const live = createLiveDeliveries({
    load: async (ids) => inbox.named(place, ids),
    now,
    onProgress: (delivery) => onEvent({ type: 'progress', delivery }),
    onSettled: (delivery) => onEvent({ type: 'settled', delivery }),
    onError,
  });

  const forwarder = createForwarder({
    store,
    listener,
    owner,
    targets,
    sender,
    now,
    onAttempt: live.attempted,
    onError,
  });

  const recorder = createReadRecorder({
    store,
    listenerId: listener.id,
    nameOf: (said) => client.canonicalState(said) ?? said,
    forwardsOf: (delivery) => planned(delivery, true),
    lease: () => (forwarder.hasRoom() ? owner.name : undefined),
  });

  const reader = createReader({
    store,
    client,
    place,
    recorder,
    clock,
    onRead: (results) => {
      live.read(results);
      const forwards = results.flatMap((result) => result.forwards);
      forwarder.take(forwards.filter(({ lease_owner }) => lease_owner !== null));
      if (forwards.some(({ lease_owner, finished }) => lease_owner === null && finished === 0))
        forwarder.wake();
    },
    onError,
  });

  async function take(request: WebhookRequest): Promise<number> {
    const named = namePayment(request);
    const facts = { ...named, id: 0, path: request.path, state: null };
    const { delivery, leased } = await inboxWriter.add({ request, named, forwards: planned(facts, false) });
    const settled = options.ack === 'forwarded' ? live.whenSettled(delivery.id) : undefined;
    live.add(delivery);
    forwarder.take(leased, request);
    if (delivery.forwards.length > leased.length) forwarder.wake();
    onEvent({ type: 'arrived', delivery });
    // The target and the sender come first; who reads is not waited for by anybody.
    setImmediate(() => reader.add({ ...facts, id: delivery.id }));
    if (settled === undefined) return 200;
    return (await settled)?.forwards.some(({ outcome }) => outcome === 'failed') === false ? 200 : 502;
  }

  /** What was kept and not read when another listener ended, and leases of our own. */
  async function upkeep(): Promise<void> {
    await unread.renew();
    for (let page = await unread.adopt(now()); page.length > 0; page = await unread.adopt(now())) {
      live.adopt(
        await inbox.named(
          place,
          page.map(({ id }) => id),
        ),
      );
      for (const row of page) reader.add(unreadOf(row));
    }
  }

  async function lookForMissed(): Promise<void> {
    const { secret } = listener;
    const wait = async (ms: number) => {
      await clock.sleep(ms, stopping.signal);
      return !stopping.signal.aborted;
    };
    const missed = await findMissed({ store, place, secret, reader, inboxWriter, now, wait });
    for (const delivery of missed) onEvent({ type: 'missed', delivery });
  }

  async function onTunnel(event: TunnelEvent): Promise<void> {
    if (event.type !== 'url-changed') {
      onEvent(event);
      if (event.type === 'up') await lookForMissed();
      return;
    }
    const [url, previous] = [addressOf(event.url), addressOf(event.previous)];
    const pointing = await openPayments({ store, place, secret: listener.secret, now }, previous);
    onEvent({ type: 'url-changed', url, previous, pointing: pointing.map(({ payment_id }) => payment_id) });
  }

  const addressOf = (origin: string) => `${origin}${PATH_PREFIX}${listener.secret}`;
  const probe = createProbe();
  const receiver = await startReceiver({
    port: options.port,
    orAnother: options.orAnother,
    secret: listener.secret,
    probe: probe.answer,
    take,
    now,
    onError,
  });
  const timer = setInterval(() => void upkeep().catch(onError), UPKEEP_MS).unref();

  async function stopWork(): Promise<void> {
    stopping.abort();
    clearInterval(timer);
    await receiver.close();
    await reader.stop();
    await forwarder.stop();
    live.stop();
    await unread.release();
  }

  try {
    const { tunnel, signal, note, interactive } = options;
    const run = await openTunnel({ tunnel, probe, localPort: receiver.port, signal, note, interactive });
    run.on((event) => void onTunnel(event).catch(onError));
    void upkeep().catch(onError);
    void lookForMissed().catch(onError);
    forwarder.wake();
    return {
      id: listener.id,
      secret: listener.secret,
      localUrl: addressOf(`http://127.0.0.1:${receiver.port}`),
      get url() {
        return addressOf(run.url);
      },
      waitingElsewhere: () => forwarder.waitingElsewhere(),
      async stop() {
        await run.stop();
        await stopWork();
      },
    };
  } catch (error) {
    await stopWork();
    throw error;
  }
}

function unreadOf(row: {
  id: number;
  path: string;
  payment_id: string | null;
  reference_id: string | null;
  said_state: string | null;
  event_id: string | null;
}): UnreadDelivery {
  return {
    id: row.id,
    path: row.path,
    paymentId: row.payment_id,
    referenceId: row.reference_id,
    saidState: row.said_state,
    eventId: row.event_id,
  };
}
