// Sends kept deliveries once more: the very same bytes, with a header that says so.

import type { Client } from '../../client/client.js';
import type { DeskTables } from '../../ledger/schema.js';
import { remember } from '../../ledger/known/remember.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import { seenPayment } from '../../payments/seen-payment.js';
import { createScrubber } from '../../redact.js';
import { InterruptedError } from '../../errors.js';
import { createOwner } from '../../store/owner.js';
import type { Store } from '../../store/store.js';
import type { Delivery, ForwardRecord } from '../inbox/delivery.js';
import { type Attempt } from './forward-queue.js';
import { insertForward } from '../inbox/insert-forward.js';
import { forwardedRequest } from './forwarded-request.js';
import { isSuccess } from './forwarder.js';
import { findDelivery, type Inbox, type WholeDelivery } from '../inbox/inbox.js';
import { createInboxWriter, holdListener } from '../inbox/inbox-writer.js';
import type { AppRef } from '../../ledger/payment-ref.js';
import { openListener } from '../inbox/listeners.js';
import { madeWebhook } from '../inbox/made-webhook.js';
import type { Sender } from './sender.js';
import type { Target } from './targets.js';

export interface ReplayDesk {
  store: Store<DeskTables>;
  inbox: Inbox;
  app: AppRef;
  sender: Sender;
  now: () => number;
}

/** One request that was sent again. */
export interface Replayed {
  delivery: Pick<Delivery, 'id' | 'paymentId' | 'state'>;
  to: string;
  attempt: Attempt;
  /** It failed on this side, and not at the target. */
  isError?: boolean;
}

/** Sends one kept delivery to one target, once, and writes it down. */
export async function replayTo(
  desk: ReplayDesk,
  delivery: WholeDelivery,
  target: Target,
  marks: ReadonlyArray<[string, string]>,
): Promise<Replayed> {
  const { store, app, sender, now } = desk;
  const listener = await openListener(store, app);
  const request = forwardedRequest(delivery, target, { hide: createScrubber(listener.secret), marks });
  const attempt = await sender.send(request, target);
  if (attempt === undefined) throw new InterruptedError('Interrupted.', { code: 'interrupted' });
  await store.transaction(async (tx) => {
    await holdListener(store, tx, listener.id);
    const planned = { target, lane: `replay ${delivery.id}`, dueTime: now(), chaos: null, replay: true };
    const ids = { listenerId: listener.id, deliveryId: delivery.id };
    // It was sent already: nobody is to send it.
    const forward = await insertForward(tx, store.engine, ids, { ...planned, dropped: true }, undefined);
    await tx
      .updateTable('forwards')
      .set({
        attempts: 1,
        first_time: attempt.time,
        status: attempt.status,
        ms: attempt.ms,
        error: attempt.error,
        outcome: isSuccess(attempt.status) ? 'delivered' : 'failed',
      })
      .where('id', '=', forward.id)
      .execute();
    await tx
      .insertInto('forward_attempts')
      .values({ forward_id: forward.id, ...attempt })
      .execute();
  });
  return { delivery, to: target.url, attempt };
}

export const madeMarks: Array<[string, string]> = [['Paydesk-Synthetic', 'true']];

/** The headers of a replay of webhook `id`, which may be sent with new content. */
export const replayMarks = (id: number, { kind }: Pick<Delivery, 'kind'>): Array<[string, string]> => [
  ['Paydesk-Replay', String(id)],
  ...(kind === 'synthetic' ? madeMarks : []),
];

/** The last forward to each place where a delivery went before; only those that failed, if that is asked for. */
export function formerForwards(
  { forwards }: { forwards: readonly ForwardRecord[] },
  failed: boolean,
): ForwardRecord[] {
  const last = new Map(forwards.map((forward) => [forward.place, forward]));
  return [...last.values()].filter(({ outcome }) => !failed || outcome === 'failed');
}

/** Keeps the webhook that the service would send for the payment as it is now. */
export async function storeMadeWebhook(
  desk: Omit<ReplayDesk, 'sender'>,
  client: Pick<Client, 'appId'>,
  read: PaymentRead,
): Promise<WholeDelivery> {
  const { store, inbox, app, now } = desk;
  const seen = seenPayment(app, read);
  const state = seen.state ?? '';
  const made = madeWebhook(read, { appId: client.appId, now: now() });
  const listener = await openListener(store, app);
  await store.transaction((tx) => remember(tx, store.engine, { seen, source: 'heard', now: now() }));
  const synthetic = { state, previousState: null, verdict: 'made' as const };
  const { delivery } = await createInboxWriter(store, listener.id, createOwner()).add({
    ...made,
    forwards: [],
    synthetic,
  });
  return findDelivery(inbox, app, delivery.id);
}
