// `payments create --listen`: receives the webhooks of one payment.

import type { PaymentRead } from '../../client/payment-calls.js';
import type { StateName } from '../../contract/states.js';
import type { PaydeskError } from '../../errors.js';
import { followPayment } from '../../payments/follow-payment.js';
import type { Desk } from '../../payments/desk.js';
import { idOf } from '../../payments/named-payments.js';
import { readUntil } from '../../payments/wait.js';
import { createWakeups } from '../../webhooks/inbox/wakeups.js';
import { describeError } from '../../output/report.js';
import { deliveryLine, readyLines, thirdPartyLine } from '../../output/views/webhook.js';
import type { Delivery } from '../../webhooks/inbox/delivery.js';
import type { Header, Target } from '../../webhooks/forwarding/targets.js';
import { runListener } from '../../webhooks/run-listener.js';
import { chooseTunnel } from '../../webhooks/tunnels/choose.js';
import type { CommandContext } from '../runtime/context.js';
import { openLedger } from '../desk/desk-database.js';
import { listenPort, targetsOf } from '../flags/listen-flags.js';

export interface CreateListening {
  /** Address of the listener, for the webhookUrl of the payment. */
  url: string;
  /** Reads the payment when a webhook arrives, and at intervals without one. */
  follow(read: PaymentRead, until: StateName): Promise<{ read: PaymentRead; error?: PaydeskError }>;
  /** Webhooks that were received, read and forwarded. */
  deliveries: Delivery[];
}

export interface CreateListeningFlags {
  'forward-to'?: Target[] | undefined;
  header?: Header[] | undefined;
  'skip-verify'?: boolean | undefined;
  tunnel?: string | undefined;
  port?: number | undefined;
}

/** How long to wait for the webhook of the last state after a read has shown that state. */
const LAST_WEBHOOK_MS = 3_000;

export async function openCreateListening(
  context: CommandContext,
  desk: Desk,
  flags: CreateListeningFlags,
): Promise<CreateListening> {
  const { interactive, print } = context;
  const { env, stdout } = context.streams;
  const { client, app, signal, note, clock } = desk;
  const { tunnel, because } = await chooseTunnel({
    text: flags.tunnel ?? 'auto',
    baseUrl: app.baseUrl,
    env,
  });
  if (because !== undefined) note(because);
  if (tunnel.thirdParty) note(thirdPartyLine(tunnel));
  const { store } = await openLedger(context);
  const deliveries: Delivery[] = [];
  const { wakeups, wake } = createWakeups(clock);
  const targets = targetsOf(client, flags);
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
    interactive,
    signal,
    note,
    onEvent(event) {
      if (event.type !== 'settled') return;
      deliveries.push(event.delivery);
      print(deliveryLine(event.delivery, { ...stdout, now: context.now() }));
      wake(event.delivery);
    },
    onError: (error) => note(describeError(error).message),
  });
  context.atEnd(() => listening.stop());
  const { url, localUrl, secret } = listening.listener;
  context.secrets.add(secret);
  const to = targets.map((target) => target.url);
  note(...readyLines({ url, localUrl, secret, targets: to, chaos: undefined, chaosSeed: undefined }));

  return {
    url,
    deliveries,
    async follow(read, until) {
      const names = { paymentId: idOf(read), referenceId: read.fields.referenceId };
      const sleep = (ms: number, stop: AbortSignal) => wakeups.sleep(names, ms, stop);
      const end = await followPayment({ ...desk, note: () => undefined }, read, until, sleep);
      const isTold = () =>
        deliveries.some(({ paymentId, state }) => paymentId === idOf(read) && state === end.read.state);
      await readUntil(async () => isTold(), Boolean, {
        clock,
        signal,
        limitMs: LAST_WEBHOOK_MS,
        firstMs: 100,
        maxMs: 100,
        sleep,
      });
      return end;
    },
  };
}
