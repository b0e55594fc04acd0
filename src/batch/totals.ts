import { fromHundredths, isAmount, toHundredths } from '../contract/money.js';

/** Exact sums by currency, added one by one. */
interface Totals {
  add(amount: string | undefined, currency: string | undefined): void;
  sums(): Record<string, string>;
}

export function createTotals(): Totals {
  const sums = new Map<string, bigint>();
  return {
    add(amount = '', currency = '') {
      const hundredths = hundredthsOf(amount);
      if (hundredths !== undefined) sums.set(currency, (sums.get(currency) ?? 0n) + hundredths);
    },
    sums: () =>
      Object.fromEntries(
        [...sums]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([currency, sum]) => [currency, fromHundredths(sum)]),
      ),
  };
}

/** Undefined for an amount that the service would not take, such as one with more than two decimals. */
export function hundredthsOf(amount: string): bigint | undefined {
  return isAmount(amount) ? toHundredths(amount) : undefined;
}

/** Two sets of sums together. */
export function addTotals(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): Record<string, string> {
  const totals = createTotals();
  for (const sums of [one, other]) {
    for (const [currency, sum] of Object.entries(sums)) totals.add(sum, currency);
  }
  return totals.sums();
}
