import type { PaymentRead } from '../client/payment-calls.js';
import { textAt } from '../output/values.js';

const reasonFields = [
  'failureReason',
  'declineReason',
  'statusReason',
  'reason',
  'failureMessage',
  'message',
];

/** Why a payment failed. The service names no field for it: whatever says why is taken. */
export function failureReason({ object }: PaymentRead): string {
  const holders = [[], ['payInfo'], ['error']];
  for (const path of holders) {
    for (const name of reasonFields) {
      const text = textAt(object, ...path, name);
      if (text !== '') return text;
    }
  }
  return '';
}
