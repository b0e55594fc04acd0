// Exact sums of signed decimals. Amounts are texts everywhere else; here they are whole numbers of a small unit.

import { isDecimal } from '../contract/money.js';

const DECIMALS = 6;
const UNIT = 10n ** BigInt(DECIMALS);

/** What is wrong with an amount of a file, or undefined when nothing is. */
export function exactProblem(text: string): string | undefined {
  if (!isDecimal(text)) return 'must be a decimal number, for example 10.23';
  if (/\.\d{7,}$/.test(text)) return `has more than ${DECIMALS} decimals`;
  return /\d{16}/.test(text) ? 'has too many digits' : undefined;
}

export const isExact = (text: string): boolean => exactProblem(text) === undefined;

const SMALL_AMOUNT = /^-?\d{1,11}\.\d\d$/;
const HUNDREDTH = UNIT / 100n;
const SAFE_SUM = Number.MAX_SAFE_INTEGER / 2;

/** A running sum. Most amounts have two decimals and are added as whole hundredths, which is many times faster. */
export interface ExactSum {
  add(amount: string): void;
  /** In millionths. */
  units(): bigint;
}

export function createSum(): ExactSum {
  let total = 0n;
  let hundredths = 0;
  return {
    add(amount) {
      if (!SMALL_AMOUNT.test(amount)) {
        total += toUnits(amount);
        return;
      }
      const at = amount.length - 3;
      hundredths += Number(amount.slice(0, at) + amount.slice(at + 1));
      if (Math.abs(hundredths) < SAFE_SUM) return;
      total += BigInt(hundredths) * HUNDREDTH;
      hundredths = 0;
    },
    units: () => total + BigInt(hundredths) * HUNDREDTH,
  };
}

/** The amount in millionths; throws on what `exactProblem` finds fault with. */
export function toUnits(text: string): bigint {
  const problem = exactProblem(text);
  if (problem !== undefined) throw new RangeError(`${text} ${problem}`);
  const at = text.indexOf('.');
  if (at < 0) return BigInt(text) * UNIT;
  const decimals = text.length - at - 1;
  return BigInt(text.slice(0, at) + text.slice(at + 1)) * 10n ** BigInt(DECIMALS - decimals);
}

/** With two decimals at least, and as many more as are needed. */
export function fromUnits(units: bigint): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(DECIMALS + 1, '0');
  const decimals = digits.slice(-DECIMALS).replace(/0{1,4}$/, '');
  return `${sign}${digits.slice(0, -DECIMALS)}.${decimals}`;
}

/** The same amount with the other sign. */
export function negated(amount: string): string {
  if (amount.startsWith('-')) return amount.slice(1);
  return /[1-9]/.test(amount) ? `-${amount}` : amount;
}
