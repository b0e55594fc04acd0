// Amounts and counts as people and programs read them.

import { currencyDigits } from './currencies.js';
import { writtenOut } from './money.js';

/**
 * The digits of an amount with the decimals of its currency, and more only where they are not zeros. It is never rounded,
 * and what is no number stays as it is.
 */
export const amountDigits = (source: string, currency: string | undefined): string =>
  withDecimals(source, currencyDigits(currency ?? ''));

/** The same for programs: `12.34` also in a currency with three decimals, where `12.340` could be twelve thousand. */
export const amountCell = (source: string, currency: string | undefined): string =>
  withDecimals(source, Math.min(2, currencyDigits(currency ?? '')));

function withDecimals(source: string, count: number): string {
  const match = /^(-?\d+)(?:\.(\d+))?$/.exec(writtenOut(source));
  if (!match) return source;
  const decimals = (match[2] ?? '').replace(/0+$/, '').padEnd(count, '0');
  return decimals === '' ? match[1]! : `${match[1]}.${decimals}`;
}

/** `EUR 1,249.90`, for people. */
export function formatAmount(source: string, currency: string | undefined): string {
  return withCurrency(groupDigits(amountDigits(source, currency)), currency);
}

/** `EUR 58,112.40   GBP 1,020.00`, for people. */
export function totalsText(totals: Readonly<Record<string, string>>): string {
  return Object.entries(totals)
    .map(([currency, sum]) => formatAmount(sum, currency))
    .join('   ');
}

/**
 * `€1,249.90` in English, `1.249,90 €` in German, for customers. `amount` is a decimal number, and is never rounded;
 * `currency` is a code of three letters.
 */
export function localAmount(amount: string, currency: string, locale: string): string {
  const digits = currencyDigits(currency);
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: Math.max(digits, amount.split('.')[1]?.length ?? 0),
  }).format(amount as Intl.StringNumericLiteral);
}

/** `EUR 1249.90`, for programs. */
export function plainAmount(source: string, currency: string | undefined): string {
  return withCurrency(amountDigits(source, currency), currency);
}

const withCurrency = (digits: string, currency: string | undefined): string =>
  currency === undefined || currency === '' ? digits : `${currency} ${digits}`;

/** `58,112.40`. */
export function groupDigits(digits: string): string {
  return digits.replace(
    /^(-?)(\d+)/,
    (_, sign: string, whole: string) => sign + whole.replace(/\B(?=(\d{3})+$)/g, ','),
  );
}

/** `12,000`. */
export const countText = (count: number): string => groupDigits(String(count));

/** `1 row`, `12,000 rows`; `many` where it is not `one` with an s. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`;
