import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { checksOf } from '../../src/client/field-checks.js';
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

describe.each(Object.entries({ payment, customer, paymentMethod }))('a field of a %s', (_name, schema) => {
  it.each(checksOf(schema.shape))('%s fits where zod takes it as it is', (name, fits) => {
    const field = (schema.shape as Readonly<Record<string, z.ZodMiniType>>)[name]!;
    for (const value of values) {
      const parsed = field.safeParse(value);
      expect(fits(value), JSON.stringify(value)).toBe(parsed.success);
      if (parsed.success) expect(parsed.data).toEqual(value);
    }
  });
});

it('what is more than a type is checked as well', () => {
  const [[, fits]] = checksOf({ short: z.string().check(z.maxLength(3)) }) as [
    [string, (value: unknown) => boolean],
  ];
  expect(fits('abc')).toBe(true);
  expect(fits('abcd')).toBe(false);
});
