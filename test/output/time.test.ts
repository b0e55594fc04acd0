import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amountDigits, counted, formatAmount, groupDigits } from '../../src/contract/amount-format.js';
import { age, instantText, moment, roughDuration, shortInstant, tookTime } from '../../src/output/time.js';

const now = new Date('2026-11-16T09:12:40Z');
const terminal = { terminal: true, width: 80, now };
const pipe = { terminal: false, width: 80, now };

describe('times', () => {
  const zone = process.env['TZ'];
  beforeAll(() => {
    process.env['TZ'] = 'Europe/Berlin';
  });
  afterAll(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  it('are local with their age on a terminal, and ISO in a pipe', () => {
    expect(instantText('2026-11-14T09:12:40Z', terminal)).toBe('2026-11-14 10:12:40  (2 days ago)');
    expect(instantText('2026-11-16T11:12:40Z', terminal)).toBe('2026-11-16 12:12:40');
    expect(shortInstant('2026-11-14T09:12:40Z', terminal)).toBe('2026-11-14 10:12:40');
    expect(instantText('2026-11-14T10:12:40+01:00', pipe)).toBe('2026-11-14T09:12:40.000Z');
  });

  it.each(['', 'soon', '2026-99-99T00:00:00Z', '7'])('%j stays as it is', (text) => {
    expect(instantText(text, terminal)).toBe(text);
    expect(instantText(text, pipe)).toBe(text);
  });

  it.each([
    [0, 'just now'],
    [59_999, '59 seconds ago'],
    [60_000, '1 minute ago'],
    [3 * 3_600_000, '3 hours ago'],
    [400 * 86_400_000, '1 year ago'],
    [-3_600_000, 'in 1 hour'],
  ])('%i ms is %s', (difference, text) => {
    expect(age(new Date(now.getTime() - difference), now)).toBe(text);
  });

  it('name the day where it is another one for the reader', () => {
    const late = Date.parse('2026-11-16T23:30:00Z');
    expect(moment(late, now.getTime())).toBe('23:30 UTC');
    expect(moment(late, now.getTime(), 'local')).toBe('17 Nov 2026, 00:30');
    expect(moment(Date.parse('2026-11-15T23:30:00Z'), now.getTime(), 'local')).toBe('00:30');
  });

  it('tell how long something took', () => {
    expect([8, 99.6, 400, 31_000, 125_000].map(tookTime)).toEqual([
      '8 ms',
      '100 ms',
      '0.4 s',
      '31.0 s',
      '2 min 5 s',
    ]);
    expect(roughDuration(500)).toBe('0 seconds');
  });
});

describe('amounts', () => {
  it.each([
    ['49.9', 'EUR', 'EUR 49.90'],
    ['49', 'EUR', 'EUR 49.00'],
    ['10.10', 'EUR', 'EUR 10.10'],
    ['10.125', 'EUR', 'EUR 10.125'],
    ['500', 'JPY', 'JPY 500'],
    ['500.5', 'JPY', 'JPY 500.5'],
    ['1500.00', 'JPY', 'JPY 1,500'],
    ['49.900', 'EUR', 'EUR 49.90'],
    ['10.1250', 'EUR', 'EUR 10.125'],
    ['1.5', 'KWD', 'KWD 1.500'],
    ['12345678901234567890.12', 'EUR', 'EUR 12,345,678,901,234,567,890.12'],
    ['-5', 'EUR', 'EUR -5.00'],
    ['1e3', 'EUR', 'EUR 1,000.00'],
    ['1e30', 'EUR', 'EUR 1e30'],
    ['soon', '', 'soon'],
    ['1', 'XYZ', 'XYZ 1.00'],
  ])('%s %s is %s', (source, currency, text) => {
    expect(formatAmount(source, currency)).toBe(text);
  });

  it('are grouped where they are only read', () => {
    expect(['58112.40', '999', '-1000', '1234567.891'].map(groupDigits)).toEqual([
      '58,112.40',
      '999',
      '-1,000',
      '1,234,567.891',
    ]);
    expect(amountDigits('1', undefined)).toBe('1.00');
  });
});

describe('counts', () => {
  it.each([
    [counted(0, 'row'), '0 rows'],
    [counted(1, 'row'), '1 row'],
    [counted(12_000, 'row'), '12,000 rows'],
    [counted(1, 'row waits', 'rows wait'), '1 row waits'],
    [counted(2, 'row waits', 'rows wait'), '2 rows wait'],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected);
  });
});
