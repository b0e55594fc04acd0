import { isLoopbackHost } from '../loopback.js';
import { randomUUID } from 'node:crypto';
import type { Agent } from 'undici';
import { webhookMessage, type AnswerChoices } from './answers.js';
import type { Engine } from './engine.js';
import { createLoop } from './loop.js';
import type { AttemptRow, EventRow } from './schema.js';

// Webhooks leave in the order of a payment's changes, at least once, from the rows that the changes themselves wrote.

export interface Outbox {
  /** Resolves when every webhook that is due has left, or failed and is due later. */
  drain(): Promise<void>;
  /** When the next webhook falls due. */
  nextTime(): Promise<number | undefined>;
  /** Sends a webhook again, whatever became of it. */
  resend(eventId: number): Promise<AttemptRow | undefined>;
  stop(): Promise<void>;
}

export interface OutboxOptions {
  engine: Engine;
  answers: AnswerChoices;
  /** Hosts besides loopback that webhooks may go to. */
  webhookHosts: string[];
  onError(error: unknown): void;
}

interface Attempt {
  result: 'delivered' | 'failed' | 'forbidden' | 'stopped';
  /** Absent when the sandbox was stopped meanwhile. */
  delivery?: AttemptRow;
}

const CONCURRENCY = 16;
const LEASE_MS = 20_000;
const TIMEOUT_MS = 5_000;
const ANSWER_LENGTH = 500;
const SECOND = 1000;

/** By the sandbox's clock; after the last one the webhook is given up. */
export const RETRY_DELAYS = [5, 30, 120, 600, 3600, 21_600, 86_400].map((seconds) => seconds * SECOND);

