import { expect, it } from 'vitest';
import { shorten } from '../src/shorten.js';
import { shortText } from '../src/spreadsheet/problems.js';

it.each([
  ['', ''],
  ['abcd', 'abcd'],
  ['abcde', 'abc…'],
  ['ab😀', 'ab😀'],
  ['ab😀e', 'ab…'],
  ['a😀bc', 'a😀…'],
])('%j in four characters is %j', (text, expected) => {
  expect(shorten(text, 4)).toBe(expected);
});

it('a cell is quoted without half a character', () => {
  expect(shortText(`${'a'.repeat(38)}😀b`)).toBe(`${'a'.repeat(38)}…`);
});
