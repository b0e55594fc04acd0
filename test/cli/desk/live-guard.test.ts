import { expect, it } from 'vitest';
import { isTypedAmount } from '../../../src/cli/desk/live-guard.js';

const understood = (typed: string, digits: string) => isTypedAmount(typed, { digits, currency: 'EUR' });

it.each(['20', '20.0', '20.00', '20,00', 'EUR 20', 'eur 20,00', '20 EUR', 'EUR20.00'])(
  'takes %s for EUR 20.00',
  (typed) => expect(understood(typed, '20')).toBe(true),
);

it.each(['1234.5', '1,234.50', '1.234,50', 'EUR 1,234.50'])('takes %s for EUR 1,234.50', (typed) =>
  expect(understood(typed, '1234.5')).toBe(true),
);

it.each(['USD 20', '2000', '20.01', '20,000', '2,0,0', '20.00.00', 'EUR', '', '-20', '20 20'])(
  'does not take %j for EUR 20.00',
  (typed) => expect(understood(typed, '20')).toBe(false),
);
