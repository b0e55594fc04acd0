import { describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { checksOf } from '../../src/client/field-checks.js';
import { answerFields } from '../../src/contract/answer-fields.js';
import { customer, paymentMethod } from '../../src/contract/customer.js';
import { ExactNumber } from '../../src/contract/json.js';
import { payment } from '../../src/contract/payment.js';

const values = [
  undefined,
  null,
  '',
  'text',
  '7',
  true,
  0,
  -1,
  7.5,
  NaN,
  Infinity,
  2 ** 53,
  [],
  ['text'],
  {},
  { extra: 1 },
  { payer: { card: { cardBrand: 'Visa', cardExpiryMonth: 1.5 } } },
  { payer: { card: { cardBrand: 'Visa', cardExpiryMonth: 12 } } },
  { payer: { card: null } },
  { providerFee: new ExactNumber('0.10'), captureId: 'c' },
  { appId: 7 },
  { isBlocked: 'no' },
];

const schemas = { payment, customer, paymentMethod };

describe.each(['payment', 'customer', 'paymentMethod'] as const)('a field of a %s', (kind) => {
  const schema = schemas[kind];

  it('is checked if the contract has it', () => {
    expect(Object.keys(answerFields[kind])).toEqual(Object.keys(schema.shape));
  });

  it.each(checksOf(answerFields[kind]))('%s fits where zod takes it as it is', (name, fits) => {
    const field = (schema.shape as Readonly<Record<string, z.ZodMiniType>>)[name]!;
    for (const value of values) {
      const parsed = field.safeParse(value);
      expect(fits(value), JSON.stringify(value)).toBe(parsed.success);
      if (parsed.success) expect(parsed.data).toEqual(value);
    }
  });
});
