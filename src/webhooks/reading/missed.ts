// What changed while nobody could be reached: open payments whose webhooks come here are read, and a change that no
// webhook told of is kept as a delivery of our own. It is forwarded when somebody replays it.

import { stateNames, states } from '../../contract/states.js';
import { findKnown, remember } from '../../ledger/known/remember.js';
import type { DeskTables, KnownPaymentRow } from '../../ledger/schema.js';
import { seenPayment } from '../../payments/seen-payment.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import type { Store } from '../../store/store.js';
import type { Delivery } from '../inbox/delivery.js';
import type { InboxWriter } from '../inbox/inbox-writer.js';
import type { AppRef } from '../../ledger/payment-ref.js';
import { madeWebhook } from '../inbox/made-webhook.js';
import { WEBHOOK_PATH } from '../webhook-path.js';
import type { Reader } from './reader.js';
import { DAY_MS } from '../../day.js';

const MAX_MISSED = 200;
/** How long a webhook may be on its way. */
const GRACE_MS = 2_000;
/** A payment that has not moved for so long is not waited for. */
const RECENT_MS = 30 * DAY_MS;

interface MissedOptions {
  store: Store<DeskTables>;
  app: AppRef;
  secret: string;
  reader: Pick<Reader, 'look'>;
  inboxWriter: InboxWriter;
  now: () => number;
  /** Resolves to false when there is nothing to wait for any more. */
  wait(ms: number): Promise<boolean>;
}

/** Payments that can still change and whose webhooks come to this listener, the newest first. */
export async function openPayments(
  { store, app, secret, now }: Omit<MissedOptions, 'reader' | 'inboxWriter' | 'wait'>,
  address = `${WEBHOOK_PATH}${secret}`,
): Promise<KnownPaymentRow[]> {
  const over = stateNames.filter((name) => states[name].final);
  const rows = await store.db
    .selectFrom('known_payments')
    .selectAll()
    .where('app_id', '=', app.appId)
    .where('state', 'not in', over)
    .where('state_time', '>', now() - RECENT_MS)
    .where('webhook_url', 'like', `%${WEBHOOK_PATH}${secret}%`)
    .orderBy('seen_time', 'desc')
    .limit(MAX_MISSED)
    .execute();
  // In a pattern an underscore stands for any character.
  return rows.filter(({ webhook_url }) => webhook_url?.includes(address));
}

export async function findMissed(options: MissedOptions): Promise<Delivery[]> {
  const { store, app, reader, inboxWriter, now, wait } = options;
  const changed: PaymentRead[] = [];
  for (const { payment_id: paymentId, state } of await openPayments(options)) {
    const read = await reader.look({ paymentId });
    if (read !== undefined && stateOf(app, read) !== state) changed.push(read);
  }
  if (changed.length === 0) return [];
  // Their webhooks may be on their way at this very moment.
  if (!(await wait(GRACE_MS))) return [];
  const missed: Delivery[] = [];
  for (const read of changed) {
    const seen = seenPayment(app, read);
    const known = await findKnown(store.db, store.engine, seen);
    const state = stateOf(app, read);
    if (known === undefined || known.state === state || known.seen_time > now() - GRACE_MS) continue;
    await store.transaction((tx) => remember(tx, store.engine, { seen, source: 'heard', now: now() }));
    const synthetic = { state, previousState: known.state, verdict: 'missed' as const };
    const made = madeWebhook(read, { appId: app.appId, now: now() });
    missed.push((await inboxWriter.add({ ...made, forwards: [], synthetic })).delivery);
  }
  return missed;
}

const stateOf = (app: AppRef, read: PaymentRead): string => seenPayment(app, read).state ?? '';
