// What happens to a webhook that arrived: it is stored and answered, read from the service, and passed on.

import type { Client } from '../client/client.js';
import type { Clock } from '../client/clock.js';
import type { ForwardRow } from '../ledger/inbox-schema.js';
import type { DeskTables } from '../ledger/schema.js';
import type { Owner } from '../store/owner.js';
import type { Store } from '../store/store.js';
import type { Chaos } from './forwarding/chaos.js';
import { planForwards } from './forwarding/forward-plan.js';
import type { PlannedForward } from './inbox/insert-forward.js';
import { createForwarder, type Forwarder, type Retries } from './forwarding/forwarder.js';
import { createSender } from './forwarding/sender.js';
import { type Filter, mayPass, needsRead, passes, type Target } from './forwarding/targets.js';
import type { Delivery } from './inbox/delivery.js';
import { createInbox } from './inbox/inbox.js';
import { createInboxWriter, type InboxWriter, type WebhookRequest } from './inbox/inbox-writer.js';
import type { AppRef } from '../ledger/payment-ref.js';
import { createLiveDeliveries, type LiveDeliveries } from './live-deliveries.js';
import { namePayment } from './inbox/name-payment.js';
import { createReadRecorder } from './reading/read-record.js';
import { createReader, type Reader, type ReadRetries } from './reading/reader.js';
import type { DeliveryFacts, UnreadDelivery } from './reading/unread-delivery.js';
import { createUnreadQueue } from './reading/unread-queue.js';

export interface DeliveryEvent {
  /** `left` is as far as it came when the listener ended. */
  type: 'arrived' | 'progress' | 'settled' | 'left';
  delivery: Delivery;
  /** It arrived before this listener started: an earlier one left it behind. */
  isEarlier: boolean;
}

export interface PipelineOptions {
  store: Store<DeskTables>;
  client: Client;
  app: AppRef;
  owner: Owner;
  clock: Clock;
  /** Ends the client's calls. */
  signal: AbortSignal;
  targets: readonly Target[];
  /** What holds for all targets. */
  filter: Filter;
  /** When a webhook is answered: once it is stored, or once every target took it. */
  ack: 'immediate' | 'forwarded';
  chaos: Chaos | undefined;
  retries?: Retries;
  readRetries?: ReadRetries;
  onEvent(event: DeliveryEvent): void;
  onError(error: unknown): void;
}

interface Pipeline {
  readonly inboxWriter: InboxWriter;
  readonly reader: Reader;
  readonly forwarder: Forwarder;
  /** Takes a request that arrived, and says with which status it is answered. */
  take(request: WebhookRequest): Promise<number>;
  /** Renews our leases, and reads what another listener stored and left unread. */
  upkeep(): Promise<void>;
  /** The payments that earlier listeners could not read for our targets are read again. */
  reopenUnread(): Promise<void>;
  stop(): Promise<void>;
}

interface PipelineListener {
  id: number;
  secret: string;
  /** The newest delivery when it started. */
  newestBefore: number;
}

export function createPipeline(options: PipelineOptions, listener: PipelineListener): Pipeline {
  const { store, client, app, owner, clock, targets, retries, onError } = options;
  const now = () => clock.now();
  const inbox = createInbox(store);
  const unread = createUnreadQueue(store, listener.id, owner);
  const inboxWriter = createInboxWriter(store, listener.id, owner, () => forwarder.hasRoom());
  const plan: IntakeParts['plan'] = (facts, afterRead) => forwardsOf(options, listener.id, facts, afterRead);
  const filteredKeys = filteredTargets(options).map(({ key }) => key);
  const tell = (type: DeliveryEvent['type']) => (delivery: Delivery) =>
    options.onEvent({ type, delivery, isEarlier: delivery.id <= listener.newestBefore });

  const live = createLiveDeliveries({
    load: async (ids) => inbox.named(app, ids),
    now,
    onProgress: tell('progress'),
    onSettled: tell('settled'),
    onLeft: tell('left'),
    onError,
  });
  const sender = createSender(now);
  const forwarder = createForwarder({
    store,
    listener,
    owner,
    targets,
    sender,
    now,
    retries,
    onAttempt: live.attempted,
    onError,
  });
  const recorder = createReadRecorder({
    store,
    listenerId: listener.id,
    nameOf: (said) => client.canonicalState(said) ?? said,
    filteredKeys,
    forwardsOf: (delivery) => plan(delivery, true),
    undecidedOf: (delivery) => undecidedOf(options, listener.id, delivery),
    lease: () => (forwarder.hasRoom() ? owner.name : undefined),
  });
  const reader = createReader({
    store,
    client,
    app,
    recorder,
    clock,
    signal: options.signal,
    retries: options.readRetries,
    onRead: (results) => {
      live.read(results);
      sendAfterRead(
        forwarder,
        results.flatMap(({ forwards }) => forwards),
      );
    },
    onError,
  });

  return {
    inboxWriter,
    reader,
    forwarder,
    take: createIntake(options, { inboxWriter, live, forwarder, reader, plan, onArrived: tell('arrived') }),
    async upkeep() {
      await unread.renew();
      for (let page = await unread.adopt(now()); page.length > 0; page = await unread.adopt(now())) {
        const ids = page.map(({ id }) => id);
        live.adopt(await inbox.named(app, ids));
        for (const row of page) reader.add(unreadOf(row));
      }
    },
    reopenUnread: () => unread.reopen(filteredKeys),
    async stop() {
      await reader.stop();
      await forwarder.stop();
      live.stop();
      await unread.release();
    },
  };
}

