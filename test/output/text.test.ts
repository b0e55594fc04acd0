import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactNumber, parseJson } from '../../src/contract/json.js';
import { displayWidth, pad, safeJson, safeText, truncate, wrap } from '../../src/output/text.js';
import { anyCharacter, unprintable } from '../helpers/printable.js';

describe('safe text', () => {
  it.each([
    ['a\u001B[31mb', 'a\\u{1b}[31mb'],
    ['line\nbreak\ttab\rreturn', 'line\\u{a}break\\u{9}tab\\u{d}return'],
    ['\u009B2J', '\\u{9b}2J'],
    ['\u007F', '\\u{7f}'],
    ['a\u202Eb\u2066c', 'a\\u{202e}b\\u{2066}c'],
    ['zero\u200Bwidth\uFEFF', 'zero\\u{200b}width\\u{feff}'],
    ['tag\u{E0041}', 'tag\\u{e0041}'],
    ['\u2028\u2029', '\\u{2028}\\u{2029}'],
    ['lone \uD800', 'lone \\u{d800}'],
    ['a\u200Db', 'a\\u{200d}b'],
    ['👩\u200D', '👩\\u{200d}'],
    ['👩\u200Dx', '👩\\u{200d}x'],
    ['filler \u3164', 'filler \\u{3164}'],
    ['\uFFF9note\u0600', '\\u{fff9}note\\u{600}'],
  ])('%j becomes %s', (text, safe) => {
    expect(safeText(text)).toBe(safe);
  });

  it.each([
    'Zoë',
    '古い',
    'e\u0301',
    '❤\uFE0F',
    '👍🏽',
    'שלום',
    '👩\u200D🚀',
    '🏳\uFE0F\u200D🌈',
    '👩🏽\u200D💻',
    '\\u{1b} typed out',
  ])('%s stays', (text) => {
    expect(safeText(text)).toBe(text);
  });

  it('never lets anything dangerous through', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => unprintable(safeText(text)).length === 0),
      { numRuns: 2_000 },
    );
  });
});

describe('safe JSON', () => {
  it('escapes what is dangerous and means the same', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        for (const pretty of [true, false]) {
          const text = safeJson(value, { pretty });
          expect(unprintable(text, '\n')).toEqual([]);
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        }
      }),
    );
  });

  it('keeps numbers exact', () => {
    const text = '{"id":12345678901234567890,"amount":10.10,"huge":1e400}';
    expect(safeJson(parseJson(text))).toBe(text);
    expect(safeJson([new ExactNumber('1.00')])).toBe('[1.00]');
  });

  it('writes characters beyond the first plane as two escapes', () => {
    expect(safeJson('\u{E0041}')).toBe(String.raw`"\udb40\udc41"`);
  });

  it.each([
    [undefined, 'null'],
    [null, 'null'],
    [false, 'false'],
    ['', '""'],
  ])('prints %j', (value, text) => {
    expect(safeJson(value)).toBe(text);
  });
});

describe('width', () => {
  it('counts wide and combining characters as a terminal does', () => {
    expect(['古い', 'e\u0301', '👍🏽', 'abc', '\u001B[31mred\u001B[39m'].map(displayWidth)).toEqual([
      4, 1, 2, 3, 3,
    ]);
  });

  it('truncates and pads without breaking characters', () => {
    expect(truncate('古い寺', 5)).toBe('古い…');
    expect(truncate('古い寺', 4)).toBe('古…');
    expect(truncate('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…');
    expect(truncate('abc', 3)).toBe('abc');
    expect(truncate('abc', 0)).toBe('');
    expect(pad('古', 4)).toBe('古  ');
    expect(pad('古', 4, 'right')).toBe('  古');
  });

  it('wraps between words, and inside one only where a script has no spaces', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('x abcdefghij y', 4)).toEqual(['x', 'abcdefghij', 'y']);
    expect(wrap('古い寺の鐘', 4)).toEqual(['古い', '寺の', '鐘']);
    expect(wrap('', 4)).toEqual(['']);
  });

  it('loses nothing and keeps every line within its width', () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom('a', '古', 'e\u0301', '👍🏽', '-') }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 30 }), (list, width) => {
        const text = list.join(' ');
        const lines = wrap(text, width);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        for (const line of lines.filter((one) => one.includes(' ') || one.includes('古')))
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});
