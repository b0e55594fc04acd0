import { describe, expect, it } from 'vitest';
import {
  parseAmount,
  parseCount,
  parseCurrency,
  parseDuration,
  parseEmail,
  parseId,
  parseInstant,
  parseNumericId,
  parsePair,
  parsePastInstant,
  parseTimeout,
  parseUrl,
} from '../../../src/typed-values.js';

const now = new Date('2026-11-16T09:00:00Z');

describe('values that can be used', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5m', 90_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
  ])('%s is %i ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it('instants to come and instants that were', () => {
    expect(parseInstant('24h', now).toISOString()).toBe('2026-11-17T09:00:00.000Z');
    expect(parsePastInstant('7d', now).toISOString()).toBe('2026-11-09T09:00:00.000Z');
    expect(parseInstant('2026-12-01T10:00:00+02:00', now).toISOString()).toBe('2026-12-01T08:00:00.000Z');
  });

  it('amounts stay as they were typed', async () => {
    expect(await Promise.all(['10.23', '20.00', '1', '0.01'].map(parseAmount))).toEqual([
      '10.23',
      '20.00',
      '1',
      '0.01',
    ]);
  });

  it('the rest', () => {
    expect(parseCurrency('XYZ')).toBe('XYZ');
    expect(parseUrl('http://localhost:3000/x?y=1')).toBe('http://localhost:3000/x?y=1');
    expect(parseId('c 1/ü')).toBe('c 1/ü');
    expect(parseNumericId('3')).toBe(3);
    expect(parseCount('0', 0)).toBe(0);
    expect(parseEmail('a@b')).toBe('a@b');
    expect(parsePair('a=b=c')).toEqual({ key: 'a', value: 'b=c' });
    expect(parsePair('a=')).toEqual({ key: 'a', value: '' });
  });
});

describe('values that cannot be used say what to type instead', () => {
  it.each([
    ['10.234', 'must have at most two decimals, for example 10.23'],
    ['10,23', 'use a decimal point, for example 10.23'],
    ['1,000.00', 'leave out thousands separators, for example 1000.00'],
    ['1e3', 'must be written out, for example 1000.00'],
    ['-5', 'must be more than zero'],
    ['0', 'must be more than zero'],
    ['0.00', 'must be more than zero'],
    ['', 'must be a decimal number'],
    ['ten', 'must be a decimal number'],
    ['NaN', 'must be a decimal number'],
    ['.5', 'must be a decimal number'],
    ['١٠', 'must be a decimal number'],
  ])('amount %j', async (text, message) => {
    await expect(parseAmount(text)).rejects.toThrow(message);
  });

  it.each([
    [parseDuration, '30', 'for example 30s'],
    [parseDuration, '5 m', 'such as 500ms, 30s'],
    [parseDuration, '-5s', 'such as 500ms, 30s'],
    [parseDuration, '0s', 'more than zero'],
    [parseTimeout, '30d', 'at most 24d'],
    [parseInstant, 'tomorrow', 'ISO time'],
    [parseInstant, '2026-13-01', 'ISO time'],
    [parseInstant, '99999999999d', 'is too far in the past or future'],
    [parseCurrency, 'eur', 'did you mean EUR?'],
    [parseCurrency, 'EURO', 'did you mean EUR?'],
    [parseCurrency, '€', 'use three capital letters, for example EUR'],
    [parseUrl, 'shop.example/done', 'add the scheme: https://shop.example/done'],
    [parseUrl, 'ftp://a.example', 'for example https://'],
    [parseUrl, 'javascript:alert(1)', 'for example https://'],
    [parseUrl, 'https://u:p@a.example', 'remove the user name and password'],
    [parseUrl, '', 'for example https://'],
    [parseId, '', 'must not be empty'],
    [parseId, ' c1', 'remove the spaces around it'],
    [parseId, 'c\u001B1', 'remove control'],
    [parseId, 'c\u202E1', 'remove control'],
    [parseId, 'x'.repeat(256), 'at most 255'],
    [parseNumericId, '0', 'a whole number'],
    [parseNumericId, '1.5', 'a whole number'],
    [parseNumericId, '99999999999999999999', 'a whole number'],
    [parseCount, '0', '1 or more'],
    [parseEmail, 'nobody', 'an e-mail address'],
    [parsePair, '=x', 'KEY=VALUE'],
    [parsePair, 'x', 'KEY=VALUE'],
  ] as Array<[(text: string) => unknown, string, string]>)('%o %j', (parse, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});
