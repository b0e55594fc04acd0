// Exact arithmetic with signed decimals. Amounts are texts everywhere else; here they are whole numbers of a small unit.

import { numberText, type JsonNumber } from './json.js';
import { isDecimal, writtenOut } from './money.js';

/** The most decimals that an amount of a provider's file may have. */
const DECIMALS = 6;

/** What is wrong with an amount of a file, or undefined when nothing is. */
export function exactProblem(text: string): string | undefined {
  if (!isDecimal(text)) return 'must be a decimal number, for example 10.23';
  if (/\.\d{7,}$/.test(text)) return `has more than ${DECIMALS} decimals`;
  return /\d{16}/.test(text) ? 'has too many digits' : undefined;
}

export const isExact = (text: string): boolean => exactProblem(text) === undefined;

const SMALL_AMOUNT = /^-?\d{1,11}\.\d\d$/;
const SAFE_SUM = Number.MAX_SAFE_INTEGER / 2;

/** A running sum of decimals, whatever their number of decimals. */
export interface ExactSum {
  /** Throws on what is no decimal. `times` is a whole number; -1 takes an amount back. */
  add(amount: string, times?: number): void;
  /** With two decimals at least, and as many more as are needed. */
  text(): string;
}

/** Most amounts have two decimals and are added as whole hundredths, which is many times faster. */
export function createSum(): ExactSum {
  let hundredths = 0;
  let total: Scaled = { units: 0n, decimals: 2 };

  function addScaled({ units, decimals }: Scaled): void {
    const most = Math.max(decimals, total.decimals);
    total = { units: unitsOf(total, most) + unitsOf({ units, decimals }, most), decimals: most };
  }

  function addHundredths(): void {
    addScaled({ units: BigInt(hundredths), decimals: 2 });
    hundredths = 0;
  }

  return {
    add(amount, times = 1) {
      if (times !== 1 || !SMALL_AMOUNT.test(amount)) {
        const { units, decimals } = scaled(amount);
        addScaled({ units: units * BigInt(times), decimals });
        return;
      }
      const at = amount.length - 3;
      hundredths += Number(amount.slice(0, at) + amount.slice(at + 1));
      if (Math.abs(hundredths) >= SAFE_SUM) addHundredths();
    },
    text() {
      addHundredths();
      return fromUnits(total.units, total.decimals);
    },
  };
}

/** A decimal as a whole number of its last place: 49.900 is 49900 with 3 decimals. */
interface Scaled {
  units: bigint;
  decimals: number;
}

function scaled(text: string): Scaled {
  if (!isDecimal(text)) throw new RangeError(`${text} must be a decimal number`);
  const at = text.indexOf('.');
  if (at < 0) return { units: BigInt(text), decimals: 0 };
  return { units: BigInt(text.slice(0, at) + text.slice(at + 1)), decimals: text.length - at - 1 };
}

/** The same decimal with at least as many decimals as it has. */
const unitsOf = ({ units, decimals }: Scaled, more: number): bigint =>
  decimals === more ? units : units * 10n ** BigInt(more - decimals);

/** The amount in millionths; throws on what `exactProblem` finds fault with. */
export function toUnits(text: string): bigint {
  const problem = exactProblem(text);
  if (problem !== undefined) throw new RangeError(`${text} ${problem}`);
  return unitsOf(scaled(text), DECIMALS);
}

/** Millionths, or units of another number of decimals, as a text with two decimals at least. */
export function fromUnits(units: bigint, decimals = DECIMALS): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals).replace(/(?<=\d\d)0+$/, '')}`;
}

/** Whether one decimal is larger than another, however many decimals each is written with. */
export const isLarger = (one: string, other: string): boolean => difference(one, other) > 0n;

/** Whether two amounts are the same money, however they are written (10.1, 10.10 and 1.01e1); other texts compare as texts. */
export function sameAmount(a: JsonNumber | string, b: JsonNumber | string): boolean {
  const [left, right] = [writtenAmount(a), writtenAmount(b)];
  return isDecimal(left) && isDecimal(right) ? difference(left, right) === 0n : left === right;
}

const writtenAmount = (amount: JsonNumber | string): string =>
  writtenOut(typeof amount === 'string' ? amount : numberText(amount));

/** In units of the last decimal that either of them has. */
function difference(one: string, other: string): bigint {
  const [left, right] = [scaled(one), scaled(other)];
  const decimals = Math.max(left.decimals, right.decimals);
  return unitsOf(left, decimals) - unitsOf(right, decimals);
}

/** The same amount with the other sign. */
export function negated(amount: string): string {
  if (amount.startsWith('-')) return amount.slice(1);
  return /[1-9]/.test(amount) ? `-${amount}` : amount;
}
