import { expect, it } from 'vitest';
import { choiceLines } from '../../src/output/choices.js';
import { type FoundItem, foundChoices } from '../../src/output/views/found.js';

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
  expect(choiceLines([['\u001B[31mred']], 40)).toEqual([String.raw`\u{1b}[31mred`]);
});

it.each([60, 80, 120])('tells payments of one day apart by their time on %d columns', (columns) => {
  const times = ['2026-11-16T07:49:02Z', '2026-11-16T18:05:59Z'];
  const items = times.map((time) => ({
    row: {
      payment_id: '100020',
      reference_id: 'order-2026-000123',
      state: 'ActionRequired',
      amount: '1234.50',
      currency: 'EUR',
      created_time: Date.parse(time),
      order_name: 'Ana M\u00FCller',
    },
  })) as unknown as FoundItem[];
  const choices = foundChoices(items, columns - 4);
  const [first, second] = choices.map(({ name }) => name);
  expect(first).toContain('2026-11-16 07:49  ActionRequired  EUR 1,234.50  order-2');
  expect(second).toContain('2026-11-16 18:05');
  for (const { name, description } of choices) {
    expect(name.length).toBeLessThanOrEqual(columns - 4);
    // What is cut is told in full where the pointer is.
    for (const detail of ['100020', 'order-2026-000123', 'Ana M\u00FCller'])
      expect(`${name} ${description ?? ''}`).toContain(detail);
  }
});
