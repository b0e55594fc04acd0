import { fromHundredths, toHundredths } from '../contract/money.js';

/** Exact sums by currency, as they come. */
export interface Totals {
  add(amount: string | undefined, currency: string | undefined): void;
  sums(): Record<string, string>;
}

/** Amounts with more than two decimals are none that the service takes, and are not counted. */
export function createTotals(): Totals {
  const sums = new Map<string, bigint>();
  return {
    add(amount, currency = '') {
      if (amount === undefined || !/^\d+(\.\d{1,2})?$/.test(amount)) return;
      sums.set(currency, (sums.get(currency) ?? 0n) + toHundredths(amount));
    },
    sums: () =>
      Object.fromEntries(
        [...sums]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([currency, sum]) => [currency, fromHundredths(sum)]),
      ),
  };
}