/** The forwards of a delivery: those that need no read are planned when it arrives, the others after the read. */
function forwardsOf(
  { targets, filter: common, clock, chaos }: PipelineOptions,
  listenerId: number,
  facts: DeliveryFacts,
  afterRead: boolean,
): PlannedForward[] {
  return targets
    .filter((target) => isAfterRead(target, common) === afterRead)
    .filter(({ filter }) => passes(common, facts) && passes(filter, facts))
    .flatMap((target) => planForwards(target, { listenerId, ...facts }, clock.now(), chaos));
}

/** Whether only a read can tell what is forwarded to a target. */
const isAfterRead = ({ filter }: Target, common: Filter): boolean => needsRead(filter) || needsRead(common);

const filteredTargets = ({ targets, filter: common }: PipelineOptions): Target[] =>
  targets.filter((target) => isAfterRead(target, common));

/** The targets that a read may let a delivery through to. */
function targetsAfterRead(options: PipelineOptions, delivery: UnreadDelivery): Target[] {
  const { filter: common } = options;
  return filteredTargets(options).filter(
    ({ filter }) => mayPass(common, delivery) && mayPass(filter, delivery),
  );
}

/** The forwards that may follow from a read, and do not follow from what the webhook says. */
function undecidedOf(
  options: PipelineOptions,
  listenerId: number,
  delivery: UnreadDelivery,
): PlannedForward[] {
  const { filter: common, clock } = options;
  const unread = { ...delivery, state: null };
  return targetsAfterRead(options, delivery)
    .filter(({ filter }) => !(passes(common, unread) && passes(filter, unread)))
    .flatMap((target) => planForwards(target, { listenerId, ...delivery }, clock.now(), undefined));
}

function sendAfterRead(forwarder: Forwarder, forwards: readonly ForwardRow[]): void {
  forwarder.take(forwards.filter(({ lease_owner }) => lease_owner !== null));
  if (forwards.some(({ lease_owner, finished }) => lease_owner === null && finished === 0)) forwarder.wake();
}

interface IntakeParts {
  inboxWriter: InboxWriter;
  live: LiveDeliveries;
  forwarder: Forwarder;
  reader: Reader;
  plan(facts: DeliveryFacts, afterRead: boolean): PlannedForward[];
  onArrived(delivery: Delivery): void;
}

function createIntake(
  options: PipelineOptions,
  { inboxWriter, live, forwarder, reader, plan, onArrived }: IntakeParts,
): (request: WebhookRequest) => Promise<number> {
  const whenForwarded = (id: number, facts: DeliveryFacts) =>
    live.whenForwarded(id, targetsAfterRead(options, facts).length > 0);
  return async (request) => {
    const named = namePayment(request);
    const facts = { ...named, id: 0, path: request.path, state: null };
    const { delivery, leased } = await inboxWriter.add({ request, named, forwards: plan(facts, false) });
    const forwarded = options.ack === 'forwarded' ? whenForwarded(delivery.id, facts) : undefined;
    live.add(delivery);
    forwarder.take(leased, request);
    if (delivery.forwards.length > leased.length) forwarder.wake();
    onArrived(delivery);
    // The target comes first, whose connection is written to in this turn of the event loop, and the sender second.
    await new Promise((resolve) => setImmediate(resolve));
    // The read comes last.
    setImmediate(() => reader.add({ ...facts, id: delivery.id }));
    if (forwarded === undefined) return 200;
    return (await forwarded)?.forwards.some(({ outcome }) => outcome === 'failed') === false ? 200 : 502;
  };
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
