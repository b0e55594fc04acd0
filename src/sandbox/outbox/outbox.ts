// Webhooks leave in the order of a payment's changes, at least once, from the rows that the changes themselves wrote.

import { randomUUID } from 'node:crypto';
import type { AnswerChoices } from '../answers.js';
import type { FaultKind } from '../domain/fault-kinds.js';
import type { TakenFault } from '../domain/faults.js';
import type { SandboxEngine } from '../engine.js';
import { createLoop } from '../loop.js';
import type { AttemptRow } from '../schema.js';
import { createWebhookQueue, type QueuedWebhook, type WebhookQueue } from './webhook-queue.js';
import { createWebhookSender, type ReceiveWebhook, type WebhookSender } from './webhook-sender.js';

export interface Outbox {
  /** Resolves when every webhook that is due has left, or failed and is due later. */
  drain(): Promise<void>;
  /** When the next webhook falls due. */
  nextTime(): Promise<number | undefined>;
  /** Sends a webhook again, delivered or not. */
  resend(eventId: number): Promise<AttemptRow | undefined>;
  stop(): Promise<void>;
}

interface OutboxOptions {
  engine: SandboxEngine;
  answers: AnswerChoices;
  /** Hosts besides loopback that webhooks may go to. */
  webhookHosts: string[];
  receive?: ReceiveWebhook | undefined;
  onError(error: unknown): void;
  /** A webhook will never be sent, and why. */
  onNotSent?: OnNotSent | undefined;
}

export type OnNotSent = (text: string) => void;

const CONCURRENCY = 16;
const POLL_MS = 10;
const LEASED_POLL_MS = 100;
const SECOND_MS = 1000;

/** How long a delayed webhook waits when the fault does not say. */
const DELAY_MS = 60 * SECOND_MS;

/** By the sandbox's clock; after the last one the webhook is given up. */
export const RETRY_DELAYS_MS = [5, 30, 120, 600, 3600, 21_600, 86_400].map((seconds) => seconds * SECOND_MS);

export function createOutbox(options: OutboxOptions): Outbox {
  const { engine, answers, webhookHosts, receive, onError } = options;
  const queue = createWebhookQueue(engine, randomUUID());
  const sender = createWebhookSender({ engine, answers, webhookHosts, connections: CONCURRENCY, receive });
  const deliver = createDelivery(engine, queue, sender, options.onNotSent);
  let stopped = false;
  let wake = () => {};
  let leftLeases = false;

  async function deliverDue(): Promise<void> {
    // The database failed while it was told about these: without this, nobody would send them before the lease ends.
    if (leftLeases) await queue.releaseAll();
    leftLeases = false;
    const active = new Set<Promise<void>>();
    try {
      await deliverAll(active);
    } catch (error) {
      leftLeases = true;
      await Promise.all(active);
      throw error;
    }
  }

  async function deliverAll(active: Set<Promise<void>>): Promise<void> {
    for (;;) {
      // New work starts at once: a slow target must not keep the others waiting.
      const { promise: woken, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const free = CONCURRENCY - active.size;
      const claimed = free > 0 && !stopped ? await queue.claim(free) : [];
      for (const event of claimed) {
        const delivery = deliver(event)
          .catch((error: unknown) => {
            leftLeases = true;
            onError(error);
          })
          .finally(() => active.delete(delivery));
        active.add(delivery);
      }
      if (active.size === 0) return;
      if (claimed.length === 0) await Promise.race([...active, woken]);
    }
  }

  const loop = createLoop({
    round: deliverDue,
    nextIn: () => nextRoundIn(engine, queue),
    onError,
  });
  engine.onDueWork(() => {
    wake();
    loop.wake();
  });

  return {
    async drain() {
      for (;;) {
        loop.wake();
        await loop.idle();
        const next = await queue.nextTime();
        const { now } = await engine.clock.read();
        if (stopped || next === undefined || next > now) return;
        // Due, and leased by another process: it sends it, or its lease ends.
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
    nextTime: () => queue.nextTime(),
    async resend(eventId) {
      const event = await queue.find(eventId);
      return event && (await sender.attempt(event)).delivery;
    },
    async stop() {
      stopped = true;
      sender.stop();
      await loop.stop();
      await sender.close();
    },
  };
}

async function nextRoundIn(engine: SandboxEngine, queue: WebhookQueue): Promise<number | undefined> {
  const wait = await engine.waitUntil(await queue.nextTime());
  // Due, and yet not claimed in the last round: another process has leased it.
  return wait === 0 ? LEASED_POLL_MS : wait;
}

/** Delivers one claimed webhook: with the faults that were ordered for it, and again later when it fails. */
function createDelivery(
  engine: SandboxEngine,
  queue: WebhookQueue,
  sender: WebhookSender,
  onNotSent: OnNotSent | undefined,
): (event: QueuedWebhook) => Promise<void> {
  async function send(event: QueuedWebhook): Promise<void> {
    const { result, delivery } = await sender.attempt(event);
    if (result === 'forbidden')
      onNotSent?.(`webhook of ${event.payment_id} (${event.to_state}) ${delivery?.error}`);
    if (result === 'delivered') return queue.finish(event, 'delivered');
    if (result === 'gone') return;
    // Another process that serves this database may send it at once.
    if (result === 'stopped') return queue.release(event);
    const wait = RETRY_DELAYS_MS[event.attempts];
    if (result === 'forbidden' || wait === undefined) return queue.finish(event, 'failed');
    const { now } = await engine.clock.read();
    await queue.postpone(event, now + wait, event.attempts + 1);
  }

  return async (event) => {
    const faults = await takeFaults(engine, event);
    const isHit = (kind: FaultKind) => faults.some((fault) => fault.kind === kind);
    if (isHit('webhook-drop')) return queue.finish(event, 'dropped');
    const delay = faults.findLast(({ kind }) => kind === 'webhook-delay');
    const delayMs = delay ? (delay.delayMs ?? DELAY_MS) : 0;
    if (delayMs > 0) return queue.postpone(event, event.due_time + delayMs, event.attempts);
    if (isHit('webhook-reorder')) {
      const next = await queue.following(event);
      if (next) await send(next);
    }
    await send(event);
    if (isHit('webhook-duplicate')) await sender.attempt(event);
  };
}

/** Faults hit a webhook once, at its first attempt. */
async function takeFaults(engine: SandboxEngine, event: QueuedWebhook): Promise<TakenFault[]> {
  const kinds = ['webhook-drop', 'webhook-delay', 'webhook-reorder', 'webhook-duplicate'] as const;
  const first = event.attempts === 0 && event.due_time === event.time;
  if (!first || !(await engine.faults.may(kinds, event.to_state))) return [];
  return engine.store.transaction((tx) => engine.faults.take(tx, kinds, event.to_state));
}
