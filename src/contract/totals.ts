import { createSum, type ExactSum } from './exact.js';
import { isDecimal, writtenOut } from './money.js';

/** Exact sums of money by currency. */
export interface Totals {
  /** `times` is a whole number; -1 takes an amount back. */
  add(amount: string | undefined, currency: string | undefined, times?: number): void;
  /** In order of the currencies, each with two decimals at least. */
  sums(): Record<string, string>;
  /** How many amounts are missing, negative or no numbers, so that no sum includes them. */
  withoutAmount(): number;
}

export function createTotals(): Totals {
  const sums = new Map<string, ExactSum>();
  let withoutAmount = 0;
  return {
    add(written = '', currency = '', times = 1) {
      const amount = writtenOut(written);
      // A negative amount would make room for others under a limit.
      if (!isDecimal(amount) || amount.startsWith('-')) {
        withoutAmount += times;
        return;
      }
      let sum = sums.get(currency);
      if (sum === undefined) sums.set(currency, (sum = createSum()));
      sum.add(amount, times);
    },
    sums: () =>
      Object.fromEntries(
        [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([currency, sum]) => [currency, sum.text()]),
      ),
    withoutAmount: () => withoutAmount,
  };
}
