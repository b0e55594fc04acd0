// Sends one webhook once, and records what was sent and what came back.

import type { Agent } from 'undici';
import { startOf } from '../../answer-start.js';
import { isWebhookTarget } from '../../loopback.js';
import { webhookMessage, type AnswerChoices } from '../answers.js';
import type { SandboxEngine } from '../engine.js';
import { isCurrent } from '../generation.js';
import type { AttemptRow } from '../schema.js';
import type { QueuedWebhook } from './webhook-queue.js';

interface Attempt {
  /** `gone`: everything was reset or imported before it was sent. */
  result: 'delivered' | 'failed' | 'forbidden' | 'stopped' | 'gone';
  /** Absent when the sandbox was stopped, reset or filled by an import meanwhile. */
  delivery?: AttemptRow | undefined;
}

export interface WebhookSender {
  attempt(event: QueuedWebhook): Promise<Attempt>;
  /** Aborts what is being sent. */
  stop(): void;
  /** Closes the connections. */
  close(): Promise<void>;
}

interface WebhookSenderOptions {
  engine: SandboxEngine;
  answers: AnswerChoices;
  /** Hosts besides loopback that webhooks may go to. */
  webhookHosts: string[];
  /** Connections per host. */
  connections: number;
  receive?: ReceiveWebhook | undefined;
}

/** Answers a webhook inside this process; undefined lets it leave over HTTP. */
export type ReceiveWebhook = (target: URL, message: Message) => Promise<WebhookAnswer> | undefined;

interface WebhookAnswer {
  status: number;
  answer: string;
}

type Message = ReturnType<typeof webhookMessage>;
type Sent = Pick<AttemptRow, 'url' | 'content_type' | 'body'>;
type Received = Pick<AttemptRow, 'status' | 'error' | 'answer'>;

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 500;

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { engine, answers, webhookHosts, connections } = options;
  const abort = new AbortController();
  let agent: Promise<Agent> | undefined;
  const send = async (target: URL, message: Message): Promise<WebhookAnswer> =>
    options.receive?.(target, message) ??
    post(await (agent ??= createAgent(connections)), target, message, abort.signal);

  async function attempt(event: QueuedWebhook): Promise<Attempt> {
    const url = event.url as string;
    const started = performance.now();
    const { now } = await engine.clock.read();
    const record = async (result: Attempt['result'], received: Received, sent: Sent): Promise<Attempt> => {
      const ms = Math.round(performance.now() - started);
      return { result, delivery: await writeAttempt(engine, event, { time: now, ms, ...sent, ...received }) };
    };
    if (!isWebhookTarget(url, webhookHosts)) {
      const sent = { url, content_type: null, body: null };
      return record('forbidden', { status: null, error: notAllowed(url), answer: null }, sent);
    }
    const message = await messageOf(engine, answers, event);
    if (!message) return { result: 'gone' };
    const target = withQuery(url, message.query);
    const sent = {
      url: Object.keys(message.query).length === 0 ? url : target.href,
      content_type: message.headers['content-type'] ?? null,
      body: message.body,
    };
    try {
      const { status, answer } = await send(target, message);
      const result = status >= 200 && status < 300 ? 'delivered' : 'failed';
      return await record(result, { status, error: null, answer }, sent);
    } catch (error) {
      if (abort.signal.aborted) return { result: 'stopped' };
      return record('failed', { status: null, error: reasonOf(error), answer: null }, sent);
    }
  }

  return {
    attempt,
    stop: () => abort.abort(),
    close: async () => (await agent)?.destroy(),
  };
}

async function writeAttempt(
  engine: SandboxEngine,
  event: QueuedWebhook,
  values: Omit<AttemptRow, 'id' | 'event_id'>,
): Promise<AttemptRow | undefined> {
  const delivery = await engine.store.transaction(async (tx) => {
    const own = tx.selectFrom('events').select('id').where('id', '=', event.id);
    if (!(await own.where(isCurrent(event.generation)).executeTakeFirst())) return undefined;
    return tx
      .insertInto('attempts')
      .values({ event_id: event.id, ...values })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
  engine.changed(event.payment_id);
  return delivery;
}

async function messageOf(
  engine: SandboxEngine,
  answers: AnswerChoices,
  event: QueuedWebhook,
): Promise<Message | undefined> {
  // Before the payment is read: if this is of a later generation already, the read finds nothing.
  const eventId = `evt_${engine.derive('event', `${event.payment_id}:${event.version}`).slice(0, 24)}`;
  const payment = await engine.store.db
    .selectFrom('payments')
    .selectAll()
    .where('payment_id', '=', event.payment_id)
    .where(isCurrent(event.generation))
    .executeTakeFirst();
  if (!payment) return undefined;
  return webhookMessage(answers, {
    eventId,
    appId: payment.app_id,
    paymentId: payment.payment_id,
    referenceId: payment.reference_id,
    paymentState: event.to_state,
    time: event.time,
  });
}

/** Loaded by file, and only once there is something to send: the index of undici loads all of it. */
async function createAgent(connections: number): Promise<Agent> {
  const { default: OwnAgent } = await import('undici/lib/dispatcher/agent.js');
  return new OwnAgent({ allowH2: false, connections });
}

async function post(
  agent: Agent,
  target: URL,
  { headers, body }: Message,
  signal: AbortSignal,
): Promise<WebhookAnswer> {
  const { default: request } = await import('undici/lib/api/api-request.js');
  const answer = await request.call(agent, {
    origin: target.origin,
    path: target.pathname + target.search,
    method: 'POST',
    headers: { 'user-agent': 'paydesk-sandbox', ...headers },
    body,
    // The signal comes first, so that the reason is always the same; these end what it should have ended.
    headersTimeout: 2 * TIMEOUT_MS,
    bodyTimeout: 2 * TIMEOUT_MS,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  return { status: answer.statusCode, answer: await startOf(answer.body, MAX_ANSWER_BYTES) };
}

const notAllowed = (url: string): string =>
  `not sent: only loopback targets are allowed; start the sandbox with --webhook-host ${new URL(url).hostname}`;

function withQuery(url: string, query: Record<string, string>): URL {
  const target = new URL(url);
  for (const [key, value] of Object.entries(query)) target.searchParams.set(key, value);
  return target;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: string };
  return error.name === 'TimeoutError' ? `no answer within ${TIMEOUT_MS / 1000} s` : (code ?? error.message);
}
