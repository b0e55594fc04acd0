import { isJsonNumber, numberText, type JsonNumber } from './json.js';
import { wasCaptured } from './states.js';

/** What is wrong with an amount written as text, or undefined when nothing is. The spec names no largest amount. */
export function amountProblem(text: string): string | undefined {
  const tooExact = /\.\d{3,}$/.test(text) ? 'must have at most two decimals, for example 10.23' : undefined;
  return totalProblem(text) ?? tooExact;
}

/** The same for a total, which is compared and not sent: the service may have amounts with more decimals. */
export function totalProblem(text: string): string | undefined {
  if (text.startsWith('-')) return 'must be more than zero';
  if (/^\d+(\.\d+)?[eE]/.test(text)) return 'must be written out, for example 1000.00';
  if (!isDecimal(text)) return 'must be a decimal number in major units, for example 10.23';
  return /[1-9]/.test(text) ? undefined : 'must be more than zero';
}

/** Whether a text is a number written out with a decimal point: `-10.5`. */
export const isDecimal = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);

// Longer than any amount, and short enough to print.
const MAX_DIGITS = 30;

/** A JSON number without its exponent: 1.05e1 is 10.5. What is no number, or would be too long, stays as it is. */
export function writtenOut(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]?\d+)$/i.exec(text);
  if (!match) return text;
  const [, sign, whole = '', decimals = '', exponent] = match;
  const point = whole.length + Number(exponent);
  const zerosBefore = Math.max(0, 1 - point);
  const length = Math.max(whole.length + decimals.length, point) + zerosBefore;
  if (length > MAX_DIGITS) return text;
  const digits = ('0'.repeat(zerosBefore) + whole + decimals).padEnd(length, '0');
  const at = point + zerosBefore;
  const integer = digits.slice(0, at).replace(/^0+(?=\d)/, '');
  return at === length ? `${sign}${integer}` : `${sign}${integer}.${digits.slice(at)}`;
}

/** Whether a text is a decimal with at most two places, which can be compared and added up. */
export const isAmount = (text: string): boolean => /^\d+(\.\d{1,2})?$/.test(text);

/** Exact hundredths of a decimal text with at most two places; throws on anything else. */
export function toHundredths(text: string): bigint {
  if (!isAmount(text)) throw new RangeError(`not an amount with at most two decimals: ${text}`);
  const [whole = '', decimals = ''] = text.split('.');
  return BigInt(whole) * 100n + BigInt(decimals.padEnd(2, '0'));
}

export function fromHundredths(hundredths: bigint): string {
  const digits = hundredths.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** A decimal without the zeros at its end: 10.10 is 10.1, and 10.00 is 10. */
export const shortDecimal = (text: string): string => text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');

/** Whether an amount is more than zero, however it is written. */
export function isPositive(amount: JsonNumber | undefined): boolean {
  if (amount === undefined) return false;
  const text = numberText(amount);
  return /^\+?\d/.test(text) && /[1-9]/.test(text.split(/e/i)[0] ?? '');
}

type Written = JsonNumber | string | null | undefined;

/**
 * What a payment has taken from the customer, as the service wrote it: a capture may be for less than the amount.
 * `state` is our name of it. Before a capture, and where no captured amount is shown, it is the amount.
 */
export function takenAmount(
  state: string | undefined,
  { amount, capturedAmount }: { amount?: Written; capturedAmount?: Written },
): string | undefined {
  const captured = textOf(capturedAmount);
  const isUsable = captured !== undefined && totalProblem(writtenOut(captured)) === undefined;
  return state !== undefined && wasCaptured(state) && isUsable ? captured : textOf(amount);
}

const textOf = (written: Written): string | undefined =>
  isJsonNumber(written) ? numberText(written) : (written ?? undefined);
