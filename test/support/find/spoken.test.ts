import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currencies } from '../../../src/contract/currencies.js';
import { parseSpokenAmount } from '../../../src/contract/spoken-amount.js';
import { parseSpokenDate } from '../../../src/support/find/dates.js';
import { hasWord, plainWords, searchWords } from '../../../src/ledger/known/search-words.js';

const cents = fc.integer({ min: 0, max: 99_999_999 });
const currency = fc.constantFrom(...currencies);
const decimal = (amount: number) => (amount / 100).toFixed(2);
const grouped = (amount: number) => {
  const [whole = '', rest] = decimal(amount).split('.');
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${rest}`;
};
const swapMarks = (text: string) => text.replaceAll(/[.,]/g, (mark) => (mark === '.' ? ',' : '.'));

describe('amounts as people say them', () => {
  it('mean one value, however they are written', () => {
    fc.assert(
      fc.property(cents, currency, (amount, code) => {
        const value = { from: amount / 100, to: amount / 100 };
        const plain = decimal(amount);
        for (const text of [plain, grouped(amount), swapMarks(plain), swapMarks(grouped(amount))]) {
          expect(parseSpokenAmount(text)).toEqual({ ...value, currency: undefined });
          for (const said of [`${code} ${text}`, `${text} ${code}`, `${code.toLowerCase()}${text}`]) {
            expect(parseSpokenAmount(said)).toEqual({ ...value, currency: code });
          }
        }
      }),
    );
  });

  it.each([
    ['1.234', 1234, undefined],
    ['€1.234', 1234, 'EUR'],
    ['5.000 EUR', 5000, 'EUR'],
    ['1.234.567', 1_234_567, undefined],
    ['KWD 12.340', 12.34, 'KWD'],
    ['0.500', 0.5, undefined],
  ])(
    'have thousands before three digits, unless the currency has three decimals: %s',
    (text, value, code) => {
      expect(parseSpokenAmount(text)).toEqual({ from: value, to: value, currency: code });
    },
  );

  it('are within five per cent after a tilde, the ends included', () => {
    fc.assert(
      fc.property(cents, (amount) => {
        const about = parseSpokenAmount(`~${decimal(amount)}`)!;
        const value = amount / 100;
        expect(about.from).toBeCloseTo(value * 0.95, 5);
        expect(about.to).toBeCloseTo(value * 1.05, 5);
        expect(about.from <= value && value <= about.to).toBe(true);
      }),
    );
    expect(parseSpokenAmount('~50')).toEqual({ from: 47.5, to: 52.5, currency: undefined });
    expect(parseSpokenAmount('EUR ~50')).toEqual({ from: 47.5, to: 52.5, currency: 'EUR' });
  });

  it.each([
    '',
    '~',
    'EUR',
    'abc 5',
    'EUR 5 USD',
    '5 5',
    '1,23,456',
    '1.23,45',
    '1.234.56',
    '12.3456',
    '-5',
    'inv-5',
    '~~5',
  ])('are not: %s', (text) => {
    expect(parseSpokenAmount(text)).toBeUndefined();
  });
});

describe('days as people say them', () => {
  const zone = process.env['TZ'];
  afterAll(() => {
    process.env['TZ'] = zone ?? 'UTC';
  });
  const isoDay = (date: Date) =>
    [date.getFullYear(), date.getMonth() + 1, date.getDate()]
      .map((part) => String(part).padStart(2, '0'))
      .join('-');
  const names = [
    'January',
    'feb',
    'Mar',
    'april',
    'May',
    'june',
    'Jul',
    'august',
    'Sept',
    'oct',
    'November',
    'dec',
  ];

  describe.each(['UTC', 'Europe/Madrid', 'Asia/Manila', 'America/Sao_Paulo'])('in %s', (name) => {
    beforeAll(() => {
      process.env['TZ'] = name;
    });

    it('are the day of this machine, in every spelling', () => {
      const moment = fc.date({
        min: new Date('2001-01-01T00:00:00Z'),
        max: new Date('2049-12-31T00:00:00Z'),
        noInvalidDate: true,
      });
      fc.assert(
        fc.property(moment, (at) => {
          const [year, month, day] = [at.getFullYear(), at.getMonth(), at.getDate()];
          const expected = {
            from: new Date(year, month, day).getTime(),
            to: new Date(year, month, day + 1).getTime(),
          };
          expect(expected.from <= at.getTime() && at.getTime() < expected.to).toBe(true);
          const says = [
            isoDay(at),
            `${day} ${names[month]}`,
            `${names[month]} ${day}`,
            `${day} ${names[month]} ${year}`,
            `${day}.${month + 1}.${year}`,
            `${String(day).padStart(2, '0')}.${String(month + 1).padStart(2, '0')}.`,
            'today',
          ];
          for (const said of says) expect([said, parseSpokenDate(said, at)]).toEqual([said, expected]);
          const next = new Date(year, month, day + 1, 12);
          expect(parseSpokenDate('yesterday', next)).toEqual(expected);
        }),
      );
    });
  });

  it('of a year that is not said are the last that began', () => {
    process.env['TZ'] = 'UTC';
    const at = new Date('2026-03-05T10:00:00Z');
    expect(parseSpokenDate('6 Mar', at)?.from).toBe(Date.parse('2025-03-06'));
    expect(parseSpokenDate('5 Mar', at)?.from).toBe(Date.parse('2026-03-05'));
    expect(parseSpokenDate('29 Feb', at)?.from).toBe(Date.parse('2024-02-29'));
  });

  it('with slashes have the day first, unless it cannot be', () => {
    process.env['TZ'] = 'UTC';
    const at = new Date('2026-11-20T10:00:00Z');
    const day = (said: string) => {
      const span = parseSpokenDate(said, at);
      return span && new Date(span.from).toISOString().slice(0, 10);
    };
    expect(['17/11/2026', '3/4/2026', '11/17/2026'].map(day)).toEqual([
      '2026-11-17',
      '2026-04-03',
      '2026-11-17',
    ]);
    expect(['17/13/2026', '17/11', '31/02/2026', '17/11/26'].map(day)).toEqual(Array(4).fill(undefined));
  });

  it('by their weekday are the last that began, or the one before today', () => {
    process.env['TZ'] = 'UTC';
    const sunday = new Date('2026-11-15T10:00:00Z');
    const day = (said: string) =>
      new Date(parseSpokenDate(said, sunday)?.from ?? NaN).toISOString().slice(0, 10);
    expect(
      ['sunday', 'last Sunday', 'on Saturday', 'last monday', '2 days ago', '1 week ago'].map(day),
    ).toEqual(['2026-11-15', '2026-11-08', '2026-11-14', '2026-11-09', '2026-11-13', '2026-11-08']);
    expect(parseSpokenDate('someday', sunday)).toBeUndefined();
  });

  it('may be several', () => {
    process.env['TZ'] = 'UTC';
    const at = new Date('2026-11-15T10:00:00Z');
    const days = (said: string) => {
      const span = parseSpokenDate(said, at);
      return (
        span && [new Date(span.from).toISOString().slice(0, 10), new Date(span.to).toISOString().slice(0, 10)]
      );
    };
    expect(days('2026-11-10..12')).toEqual(['2026-11-10', '2026-11-13']);
    expect(days('2026-11-28..12-02')).toEqual(['2026-11-28', '2026-12-03']);
    expect(days('2026-12-30..2027-01-02')).toEqual(['2026-12-30', '2027-01-03']);
    expect(days('10..12 Nov')).toEqual(['2026-11-10', '2026-11-13']);
    expect(days('10..12.11.2026')).toEqual(['2026-11-10', '2026-11-13']);
    expect(days('2026-02')).toEqual(['2026-02-01', '2026-03-01']);
  });

  it.each([
    '',
    'nov',
    '31 Feb',
    '2026-13-01',
    '2026-02-30',
    '2026-11-12..10',
    'inv-2026-11-10',
    '12',
    '12 nova',
    '12.11',
    '31.02.2026',
    '11.14.2026',
    '12/11',
  ])('are not: %s', (text) => {
    expect(parseSpokenDate(text, new Date('2026-11-15T10:00:00Z'))).toBeUndefined();
  });
});

it('whatever is in a payment is found by its own words', () => {
  const empty = Object.fromEntries(
    ['payment_id', 'reference_id', 'order_id', 'customer_id', 'payer_email', 'order_email', 'payer_name'].map(
      (name) => [name, null],
    ),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      const words = searchWords({ ...empty, payment_id: '1', payer_name: text } as never);
      for (const word of plainWords(text)) {
        expect(hasWord(words, { text: word, prefix: false })).toBe(true);
        expect(hasWord(words, { text: word.slice(0, 3), prefix: true })).toBe(true);
      }
      // What the two engines split at spaces is exactly this.
      expect(words.split(' ').every((word) => /^[\p{L}\p{N}]+$/u.test(word))).toBe(true);
    }),
  );
});
