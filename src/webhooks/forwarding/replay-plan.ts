// Which saved webhooks are sent again, and where to. Whatever is wrong with the choice is found here, before the first
// one is sent.

import { paydesk } from '../../next-command.js';
import type { PaymentKey } from '../../client/payment-calls.js';
import { UsageError } from '../../errors.js';
import type { Delivery, ForwardRecord } from '../inbox/delivery.js';
import { findDelivery } from '../inbox/inbox.js';
import { machineOf, targetPlace } from '../inbox/target-place.js';
import { formerForwards, type ReplayDesk } from './replay.js';
import { parseTarget, type Target } from './targets.js';

interface ReplayChoice {
  ids: readonly number[];
  since: number | undefined;
  failed: boolean | undefined;
  /** The payment is read, and the webhook says its state as it is now. */
  fresh: boolean;
  to: Target | undefined;
  /** Adds what holds for all targets. */
  prepare(target: Target): Target;
}

export interface PlannedReplay {
  delivery: Pick<Delivery, 'id' | 'paymentId' | 'state'>;
  /** Of the payment that is read first; undefined where none is. */
  key: PaymentKey | undefined;
  targets: Target[];
}

interface ReplayPlan {
  /** In the order in which they arrived. */
  replays: PlannedReplay[];
  /** Local addresses of other machines, and how many webhooks are not sent there. */
  elsewhere: Array<{ forward: ForwardRecord; count: number }>;
}

export async function planReplays(
  desk: Pick<ReplayDesk, 'inbox' | 'app'>,
  choice: ReplayChoice,
): Promise<ReplayPlan> {
  const { ids, since, failed, fresh } = choice;
  const isRange = since !== undefined || failed === true;
  if (ids.length > 0 === isRange) throw unclearChoice(isRange);
  const targetsOf = createTargetChoice(choice);
  const skipped = new Map<string, { forward: ForwardRecord; count: number }>();
  const replays: PlannedReplay[] = [];
  for await (const delivery of isRange ? listed(desk, choice) : named(desk, ids)) {
    const { targets, elsewhere } = targetsOf(delivery);
    if (targets.length === 0 && !isRange) throw noTarget(delivery.id, elsewhere);
    for (const forward of elsewhere) {
      skipped.set(forward.place, { forward, count: (skipped.get(forward.place)?.count ?? 0) + 1 });
    }
    if (targets.length === 0) continue;
    const { id, paymentId, state } = delivery;
    replays.push({
      delivery: { id, paymentId, state },
      key: fresh ? paymentKeyOf(delivery) : undefined,
      targets,
    });
  }
  replays.sort((a, b) => a.delivery.id - b.delivery.id);
  return { replays, elsewhere: [...skipped.values()] };
}

/** Those that a person named, each once. */
async function* named(
  { inbox, app }: Pick<ReplayDesk, 'inbox' | 'app'>,
  ids: readonly number[],
): AsyncGenerator<Delivery> {
  const found = await inbox.named(app, ids);
  for (const id of ids) if (!found.some((delivery) => delivery.id === id)) await findDelivery(inbox, app, id);
  yield* found;
}

async function* listed(
  { inbox, app }: Pick<ReplayDesk, 'inbox' | 'app'>,
  { since, failed }: ReplayChoice,
): AsyncGenerator<Delivery> {
  for await (const delivery of inbox.list(app, { since, failed })) {
    // What this desk made itself was for that moment.
    if (delivery.kind === 'received' || failed) yield delivery;
  }
}

interface Targets {
  targets: Target[];
  /** Forwards to local addresses of other machines, which this one cannot reach. */
  elsewhere: ForwardRecord[];
}

/** The targets of a delivery: the one that was asked for, or where it went before. */
function createTargetChoice({ to, failed, prepare }: ReplayChoice): (delivery: Delivery) => Targets {
  const prepared = new Map<string, Target>();
  const targetAt = (url: string): Target => {
    const target = prepared.get(url) ?? prepare(parseTarget(url));
    prepared.set(url, target);
    return target;
  };
  const isHere = ({ to: url, place }: ForwardRecord) =>
    place === targetPlace({ target: url, target_key: targetAt(url).key });
  return (delivery) => {
    if (to !== undefined) return { targets: [prepare(to)], elsewhere: [] };
    const former = formerForwards(delivery, failed === true);
    return {
      targets: former.filter(isHere).map((forward) => targetAt(forward.to)),
      elsewhere: former.filter((forward) => !isHere(forward)),
    };
  };
}

function paymentKeyOf({ id, paymentId, referenceId }: Delivery): PaymentKey {
  if (paymentId !== null) return { paymentId };
  if (referenceId !== null) return { referenceId };
  throw new UsageError(
    `Webhook ${id} does not name a payment, so --fresh cannot be used. Nothing was sent.`,
    {
      code: 'names-no-payment',
      next: [paydesk('webhook', 'show', id)],
    },
  );
}

const unclearChoice = (isRange: boolean): UsageError =>
  new UsageError(isRange ? 'Use either IDs, or --since and --failed. Nothing was sent.' : 'Which webhooks?', {
    code: 'usage',
    next: [
      paydesk('webhook', 'events'),
      paydesk('webhook', 'replay', 'ID'),
      paydesk('webhook', 'replay', '--failed'),
    ],
  });

function noTarget(id: number, [elsewhere]: readonly ForwardRecord[]): UsageError {
  const message =
    elsewhere === undefined
      ? `Webhook ${id} was never forwarded. Nothing was sent. Choose a target with --to.`
      : `Webhook ${id} was only forwarded to ${elsewhere.to} on ${machineOf(elsewhere)}. Nothing was sent. ` +
        'Run the command there, or choose a target with --to.';
  const next = [paydesk('webhook', 'replay', id, '--to', 'localhost:3000/hooks')];
  return new UsageError(message, { code: 'no-target', next });
}
