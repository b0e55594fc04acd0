import { isJsonNumber, numberText, type JsonValue } from '../../contract/json.js';
import { isAmount, toHundredths } from '../../contract/money.js';
import type { FieldError } from '../../contract/problem.js';

/** The largest amount that the sandbox takes. */
const MAX_AMOUNT = '999999999.99';

export function amountOverLimit(body: { [key: string]: JsonValue }): FieldError[] {
  const { amount } = body;
  const text = isJsonNumber(amount) ? numberText(amount) : '';
  if (!isAmount(text) || toHundredths(text) <= toHundredths(MAX_AMOUNT)) return [];
  return [{ path: 'amount', message: `must be at most ${MAX_AMOUNT}` }];
}
