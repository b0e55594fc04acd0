// A listener at work: a receiver behind a tunnel, and the pipeline that deals with what it receives.

import { counted } from '../contract/amount-format.js';
import type { PaydeskError } from '../errors.js';
import type { Line } from '../output/lines.js';
import type { Forwarder } from './forwarding/forwarder.js';
import type { Delivery } from './inbox/delivery.js';
import { createInbox } from './inbox/inbox.js';
import { openListener } from './inbox/listeners.js';
import { startReceiver } from './inbox/receiver.js';
import { createPipeline, type DeliveryEvent, type PipelineOptions } from './pipeline.js';
import { findMissed, openPayments } from './reading/missed.js';
import { createProbe } from './tunnels/probe.js';
import { openTunnel } from './tunnels/supervise.js';
import type { Tunnel, TunnelEvent } from './tunnels/tunnel.js';
import { WEBHOOK_PATH } from './webhook-path.js';

export type ListenEvent =
  | DeliveryEvent
  | { type: 'missed'; delivery: Delivery }
  | { type: 'down'; why: string }
  | { type: 'up'; downMs: number }
  /** `pointing` are the open payments whose webhooks still go to the old address. */
  | { type: 'url-changed'; url: string; previous: string; pointing: string[] }
  | { type: 'failed'; error: PaydeskError };

export interface ListenOptions extends PipelineOptions {
  port: number;
  /** Where that port is taken, any other will do. */
  orAnother: boolean;
  tunnel: Tunnel;
  /** Forwards again what the targets did not accept in earlier runs. */
  retriesFailed: boolean;
  interactive: boolean;
  note: (...lines: Line[]) => void;
  onEvent(event: ListenEvent): void;
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
  const { store, app, clock, onEvent, onError } = options;
  const now = () => clock.now();
  const listener = await openListener(store, app);
  const { id, secret } = listener;
  const newestBefore = await createInbox(store).newestId(app);
  // Stopped in reverse order, each of them also when another one cannot be stopped.
  const started = new AsyncDisposableStack();
  const pipeline = createPipeline(options, { id, secret, newestBefore });
  started.defer(() => pipeline.stop());
  const { inboxWriter, reader, forwarder } = pipeline;
  const stopping = new AbortController();
  const addressOf = (origin: string) => `${origin}${WEBHOOK_PATH}${secret}`;

  async function lookForMissed(): Promise<void> {
    const wait = async (ms: number) => {
      await clock.sleep(ms, stopping.signal);
      return !stopping.signal.aborted;
    };
    const missed = await findMissed({ store, app, secret, reader, inboxWriter, now, wait });
    for (const delivery of missed) onEvent({ type: 'missed', delivery });
  }

  async function onTunnel(event: TunnelEvent): Promise<void> {
    if (event.type !== 'url-changed') {
      onEvent(event);
      if (event.type === 'up') await lookForMissed();
      return;
    }
    const [url, previous] = [addressOf(event.url), addressOf(event.previous)];
    const pointing = await openPayments({ store, app, secret, now }, previous);
    onEvent({ type: 'url-changed', url, previous, pointing: pointing.map(({ payment_id }) => payment_id) });
  }

  try {
    const probe = createProbe();
    const { port, orAnother, tunnel, signal, note, interactive } = options;
    const { take } = pipeline;
    const receiver = await startReceiver({
      port,
      orAnother,
      secret,
      probe: probe.answer,
      take,
      now,
      onError,
    });
    started.defer(() => receiver.close());
    const timer = setInterval(() => void pipeline.upkeep().catch(onError), UPKEEP_MS).unref();
    started.defer(() => {
      stopping.abort();
      clearInterval(timer);
    });
    const run = await openTunnel({ tunnel, probe, localPort: receiver.port, signal, note, interactive });
    started.defer(() => run.stop());
    run.on((event) => void onTunnel(event).catch(onError));
    if (options.retriesFailed) await pipeline.reopenUnread();
    void pipeline.upkeep().catch(onError);
    void lookForMissed().catch(onError);
    const again = options.retriesFailed ? await forwarder.retryFailed() : 0;
    if (again > 0) note(`Forwarding ${counted(again, 'webhook')} again that failed before.`);
    forwarder.wake();
    return {
      id,
      secret,
      localUrl: addressOf(`http://127.0.0.1:${receiver.port}`),
      get url() {
        return addressOf(run.url);
      },
      waitingElsewhere: () => forwarder.waitingElsewhere(),
      stop: () => started.disposeAsync(),
    };
  } catch (error) {
    await started.disposeAsync().catch(onError);
    throw error;
  }
}
