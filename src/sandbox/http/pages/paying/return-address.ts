import type { PaymentRow } from '../../../schema.js';

/**
 * Where the browser goes back to: the address exactly as the merchant gave it, with the reference in its query. It says
 * which payment, never how it stands: the return is no proof of anything.
 */
export function returnAddress(payment: Pick<PaymentRow, 'return_url' | 'reference_id'>): string | undefined {
  if (payment.return_url === null) return undefined;
  if (new URL(payment.return_url).searchParams.get('referenceId') === payment.reference_id)
    return payment.return_url;
  const [, address = '', query, fragment = ''] =
    /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(payment.return_url) ?? [];
  const own = `referenceId=${encodeURIComponent(payment.reference_id)}`;
  return `${address}?${query === undefined || query === '' ? own : `${query}&${own}`}${fragment}`;
}