export function createOutbox({ engine, answers, webhookHosts, onError }: OutboxOptions): Outbox {
  const owner = randomUUID();
  let agent: Promise<Agent> | undefined;
  const abort = new AbortController();

  const loop = createLoop({
    round: deliverDue,
    nextIn: async () => engine.waitUntil(await nextTime()),
    onError,
  });
  let rouse = () => {};
  engine.onDueWork(() => {
    rouse();
    loop.wake();
  });

  let leftLeases = false;

  /** Webhooks that the database could not be told about: nobody else would send them before the lease ends. */
  async function releaseOwn(): Promise<void> {
    await engine.store.transaction((tx) =>
      tx
        .updateTable('events')
        .set({ lease_until: null })
        .where('lease_owner', '=', owner)
        .where('finished', '=', 0)
        .execute(),
    );
    leftLeases = false;
  }

  async function deliverDue(): Promise<void> {
    if (leftLeases) await releaseOwn();
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
      // New work is taken up at once: a target that takes its time must not keep the others waiting.
      const { promise: roused, resolve } = Promise.withResolvers<void>();
      rouse = resolve;
      const free = CONCURRENCY - active.size;
      const claimed = free > 0 && !abort.signal.aborted ? await claim(free) : [];
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
      if (claimed.length === 0) await Promise.race([...active, roused]);
    }
  }

  async function claim(limit: number): Promise<EventRow[]> {
    const next = await nextTime();
    const { now } = await engine.clock.read();
    // A look before the claim: most of the time there is nothing, and a look costs no transaction.
    if (next === undefined || next > now) return [];
    return engine.store.claimDue({
      table: 'events',
      now,
      leaseMs: LEASE_MS,
      limit,
      owner,
      onePer: 'payment_id',
    });
  }

  /** Only the first unfinished webhook of a payment counts: the others wait for it. */
  async function nextTime(): Promise<number | undefined> {
    const event = await engine.store.db
      .selectFrom('events')
      .select('due_time')
      .where('finished', '=', 0)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('events as earlier')
              .select('earlier.id')
              .where('earlier.finished', '=', 0)
              .whereRef('earlier.payment_id', '=', 'events.payment_id')
              .whereRef('earlier.id', '<', 'events.id'),
          ),
        ),
      )
      .orderBy('due_time')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    return event?.due_time;
  }

  async function deliver(event: EventRow): Promise<void> {
    const faults = await takeFaults(event);
    if (faults.has('webhook-drop')) return finish(event, 'dropped');
    const delay = faults.get('webhook-delay');
    if (delay !== undefined) return postpone(event, event.due_time + (delay || 60 * SECOND), event.attempts);
    if (faults.has('webhook-reorder')) {
      const next = await nextOf(event);
      if (next) await send(next);
    }
    await send(event);
    if (faults.has('webhook-duplicate')) await attempt(event);
  }

  /** Faults hit a webhook once, at its first attempt. */
  async function takeFaults(event: EventRow): Promise<Map<string, number | undefined>> {
    const kinds = ['webhook-drop', 'webhook-delay', 'webhook-reorder', 'webhook-duplicate'] as const;
    const first = event.attempts === 0 && event.due_time === event.time;
    if (!first || !(await engine.faults.may(kinds, event.to_state))) return new Map();
    const taken = await engine.store.transaction((tx) => engine.faults.take(tx, kinds, event.to_state));
    return new Map(taken.map((fault) => [fault.kind, fault.delayMs]));
  }

  async function nextOf(event: EventRow): Promise<EventRow | undefined> {
    return engine.store.db
      .selectFrom('events')
      .selectAll()
      .where('payment_id', '=', event.payment_id)
      .where('finished', '=', 0)
      .where('id', '>', event.id)
      .orderBy('id')
      .executeTakeFirst();
  }

  async function send(event: EventRow): Promise<void> {
    const { result } = await attempt(event);
    if (result === 'delivered') return finish(event, 'delivered');
    // Whoever serves this database next may send it at once.
    if (result === 'stopped') return update(event, { lease_until: null });
    const wait = RETRY_DELAYS[event.attempts];
    if (result === 'forbidden' || wait === undefined) return finish(event, 'failed');
    const { now } = await engine.clock.read();
    await postpone(event, now + wait, event.attempts + 1);
  }

  async function attempt(event: EventRow): Promise<Attempt> {
    const url = event.url as string;
    const started = performance.now();
    const { now } = await engine.clock.read();
    const record = async (
      result: Attempt['result'],
      outcome: Pick<AttemptRow, 'status' | 'error' | 'answer'>,
      sent: Pick<AttemptRow, 'url' | 'content_type' | 'body'>,
    ): Promise<Attempt> => {
      const ms = Math.round(performance.now() - started);
      const delivery = await engine.store.transaction((tx) =>
        tx
          .insertInto('attempts')
          .values({ event_id: event.id, time: now, ms, ...sent, ...outcome })
          .returningAll()
          .executeTakeFirstOrThrow(),
      );
      engine.changed(event.payment_id);
      return { result, delivery };
    };
    if (!isAllowed(url, webhookHosts)) {
      const error = 'not sent: only loopback targets are allowed; start the sandbox with --webhook-host';
      return record(
        'forbidden',
        { status: null, error, answer: null },
        { url, content_type: null, body: null },
      );
    }
    const payment = await engine.store.db
      .selectFrom('payments')
      .selectAll()
      .where('payment_id', '=', event.payment_id)
      .executeTakeFirstOrThrow();
    const message = webhookMessage(answers, {
      eventId: `evt_${engine.derive('event', `${event.payment_id}:${event.version}`).slice(0, 24)}`,
      appId: payment.app_id,
      paymentId: payment.payment_id,
      referenceId: payment.reference_id,
      paymentState: event.to_state,
      time: event.time,
    });
    const target = withQuery(url, message.query);
    const sent = {
      url: Object.keys(message.query).length === 0 ? url : target.href,
      content_type: message.headers['content-type'] ?? null,
      body: message.body,
    };
    try {
      const { default: request } = await import('undici/lib/api/api-request.js');
      const answer = await request.call(await (agent ??= createAgent()), {
        origin: target.origin,
        path: target.pathname + target.search,
        method: 'POST',
        headers: { 'user-agent': 'paydesk-sandbox', ...message.headers },
        body: message.body,
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
        signal: AbortSignal.any([abort.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const start = await startOf(answer.body);
      const status = answer.statusCode;
      const result = status >= 200 && status < 300 ? 'delivered' : 'failed';
      return await record(result, { status, error: null, answer: start }, sent);
    } catch (error) {
      if (abort.signal.aborted) return { result: 'stopped' };
      return record('failed', { status: null, error: reasonOf(error), answer: null }, sent);
    }
  }

  async function finish(event: EventRow, outcome: string): Promise<void> {
    await update(event, { finished: 1, outcome, attempts: event.attempts + 1, lease_until: null });
  }

  async function postpone(event: EventRow, due: number, attempts: number): Promise<void> {
    await update(event, { due_time: due, attempts, lease_until: null });
  }

  async function update(event: EventRow, values: Partial<EventRow>): Promise<void> {
    await engine.store.transaction((tx) =>
      tx.updateTable('events').set(values).where('id', '=', event.id).execute(),
    );
    engine.changed(event.payment_id);
  }

  return {
    async drain() {
      for (;;) {
        loop.wake();
        await loop.idle();
        const next = await nextTime();
        const { now } = await engine.clock.read();
        if (abort.signal.aborted || next === undefined || next > now) return;
        // Due, and leased by another process: it will be sent or the lease will end.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    nextTime,
    async resend(eventId) {
      const event = await engine.store.db
        .selectFrom('events')
        .selectAll()
        .where('id', '=', eventId)
        .where('url', 'is not', null)
        .executeTakeFirst();
      return event && (await attempt(event)).delivery;
    },
    async stop() {
      abort.abort();
      await loop.stop();
      await (await agent)?.destroy();
    },
  };
}

/** Loaded by file, and only once there is something to send: the index of undici brings everything along. */
async function createAgent(): Promise<Agent> {
  const { default: OwnAgent } = await import('undici/lib/dispatcher/agent.js');
  return new OwnAgent({ allowH2: false, connections: CONCURRENCY });
}

function isAllowed(url: string, hosts: string[]): boolean {
  const { hostname } = new URL(url);
  return isLoopbackHost(hostname) || hosts.includes(hostname);
}

function withQuery(url: string, query: Record<string, string>): URL {
  const target = new URL(url);
  for (const [key, value] of Object.entries(query)) target.searchParams.set(key, value);
  return target;
}

async function startOf(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += chunk.toString('utf8');
    if (text.length >= ANSWER_LENGTH) {
      body.destroy();
      break;
    }
  }
  return text.slice(0, ANSWER_LENGTH);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: string };
  return error.name === 'TimeoutError'
    ? `no answer within ${TIMEOUT_MS / SECOND} s`
    : (code ?? error.message);
}
