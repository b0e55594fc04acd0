import { expect, it } from 'vitest';
import { choiceLines } from '../../src/output/choices.js';

const rows = [
  ['100020', 'seed-charged', 'Captured', '', 'c_ben', '2026-11-16'],
  ['7', 'a', 'Held', '', 'Müller, Ana 漢字', '2026-11-14'],
];

it('puts the cells of choices below each other, without columns that are empty', () => {
  expect(choiceLines(rows, 80)).toEqual([
    '100020  seed-charged  Captured  c_ben             2026-11-16',
    '7       a             Held      Müller, Ana 漢字  2026-11-14',
  ]);
});

it('cuts the last column that has room, and leaves out the others', () => {
  expect(choiceLines(rows, 40)).toEqual([
    '100020  seed-charged  Captured  c_ben',
    '7       a             Held      Müller,…',
  ]);
  expect(choiceLines(rows, 33)).toEqual(['100020  seed-charged  Captured', '7       a             Held']);
  expect(choiceLines([], 40)).toEqual([]);
});

it('keeps what is in a payment from the terminal', () => {
  expect(choiceLines([['\u001B[31mred']], 40).join('')).not.toContain('\u001B');
});
