// Amounts as people say them: 49.90, EUR 49.90, €49,90, 50 euro, 1.234,56, ~50.

import { currencies, currencyDigits } from './currencies.js';

export interface AmountRange {
  from: number;
  to: number;
  currency?: string | undefined;
}

const symbols = new Map(Object.entries({ '€': 'EUR', $: 'USD', '£': 'GBP', '¥': 'JPY' }));
const spoken = new Map(Object.entries({ euro: 'EUR', dollar: 'USD', pound: 'GBP', yen: 'JPY' }));
const codes = new Set(currencies);

/** What "about" means: within five per cent. */
const ROUGHLY_WITHIN = 0.05;

/** `EUR` of EUR, eur, € and euros. */
export function currencyOf(text: string): string | undefined {
  const code = symbols.get(text) ?? spokenCurrency(text) ?? text.toUpperCase();
  return codes.has(code) ? code : undefined;
}

export const spokenCurrency = (text: string): string | undefined =>
  spoken.get(text.toLowerCase().replace(/s$/, ''));

const NUMBER = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?|\d+(?:[.,]\d{1,3})?`;
const MONEY = String.raw`euros?|dollars?|pounds?|[a-z]{3}|[€$£¥]`;
const AMOUNT = new RegExp(`^(~?)\\s*(${MONEY})?\\s*(~?)(${NUMBER})\\s*(${MONEY})?$`, 'iu');

/** Undefined when it is no amount. */
export function parseSpokenAmount(text: string): AmountRange | undefined {
  const [, before, first, after, digits, last] = AMOUNT.exec(text.trim()) ?? [];
  if (digits === undefined || (first !== undefined && last !== undefined)) return undefined;
  if (before === '~' && after === '~') return undefined;
  const money = first ?? last;
  const currency = money === undefined ? undefined : currencyOf(money);
  if (money !== undefined && currency === undefined) return undefined;
  const value = Number(plainNumber(digits, currency));
  const slack = before === '~' || after === '~' ? value * ROUGHLY_WITHIN : 0;
  return { from: round(value - slack), to: round(value + slack), currency };
}

/** A mark before three digits separates thousands, unless the currency has three decimals; before one or two it is decimal. */
function plainNumber(digits: string, currency = ''): string {
  if (/,\d{1,2}$/.test(digits)) return digits.replaceAll('.', '').replace(',', '.');
  const hasThousands = /^[1-9]\d{0,2}(\.\d{3})+$/.test(digits) && currencyDigits(currency) < 3;
  return digits.replaceAll(hasThousands ? '.' : ',', '');
}

// Sums of binary fractions must not leave out the end of the range.
const round = (value: number): number => Number(value.toFixed(6));

/** `15.00`, `1,234.50`, `1'234` and `15,-`. */
const WRITTEN_AMOUNT = /^[-+]?(?:\d+[.,](?:\d+|-{1,2})|\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d+)?)$/;
/** Signs that stand for several currencies, so that a search does not take them for one. */
const otherSigns = () => /\bkr\.?|[A-Z]{0,3}\p{Sc}/giu;

/** With a currency any number is an amount. `INV15` is none: no currency has that code. */
export function looksLikeAmount(text: string): boolean {
  if (WRITTEN_AMOUNT.test(text)) return true;
  return /\D/.test(text) && parseSpokenAmount(text.replace(otherSigns(), '€')) !== undefined;
}

/** `100021,100022`: no amount has four digits or more on both sides of a comma. */
const WRITTEN_IDS = /^\d{4,}(?:[,;]\d{4,})+$/;

export const looksLikeIds = (text: string): boolean => WRITTEN_IDS.test(text);
