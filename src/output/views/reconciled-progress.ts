import { groupDigits } from '../amount.js';

const number = (value: number): string => groupDigits(String(Math.round(value)));

/** `Comparing  12,000 lines  4,000/s  18 checked at the service`. */
export function comparingLine(lines: number, looked: number, rate: number): string {
  const checked = looked === 0 ? '' : `  ${number(looked)} checked at the service`;
  return `Comparing  ${number(lines)} ${lines === 1 ? 'line' : 'lines'}  ${number(rate)}/s${checked}`;
}
