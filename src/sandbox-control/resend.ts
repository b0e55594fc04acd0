import { type Command, paydesk } from '../next-command.js';
import { NotReachedError, UsageError } from '../errors.js';
import type { WebhookDelivery, PaymentChange } from '../sandbox/index.js';
import type { Remote } from './remote.js';

type SandboxWebhook = Pick<PaymentChange, 'id' | 'to_state' | 'url'>;

/** The webhook of a payment that is meant: the one that was named, else that of its last change. */
function chooseWebhook(
  webhooks: SandboxWebhook[],
  paymentId: string,
  wanted: number | undefined,
): SandboxWebhook {
  const sent = webhooks.filter(({ url }) => url !== null);
  if (sent.length === 0) {
    throw new UsageError(
      `Payment ${paymentId} has no webhooks, because it has no webhook address. Nothing was sent.`,
      {
        code: 'no-webhook',
        next: [paydesk('sandbox', 'apps', 'set', 'APP', '--webhook-url', 'URL')],
      },
    );
  }
  const chosen = wanted === undefined ? sent.at(-1) : sent.find(({ id }) => id === wanted);
  if (chosen) return chosen;
  const known = sent.map(({ id, to_state }) => `${id} (${to_state})`).join(', ');
  throw new UsageError(`Payment ${paymentId} has no webhook ${wanted}. Nothing was sent. It has ${known}.`, {
    code: 'no-webhook',
    next: [resendCommand(paymentId, sent.at(-1)!.id)],
  });
}

const resendCommand = (paymentId: string, webhook: number): Command =>
  paydesk('sandbox', 'resend', paymentId, '--webhook', webhook);

export interface Resent extends WebhookDelivery {
  paymentId: string;
  state: string;
}

export async function resend(
  sandbox: Remote,
  paymentId: string,
  wanted: number | undefined,
): Promise<{ resent: Resent; ending: NotReachedError | undefined }> {
  const webhook = chooseWebhook(await sandbox.changes(paymentId), paymentId, wanted);
  const delivery = await sandbox.resend(webhook.id);
  const { status, error } = delivery;
  const taken = status !== null && status >= 200 && status < 300;
  return {
    resent: { paymentId, state: webhook.to_state, ...delivery },
    ending: taken
      ? undefined
      : new NotReachedError(
          status === null
            ? `The webhook did not arrive: ${error}. Start the receiver, then send the webhook again.`
            : `The webhook was answered with ${status}. Fix the receiver, then send the webhook again.`,
          { code: 'webhook-not-delivered', next: [resendCommand(paymentId, webhook.id)] },
        ),
  };
}
