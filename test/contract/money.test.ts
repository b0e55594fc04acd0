import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { currencies, currencyDigits, isKnownCurrency } from '../../src/contract/currencies.js';
import { amount, breakdownAmount } from '../../src/contract/fields.js';
import { ExactNumber, numberFromText, numberText, parseJson } from '../../src/contract/json.js';
import { sameAmount } from '../../src/contract/exact.js';
import { amountDigits } from '../../src/contract/amount-format.js';
import { amountProblem, fromHundredths, toHundredths, writtenOut } from '../../src/contract/money.js';

const hundredths = fc.bigInt({ min: 1n, max: 99_999_999_999n });

describe('amounts', () => {
  test.each(['1', '10.2', '10.23', '20.00', '0.01', '1500000000', '99999999999999999999.99'])(
    '%s is one',
    (text) => {
      expect(amountProblem(text)).toBeUndefined();
    },
  );

  test.each(['0', '0.0', '0.00', '-1', '1.234', '1e2', '1E2', '.5', '5.', '', ' 1', '1 ', 'NaN', '١'])(
    '%j is none',
    (text) => {
      expect(amountProblem(text)).toEqual(expect.stringMatching(/./));
    },
  );

  test('are exact to and from hundredths', () => {
    fc.assert(
      fc.property(hundredths, (value) => {
        const text = fromHundredths(value);
        expect(text).toMatch(/^\d+\.\d\d$/);
        expect(toHundredths(text)).toBe(value);
        expect(amountProblem(text)).toBeUndefined();
      }),
    );
  });

  test('are the same money however they are written', () => {
    fc.assert(
      fc.property(hundredths, hundredths, (a, b) => {
        const short = fromHundredths(a).replace(/\.?0+$/, '');
        expect(sameAmount(short, fromHundredths(a))).toBe(true);
        expect(sameAmount(numberFromText(short), numberFromText(fromHundredths(a)))).toBe(true);
        expect(sameAmount(fromHundredths(a), fromHundredths(b))).toBe(a === b);
      }),
    );
    expect(() => toHundredths('1.234')).toThrow(RangeError);
    expect(() => toHundredths('-1')).toThrow(RangeError);
  });

  test.each([
    ['49.90', '49.900', true],
    ['49.9', '0049.90000', true],
    ['0.0', '0', true],
    ['-0.00', '0', true],
    ['-10.5', '-10.500', true],
    ['99999999999999999999.990', '99999999999999999999.99', true],
    ['49.90', '49.901', false],
    ['49.900', '4.9900', false],
    ['10.5', '-10.5', false],
    ['0.0000000000000000001', '0.00000000000000000010', true],
    ['0.0000000000000000001', '0', false],
    ['1e1', '10', true],
    ['1e1', '1e1', true],
    ['.5', '0.5', false],
  ])('%s and %s are the same money: %s', (one, other, same) => {
    expect(sameAmount(one, other)).toBe(same);
    expect(sameAmount(other, one)).toBe(same);
  });

  test('in a request are numbers, in a breakdown zero is allowed', () => {
    expect(amount.safeParse(parseJson('10.10')).data).toEqual(new ExactNumber('10.10'));
    for (const value of ['10', null, true, undefined, 0, -1, Number.NaN]) {
      expect(amount.safeParse(value).success).toBe(false);
    }
    for (const text of ['0', '0.0', '0.00', '5.5']) {
      expect(breakdownAmount.safeParse(parseJson(text)).success).toBe(true);
    }
    for (const text of ['-1', '0.000', '1.001']) {
      expect(breakdownAmount.safeParse(parseJson(text)).success).toBe(false);
    }
  });
});

