import { isDecimal } from '../../contract/money.js';
import { type DecimalMark, evidenceOf, plainDecimal } from '../../spreadsheet/decimals.js';

const SIGNED = /^(\()?\s*([-+−])?\s*([\d.,'’\s]+?)\s*([-−)])?$/u;
/** Spaces and apostrophes between groups of three digits. */
const GROUP_MARK = /(?<=\d)['’\s](?=\d{3}(?!\d))/gu;

/**
 * A signed amount as providers write it, with a decimal point and a leading minus: `1.234,50-`, `(12.00)`, `+5`.
 * Undefined for a text that is no amount in this style.
 */
export function signedDecimal(text: string, style: DecimalMark): string | undefined {
  if (style === 'point' && isDecimal(text)) return text;
  const [, open, sign, digits = '', close] = SIGNED.exec(text) ?? [];
  if ((open !== undefined) !== (close === ')')) return undefined;
  if (sign !== undefined && close !== undefined) return undefined;
  const grouped = digits.replaceAll(GROUP_MARK, '');
  const evidence = evidenceOf(grouped);
  if (evidence === 'none' || (evidence !== 'either' && evidence !== 'ambiguous' && evidence !== style)) {
    return undefined;
  }
  const isNegative = close !== undefined || sign === '-' || sign === '−';
  return `${isNegative ? '-' : ''}${plainDecimal(grouped, style)}`;
}
