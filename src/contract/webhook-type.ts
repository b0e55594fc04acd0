export const WEBHOOK_TYPE = 'payment.state-changed';