describe('numbers in JSON', () => {
  test.each([
    '10.10',
    '[1.0,2.50,1e3,1E+400,-0,0.1]',
    '{"paymentId":12345678901234567890,"a":{"b":[3.140]}}',
    '9007199254740993',
    '{"text":"1.0","n":null,"t":true}',
  ])('%s comes out as it went in', (text) => {
    expect(JSON.stringify(parseJson(text))).toBe(text);
  });

  test('are plain where nothing is lost', () => {
    expect(parseJson('[1,10.5,-3]')).toEqual([1, 10.5, -3]);
    expect(numberFromText('10.5')).toBe(10.5);
    expect(numberText(numberFromText('10.50'))).toBe('10.50');
    expect(Number(new ExactNumber('10.50'))).toBe(10.5);
    expect(String(new ExactNumber('10.50'))).toBe('10.50');
  });

  test('keep any JSON value whole', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(parseJson(text))).toBe(text);
      }),
    );
  });

  test('are exact in every form and place', () => {
    const digits = (minLength: number) =>
      fc.array(fc.nat(9), { minLength, maxLength: 20 }).map((list) => list.join(''));
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.oneof(fc.constant('0'), fc.nat().map(String), fc.bigInt({ min: 1n, max: 10n ** 22n }).map(String)),
        fc.option(
          digits(1).map((text) => `.${text}`),
          { nil: '' },
        ),
        fc.option(fc.constantFrom('e1', 'E-7', 'e+30', 'E400'), { nil: '', freq: 5 }),
      )
      .map((parts) => parts.join(''));
    const place = fc.constantFrom(
      (text: string) => text,
      (text: string) => `[${text}]`,
      (text: string) => `[${text}\n, "a"]`,
      (text: string) => `{"a":[1,{"b": ${text} }]}`,
    );
    fc.assert(
      fc.property(number, place, (text, put) => {
        expect(JSON.stringify(parseJson(put(text)))).toBe(put(text).replace(/\s/g, ''));
      }),
      { numRuns: 2_000 },
    );
  });

  test('broken JSON throws as it does elsewhere', () => {
    expect(() => parseJson('{')).toThrow(SyntaxError);
  });
});

describe('numbers with an exponent', () => {
  test.each([
    ['1e1', '10', '10.00'],
    ['1.01E1', '10.1', '10.10'],
    ['1.010e+1', '10.10', '10.10'],
    ['1050e-2', '10.50', '10.50'],
    ['5e-3', '0.005', '0.005'],
    ['0.0012e4', '12', '12.00'],
    ['-2.5e0', '-2.5', '-2.50'],
    ['0e0', '0', '0.00'],
    ['1e29', `1${'0'.repeat(29)}`, `1${'0'.repeat(29)}.00`],
  ])('%s is %s written out', (text, plain, digits) => {
    expect(writtenOut(text)).toBe(plain);
    expect(amountDigits(text, 'EUR')).toBe(digits);
    expect(sameAmount(text, plain)).toBe(true);
    expect(sameAmount(parseJson(text) as number, `${plain}${plain.includes('.') ? '1' : '.1'}`)).toBe(false);
  });

  test.each([
    '1e30',
    '1e-30',
    '1e999999999999999999999',
    '1e-99999999',
    'e1',
    '1e',
    '1e1.5',
    'ten',
    '',
    '1.e1',
  ])('%j stays as it is', (text) => {
    expect(writtenOut(text)).toBe(text);
    expect(amountDigits(text, 'EUR')).toBe(text);
    expect(sameAmount(text, text)).toBe(true);
  });

  test('mean what a JavaScript number means', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10 ** 9 }),
        fc.integer({ min: -15, max: 15 }),
        (digits, exponent) => {
          const text = `${digits}e${exponent}`;
          expect(Number(writtenOut(text))).toBe(Number(text));
          expect(writtenOut(text)).toMatch(/^(0|[1-9]\d*)(\.\d+)?$/);
        },
      ),
    );
  });
});

describe('currencies', () => {
  test('are three letters, each once, and know their digits', () => {
    expect(new Set(currencies).size).toBe(currencies.length);
    expect(currencies.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
    expect(currencies.length).toBeGreaterThan(150);
    expect(['EUR', 'JPY', 'KWD', 'ISK', 'XYZ', 'constructor'].map(currencyDigits)).toEqual([
      2, 0, 3, 0, 2, 2,
    ]);
    expect(['EUR', 'eur', 'XXX', 'toString'].map(isKnownCurrency)).toEqual([true, false, false, false]);
  });
});
