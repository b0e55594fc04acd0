// `payments create --listen`: receives the webhooks of one payment.

import type { PaymentRead } from '../../client/payment-calls.js';
import type { StateName } from '../../contract/states.js';
import { type PaydeskError, PendingError } from '../../errors.js';
import { paydesk } from '../../next-command.js';
import { followPayment } from '../../payments/follow-payment.js';
import { idOf } from '../../payments/named-payments.js';
import { readUntil, type WaitOptions } from '../../payments/wait.js';
import { createWakeups } from '../../webhooks/inbox/wakeups.js';
import { describeError } from '../../output/report.js';
import { deliveryLine, eventLines, readyLines } from '../../output/views/webhook.js';
import { handlerRefusal, notAccepted } from '../../webhooks/expectation.js';
import type { Delivery } from '../../webhooks/inbox/delivery.js';
import type { Header, Target } from '../../webhooks/forwarding/targets.js';
import type { ListenEvent } from '../../webhooks/start-listener.js';
import type { DeliveryEvent } from '../../webhooks/pipeline.js';
import { LAST_WEBHOOK_MS, runListener } from '../../webhooks/run-listener.js';
import { type CommandContext, showsToPerson } from '../runtime/context.js';
import type { MoneyDesk } from '../desk/desk.js';
import { openDatabase } from '../desk/desk-database.js';
import { listenPort, targetsOf } from '../flags/listen-flags.js';
import { chosenTunnel } from './chosen-tunnel.js';
import { createPaymentDeliveries, type PaymentDeliveries } from './payment-deliveries.js';

export interface CreateListening {
  /** Address of the listener, for the webhookUrl of the payment. */
  url: string;
  /** Reads the payment when a webhook arrives, and at intervals without one; then waits briefly for its last webhook. */
  follow(read: PaymentRead, until: StateName): Promise<{ read: PaymentRead; error?: PaydeskError }>;
  /** Its webhooks: read and forwarded, or as far as they came. */
  deliveries: Delivery[];
}

export interface CreateListeningFlags {
  columns?: string[] | undefined;
  csv?: boolean | undefined;
  'forward-to'?: Target[] | undefined;
  header?: Header[] | undefined;
  'skip-verify'?: boolean | undefined;
  tunnel?: string | undefined;
  port?: number | undefined;
}

/** How long the forward of the last webhook may take: longer than a target that refuses it is retried. */
const LAST_FORWARD_MS = 6_000;

export async function openCreateListening(
  context: CommandContext,
  { desk, guard }: Pick<MoneyDesk, 'desk' | 'guard'>,
  flags: CreateListeningFlags,
): Promise<CreateListening> {
  const { interactive } = context;
  const { client, app, signal, note, clock } = desk;
  const { baseUrl } = app;
  const tunnel = await chosenTunnel(context, { text: flags.tunnel, baseUrl, openGuard: async () => guard });
  const { store } = await openDatabase(context);
  const { wakeups, wake } = createWakeups(clock);
  const targets = targetsOf(client, flags);
  const deliveries = createPaymentDeliveries({
    nameOf: (said) => client.canonicalState(said) ?? said,
    show: (delivery) => showDelivery(context, delivery, flags),
  });
  const ready = Promise.withResolvers<string>();
  const listening = await runListener({
    store,
    client,
    app,
    tunnel,
    targets,
    filter: { states: [], payments: [], paths: [] },
    ...listenPort(flags.port),
    ack: 'immediate',
    chaos: { kinds: undefined, seed: undefined },
    expectation: undefined,
    // What failed before belongs to other payments.
    retriesFailed: false,
    interactive,
    signal,
    note,
    onEvent(event) {
      if (!('isEarlier' in event)) {
        void ready.promise.then((secret) => noteEvent(context, event, secret));
        return;
      }
      deliveries.add(event);
      if (event.type === 'settled') wake(event.delivery);
    },
    onError: (error) => note(describeError(error).message),
  });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= listening.stop());
  context.atEnd(stop);
  const { url, localUrl, secret } = listening.listener;
  context.secrets.add(secret);
  const to = targets.map((target) => target.url);
  note(...readyLines({ url, localUrl, secret, targets: to, chaos: undefined, chaosSeed: undefined }));
  ready.resolve(secret);

  return {
    url,
    deliveries: deliveries.shown,
    async follow(read, until) {
      const names = { paymentId: idOf(read), referenceId: read.fields.referenceId };
      const sleep = (ms: number, over: AbortSignal) => wakeups.sleep(names, ms, over);
      deliveries.follow(names);
      const failure = () => handlerRefusal(deliveries.shown);
      const quiet = { ...desk, note: () => undefined };
      const end = await followPayment(quiet, read, until, { sleep, failure });
      const { state } = end.read;
      if (state !== undefined && failure() === undefined)
        await waitForWebhook(deliveries, state, { clock, signal, sleep });
      await stop();
      const error = handlerError(deliveries, until, end.error);
      return targets.length === 0 || error === undefined ? end : { ...end, error };
    },
  };
}

/** A handler that refused a webhook is told before a payment that is not there yet. */
function handlerError(
  deliveries: PaymentDeliveries,
  until: StateName,
  ending: PaydeskError | undefined,
): PaydeskError | undefined {
  if (ending instanceof PendingError) return handlerRefusal(deliveries.arrived());
  if (ending !== undefined) return undefined;
  return notAccepted(deliveries.shown) ?? (deliveries.says(until) ? undefined : notCalled(until));
}

/** Where a program reads stdout, the payment alone is printed there. */
function showDelivery(context: CommandContext, delivery: Delivery, flags: CreateListeningFlags): void {
  const { json, print, note, streams } = context;
  const now = context.now();
  if (showsToPerson(context, flags)) print(deliveryLine(delivery, { ...streams.stdout, now }));
  else if (!json) note(deliveryLine(delivery, { ...streams.stderr, now }));
}

/** What happens besides the webhooks of the payment: to the tunnel, and changes without a webhook. */
function noteEvent(
  context: CommandContext,
  event: Exclude<ListenEvent, DeliveryEvent>,
  secret: string,
): void {
  const { note, streams } = context;
  if (event.type === 'failed') {
    const { message } = describeError(event.error);
    return note(`${message} No more webhooks arrive; paydesk still reads the payment.`);
  }
  if (event.type === 'missed') note(deliveryLine(event.delivery, { ...streams.stderr, now: context.now() }));
  note(...eventLines(event, secret));
}

const notCalled = (state: StateName): PendingError =>
  new PendingError(`The payment reached ${state}, but no webhook said so, and the handler was not called.`, {
    code: 'nothing-came',
    next: [paydesk('webhook', 'events')],
  });

/** A handler is to have the webhook of the last state before the command ends. */
async function waitForWebhook(
  deliveries: PaymentDeliveries,
  state: StateName,
  wait: Pick<WaitOptions, 'clock' | 'signal' | 'sleep'>,
): Promise<void> {
  const until = (isOver: () => boolean, limitMs: number) =>
    readUntil(async () => isOver(), Boolean, { ...wait, limitMs, firstMs: 100, maxMs: 100 });
  const { reached } = await until(() => deliveries.says(state), LAST_WEBHOOK_MS);
  if (reached) await until(() => deliveries.areSettled(), LAST_FORWARD_MS);
}
