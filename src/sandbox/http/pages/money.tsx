import { localAmount } from '../../../contract/amount-format.js';

/** `€49.90`, `¥1,200`. */
export const formatMoney = (amount: string, currency: string): string => localAmount(amount, currency, 'en');

/** An amount on a line of its own or in a sentence; it is never broken in two. */
export function Money({ amount, currency }: { amount: string; currency: string }) {
  return <span class="num">{formatMoney(amount, currency)}</span>;
}
