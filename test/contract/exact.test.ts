import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSum, exactProblem, fromUnits, isLarger, negated, toUnits } from '../../src/contract/exact.js';
import type { SettlementLine, SettlementReader } from '../../src/reconcile/line.js';
import { createFileProblems } from '../../src/spreadsheet/problems.js';

describe('exact decimals', () => {
  it.each([
    ['49.9', '49.90'],
    ['-0.05', '-0.05'],
    ['1000', '1000.00'],
    ['0.125', '0.125'],
    ['-0.000001', '-0.000001'],
    ['0', '0.00'],
  ])('%s is %s', (text, shown) => {
    expect(fromUnits(toUnits(text))).toBe(shown);
  });

  it.each(['', '1,5', '.5', '5.', '1e3', '+1', '0.0000001', '1234567890123456'])(
    '%s is no amount',
    (text) => {
      expect(exactProblem(text)).toBeDefined();
      expect(() => toUnits(text)).toThrow(RangeError);
    },
  );

  it.each([
    ['49.90', '-49.90'],
    ['-49.90', '49.90'],
    ['0.00', '0.00'],
  ])('%s with the other sign is %s', (amount, other) => {
    expect(negated(amount)).toBe(other);
  });

  it('gives back what it was given, however many are added', () => {
    const hundredths = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
    fc.assert(
      fc.property(fc.array(hundredths), (amounts) => {
        const sum = amounts.reduce((total, each) => total + toUnits(fromUnits(each * 10_000n)), 0n);
        expect(sum).toBe(amounts.reduce((total, each) => total + each * 10_000n, 0n));
      }),
    );
  });

  it('adds small and large amounts to the same sum as whole numbers do', () => {
    const units = fc.oneof(
      fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }).map((cents) => cents * 10_000n),
    );
    fc.assert(
      fc.property(fc.array(units, { maxLength: 200 }), (amounts) => {
        const sum = createSum();
        for (const each of amounts) sum.add(fromUnits(each));
        expect(sum.text()).toBe(fromUnits(amounts.reduce((total, each) => total + each, 0n)));
      }),
    );
  });

  it.each([
    [['49.900', '49.900'], '99.80'],
    [['1.234', '10', '0.0005'], '11.2345'],
    [['0.1', '0.02', '0.003', '-0.0000000000000000001'], '0.1229999999999999999'],
    [['99999999999999999999.99', '0.01'], '100000000000000000000.00'],
    [[], '0.00'],
  ])('adds %j to %s, whatever the number of decimals', (amounts, total) => {
    const sum = createSum();
    for (const amount of amounts) sum.add(amount);
    expect(sum.text()).toBe(total);
    for (const amount of amounts) sum.add(amount, 2);
    for (const amount of amounts) sum.add(amount, -3);
    expect(sum.text()).toBe('0.00');
  });

  it.each(['', '1e3', ' 5', '0x10', '1.2.3', '5.'])('does not add %j', (text) => {
    expect(() => createSum().add(text)).toThrow(RangeError);
  });

  it('finds the larger of two amounts, whatever the number of decimals', () => {
    const larger: Array<[string, string]> = [
      ['100.001', '100'],
      ['100', '99.9999999'],
      ['0.01', '-5'],
      ['12345678901234567890', '12345678901234567889.99'],
    ];
    for (const [one, other] of larger) {
      expect([isLarger(one, other), isLarger(other, one)]).toEqual([true, false]);
    }
    expect(isLarger('5.000', '5')).toBe(false);
  });

  it('adds up the lines of any reader', async () => {
    const read: SettlementReader = async function* () {
      const line: SettlementLine = { line: 2, kind: 'capture', amount: '0.10', currency: 'EUR' };
      yield [line, { ...line, line: 3, amount: '0.20' }];
      yield [{ ...line, line: 4, kind: 'refund', amount: '-0.30' }];
    };
    let sum = 0n;
    for await (const chunk of read((async function* () {})(), createFileProblems())) {
      for (const { amount } of chunk) sum += toUnits(amount);
    }
    expect(fromUnits(sum)).toBe('0.00');
  });
});
