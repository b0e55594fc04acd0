import { currencyDigits } from '../../../contract/currencies.js';

/** `€49.90`, `¥1,200`: with the decimals of the currency by ISO 4217, or more where the amount has more; never rounded. */
export function formatMoney(amount: string, currency: string): string {
  const digits = currencyDigits(currency);
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: Math.max(digits, amount.split('.')[1]?.length ?? 0),
  }).format(amount as Intl.StringNumericLiteral);
}

/** An amount on a line of its own or in a sentence; it is never broken in two. */
export function Money({ amount, currency }: { amount: string; currency: string }) {
  return <span class="num">{formatMoney(amount, currency)}</span>;
}
