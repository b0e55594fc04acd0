// Which kept deliveries are sent once more, and where to.

import { paydesk } from '../../next-command.js';
import type { Client } from '../../client/client.js';
import type { PaymentKey } from '../../client/payment-calls.js';
import { PartialError, type PaydeskError, ServiceError, UsageError } from '../../errors.js';
import { isSuccess } from './forwarder.js';
import type { ForwardRecord } from '../inbox/delivery.js';
import { findDelivery, type WholeDelivery } from '../inbox/inbox.js';
import { machineOf, targetPlace } from '../inbox/target-place.js';
import {
  formerForwards,
  storeMadeWebhook,
  type ReplayDesk,
  type Replayed,
  replayMarks,
  replayTo,
} from './replay.js';
import { parseTarget, type Target } from './targets.js';

interface Chosen {
  ids: readonly number[];
  since: number | undefined;
  failed: boolean | undefined;
  signal: AbortSignal;
  /** For `--fresh`: the payment is read, and the webhook says its state as it is now. */
  client: Client | undefined;
}

interface How {
  to: Target | undefined;
  /** Adds what holds for all targets. */
  prepare(target: Target): Target;
}

/** What is reported besides the requests. */
interface Reports {
  /** The first request to this target comes next. */
  onTarget(target: Target): void;
  /** The local address of another machine, and how many webhooks were not sent there. */
  onElsewhere(forward: ForwardRecord, count: number): void;
}

/** One after another, in the order in which they came. */
export async function replayAll(
  desk: ReplayDesk,
  chosen: Chosen,
  how: How,
  { onTarget, onElsewhere }: Reports,
): Promise<Replayed[]> {
  const { inbox, app } = desk;
  const results: Replayed[] = [];
  const told = new Set<string>();
  const skipped = new Map<string, { forward: ForwardRecord; count: number }>();
  for (const id of await chosenIds(desk, chosen)) {
    chosen.signal.throwIfAborted();
    const delivery = await findDelivery(inbox, app, id);
    const { targets, elsewhere } = targetsFor(delivery, chosen, how);
    if (targets.length === 0 && chosen.ids.length > 0) throw noTarget(id, elsewhere);
    for (const forward of elsewhere) {
      const count = (skipped.get(forward.place)?.count ?? 0) + 1;
      skipped.set(forward.place, { forward, count });
    }
    if (targets.length === 0) continue;
    const sent = chosen.client ? await freshOf(desk, chosen.client, delivery) : delivery;
    const marks = replayMarks(id, sent);
    for (const target of targets) {
      if (!told.has(target.url)) onTarget(target);
      told.add(target.url);
      results.push(await replayTo(desk, sent, target, marks));
    }
  }
  for (const { forward, count } of skipped.values()) onElsewhere(forward, count);
  return results;
}

async function chosenIds({ inbox, app }: ReplayDesk, chosen: Chosen): Promise<number[]> {
  const { ids, since, failed } = chosen;
  const isRange = since !== undefined || failed === true;
  if (ids.length > 0 === isRange) {
    throw new UsageError(
      isRange ? 'Use either IDs, or --since and --failed. Nothing was sent.' : 'Which webhooks?',
      {
        code: 'usage',
        next: [
          paydesk('webhook', 'events'),
          paydesk('webhook', 'replay', 'ID'),
          paydesk('webhook', 'replay', '--failed'),
        ],
      },
    );
  }
  if (!isRange) {
    for (const id of ids) await findDelivery(inbox, app, id);
    return [...new Set(ids)].toSorted((a, b) => a - b);
  }
  const found: number[] = [];
  for await (const { id, kind } of inbox.list(app, { since, failed })) {
    // What this desk made itself was for that moment.
    if (kind === 'received' || failed) found.push(id);
  }
  return found.toReversed();
}

interface Targets {
  targets: Target[];
  /** Forwards to local addresses of other machines, which this one cannot reach. */
  elsewhere: ForwardRecord[];
}

function targetsFor(delivery: WholeDelivery, { failed }: Chosen, { to, prepare }: How): Targets {
  if (to !== undefined) return { targets: [prepare(to)], elsewhere: [] };
  const former = formerForwards(delivery, failed === true);
  const here = former.filter(isHere);
  return {
    targets: here.map((forward) => prepare(parseTarget(forward.to))),
    elsewhere: former.filter((forward) => !here.includes(forward)),
  };
}

const isHere = ({ to, place }: ForwardRecord): boolean =>
  place === targetPlace({ target: to, target_key: parseTarget(to).key });

/** The webhook of the payment as it is now, in place of what came. */
async function freshOf(desk: ReplayDesk, client: Client, delivery: WholeDelivery): Promise<WholeDelivery> {
  const { paymentId, referenceId } = delivery;
  const key: PaymentKey | undefined =
    paymentId === null ? (referenceId === null ? undefined : { referenceId }) : { paymentId };
  if (key === undefined) {
    throw new UsageError(
      `Webhook ${delivery.id} does not name a payment, so --fresh cannot be used. Nothing was sent.`,
      {
        code: 'names-no-payment',
        next: [paydesk('webhook', 'show', delivery.id)],
      },
    );
  }
  return storeMadeWebhook(desk, client, await client.getPayment(key));
}

function noTarget(id: number, [elsewhere]: readonly ForwardRecord[]): UsageError {
  const message =
    elsewhere === undefined
      ? `Webhook ${id} was never forwarded. Nothing was sent. Choose a target with --to.`
      : `Webhook ${id} was only forwarded to ${elsewhere.to} on ${machineOf(elsewhere)}. Nothing was sent. ` +
        'Run the command there, or choose a target with --to.';
  const next = [paydesk('webhook', 'replay', id, '--to', 'localhost:3000/hooks')];
  return new UsageError(message, { code: 'no-target', next });
}

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
  const message = `${count} ${refused} ${to}: ${how}.`;
  return failed.length === results.length
    ? new ServiceError(message, options)
    : new PartialError(message, { ...options, code: 'partial' });
}
