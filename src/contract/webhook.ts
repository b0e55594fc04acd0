import * as z from 'zod/mini';
import { described } from './described.js';

export const webhookBody = described(
  z.looseObject({
    eventId: z.string(),
    type: z.string(),
    appId: z.string(),
    paymentId: z.int(),
    referenceId: z.string(),
    paymentState: z.string(),
    paymentStateId: z.int(),
    occurredTime: described(z.string(), { format: 'date-time' }),
  }),
  { id: 'Webhook', description: 'Says that a payment changed. Read the payment before acting on it.' },
);

export type WebhookBody = z.infer<typeof webhookBody>;
