// Apart from webhook.ts, which needs zod: a sandbox starts without it.

export const WEBHOOK_TYPE = 'payment.state-changed';
