// The webhook that the service would send for a payment as it is now.

import { randomUUID } from 'node:crypto';
import type { PaymentRead } from '../../client/payment-calls.js';
import { numberFromText } from '../../contract/json.js';
import { states } from '../../contract/states.js';
import { WEBHOOK_TYPE } from '../../contract/webhook-type.js';
import { idOf } from '../../payments/named-payments.js';
import type { WebhookRequest } from './inbox-writer.js';
import type { Named } from './name-payment.js';

export function madeWebhook(
  read: PaymentRead,
  { appId, now }: { appId: string; now: number },
): { request: WebhookRequest; named: Named } {
  const { fields, state } = read;
  const paymentId = idOf(read);
  const eventId = `evt_${randomUUID().replaceAll('-', '')}`;
  const body = JSON.stringify({
    eventId,
    type: WEBHOOK_TYPE,
    appId: fields.appId ?? appId,
    paymentId: numberFromText(paymentId),
    referenceId: fields.referenceId,
    paymentState: fields.paymentState,
    paymentStateId: fields.paymentStateId ?? (state === undefined ? undefined : states[state].id),
    occurredTime: new Date(now).toISOString(),
  });
  return {
    request: {
      time: now,
      method: 'POST',
      path: '',
      query: '',
      headers: [
        ['User-Agent', 'paydesk'],
        ['Content-Type', 'application/json'],
      ],
      body: Buffer.from(body),
    },
    named: {
      paymentId,
      referenceId: fields.referenceId ?? null,
      namedBy: 'json',
      saidState: fields.paymentState ?? null,
      eventId,
    },
  };
}
