// Sends saved webhooks again, one after another.

import { paydesk } from '../../next-command.js';
import type { Client } from '../../client/client.js';
import { firstLine, PartialError, PaydeskError, ServiceError } from '../../errors.js';
import { StoreError } from '../../store/errors.js';
import { isSuccess } from './forwarder.js';
import { findDelivery } from '../inbox/inbox.js';
import { type ReplayDesk, type Replayed, replayMarks, replayTo, storeMadeWebhook } from './replay.js';
import type { PlannedReplay } from './replay-plan.js';
import type { Target } from './targets.js';

interface ReplayOptions {
  signal: AbortSignal;
  /** Reads the payments of those that are sent as they are now. */
  client: Client | undefined;
  /** The first request to this target comes next. */
  onTarget(target: Target): void;
}

interface Replays {
  results: Replayed[];
  /** Why it ended early, and how many webhooks were not sent. */
  stopped?: { reason: PaydeskError; unsent: number };
}

/** An error after the first request is a result like others: what was sent before it is not lost. */
export async function replayAll(
  desk: ReplayDesk,
  replays: readonly PlannedReplay[],
  { signal, client, onTarget }: ReplayOptions,
): Promise<Replays> {
  const results: Replayed[] = [];
  const told = new Set<string>();

  async function replayOne({ delivery: { id }, key, targets }: PlannedReplay): Promise<void> {
    const saved = await findDelivery(desk.inbox, desk.app, id);
    const sent = client && key ? await storeMadeWebhook(desk, client, await client.getPayment(key)) : saved;
    for (const target of targets) {
      if (!told.has(target.url)) onTarget(target);
      told.add(target.url);
      results.push(await replayTo(desk, sent, target, replayMarks(id, sent)));
    }
  }

  for (const [index, planned] of replays.entries()) {
    const before = results.length;
    try {
      signal.throwIfAborted();
      await replayOne(planned);
    } catch (error) {
      if (results.length === 0) throw error;
      const reason: unknown = signal.reason;
      if (reason instanceof PaydeskError)
        return { results, stopped: { reason, unsent: replays.length - index } };
      if (!(error instanceof PaydeskError || error instanceof StoreError)) throw error;
      const open = planned.targets.slice(results.length - before);
      results.push(...open.map((target) => failedReplay(planned, target, error, desk.now())));
    }
  }
  return { results };
}

const failedReplay = ({ delivery }: PlannedReplay, target: Target, error: Error, time: number): Replayed => ({
  delivery,
  to: target.url,
  attempt: { time, status: null, ms: 0, answer: null, error: firstLine(error.message) },
  isError: true,
});

/** How a replay ends: well, refused by every target, or in part. */
export function endingOfReplays(results: readonly Replayed[]): PaydeskError | undefined {
  const failed = results.filter(({ attempt }) => !isSuccess(attempt.status));
  const [first] = failed;
  if (first === undefined) return undefined;
  const { attempt, to, delivery } = first;
  const how = attempt.status === null ? attempt.error : `it answered ${attempt.status}`;
  const options = { code: 'handler-failed', next: [paydesk('webhook', 'show', delivery.id)] };
  if (results.length === 1) return new ServiceError(`${to} did not accept the webhook: ${how}.`, options);
  const count = `${failed.length} of ${results.length} requests`;
  const refused = failed.length === 1 ? 'was not accepted by' : 'were not accepted; the first by';
  const message = first.isError
    ? `${count} failed. Webhook ${delivery.id} to ${to}: ${how}`
    : `${count} ${refused} ${to}: ${how}.`;
  return failed.length === results.length
    ? new ServiceError(message, options)
    : new PartialError(message, { ...options, code: 'partial' });
}
