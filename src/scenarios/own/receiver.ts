import type { DeskDatabase } from '../../ledger/database.js';
import type { EmbeddedSandbox, ReceiveWebhook } from '../../sandbox/index.js';
import { createOwner } from '../../store/owner.js';
import { createInboxWriter, type InboxWriter } from '../../webhooks/inbox/inbox-writer.js';
import { openListener } from '../../webhooks/inbox/listeners.js';
import { namePayment } from '../../webhooks/inbox/name-payment.js';
import { judgeDelivery } from '../../webhooks/reading/verdict.js';

type Received = Parameters<ReceiveWebhook>[1];

interface ReceiverOptions {
  database: Pick<DeskDatabase, 'store'>;
  sandbox: Pick<EmbeddedSandbox, 'control' | 'now'>;
  app: { baseUrl: string; appId: string };
}

/**
 * A listener of the scenario's desk: webhooks are in its inbox, each with the state of its payment. That state is read
 * past all faults, so that no listener uses up a fault that was meant for a step.
 */
export function createReceiver(options: ReceiverOptions): (target: URL, webhook: Received) => Promise<void> {
  const { database, sandbox, app } = options;
  const states = new Map<string, string>();
  const seen = new Set<string>();
  let writer: Promise<InboxWriter> | undefined;
  const openWriter = async () => {
    const { id } = await openListener(database.store, app);
    return createInboxWriter(database.store, id, createOwner());
  };
  return async ({ pathname, search }, { headers, body }) => {
    const request = {
      time: await sandbox.now(),
      method: 'POST',
      path: pathname,
      query: search.slice(1),
      headers: Object.entries(headers),
      body: Buffer.from(body),
    };
    const named = namePayment(request);
    const { paymentId, eventId, saidState } = named;
    if (paymentId === null) return;
    const { state } = await sandbox.control.payment(`id:${paymentId}`, undefined);
    const previous = states.get(paymentId) ?? null;
    const repeated = eventId !== null && seen.has(eventId);
    states.set(paymentId, state);
    if (eventId !== null) seen.add(eventId);
    const verdict = judgeDelivery({ said: saidState, state, previous, repeated });
    const { add } = await (writer ??= openWriter());
    await add({ request, named, forwards: [], synthetic: { state, previousState: previous, verdict } });
  };
}
