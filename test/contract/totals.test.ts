import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTotals } from '../../src/contract/totals.js';

describe('totals by currency', () => {
  it('are exact for any number of decimals, and have two at least', () => {
    const totals = createTotals();
    for (const amount of ['49.900', '49.9', '100', '0.10']) totals.add(amount, 'EUR');
    for (const amount of ['1.234', '1.2']) totals.add(amount, 'KWD');
    expect(totals.sums()).toEqual({ EUR: '199.90', KWD: '2.434' });
    expect(totals.withoutAmount()).toBe(0);
  });

  it('do not depend on the decimals that an amount is written with', () => {
    const amounts = fc.array(fc.tuple(fc.nat(10 ** 9), fc.nat(9)), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(amounts, (written) => {
        const [plain, padded] = [createTotals(), createTotals()];
        for (const [cents, zeros] of written) {
          const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
          plain.add(amount, 'EUR');
          padded.add(amount + '0'.repeat(zeros), 'EUR');
        }
        expect(padded.sums()).toEqual(plain.sums());
      }),
    );
  });

  it('take an exponent for the decimal that it stands for', () => {
    const totals = createTotals();
    totals.add('1.05e1', 'EUR');
    totals.add('10.50', 'EUR');
    expect([totals.sums(), totals.withoutAmount()]).toEqual([{ EUR: '21.00' }, 0]);
  });

  it.each([undefined, '', '1e99', '-5.00', 'ten', '1,5', '.5', '5.'])(
    'count %j and leave it out of the sums',
    (amount) => {
      const totals = createTotals();
      totals.add('10.50', 'EUR');
      totals.add(amount, 'EUR', 2);
      expect(totals.sums()).toEqual({ EUR: '10.50' });
      expect(totals.withoutAmount()).toBe(2);
      totals.add(amount, 'EUR', -2);
      expect(totals.withoutAmount()).toBe(0);
    },
  );

  it('take back what was added', () => {
    const totals = createTotals();
    totals.add('1.234', 'KWD', 3);
    totals.add('1.234', 'KWD', -1);
    expect(totals.sums()).toEqual({ KWD: '2.468' });
  });

  it('keep amounts without a currency apart, and are in order of the currencies', () => {
    const totals = createTotals();
    totals.add('3', 'USD');
    totals.add('2', 'EUR');
    totals.add('1', undefined);
    expect(Object.entries(totals.sums())).toEqual([
      ['', '1.00'],
      ['EUR', '2.00'],
      ['USD', '3.00'],
    ]);
  });
});
