import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Line, ViewContext } from '../../src/output/lines.js';
import { toned } from '../../src/output/lines.js';
import { type ListOptions, type ListView, renderJsonStream, renderStream } from '../../src/output/rows.js';
import { displayWidth } from '../../src/output/text.js';
import { loadTheme, plainTheme } from '../../src/output/theme.js';
import { anyCharacter, unprintable } from '../helpers/printable.js';

interface Item {
  id: string;
  name: string;
  amount: string;
}

const view: ListView<Item> = {
  empty: 'No items.',
  columns: [
    { key: 'id', value: ({ id }) => id },
    { key: 'name', title: 'their name', value: ({ name }) => name, shown: ({ name }) => toned('good', name) },
    {
      key: 'amount',
      align: 'right',
      number: true,
      value: ({ amount }) => amount,
      shown: ({ amount }) => `EUR ${amount}`,
    },
  ],
};

const now = new Date('2026-11-16T09:12:40Z');

async function render(
  items: Iterable<Item>,
  context: Partial<ViewContext>,
  options: ListOptions = {},
  theme = plainTheme,
) {
  let out = '';
  const notes: Line[] = [];
  await renderStream(items, view, {
    context: { terminal: true, width: 80, now, ...context },
    theme,
    options,
    write: (text) => (out += text),
    note: (line) => notes.push(line),
  });
  return { out, notes };
}

const items: Item[] = [
  { id: '1', name: 'Zoë 古い寺 with a rather long name that will not fit', amount: '5.00' },
  { id: '22', name: 'e\u0301', amount: '1049.90' },
];

describe('the header of a list', () => {
  const [, one] = [items, { id: '22', name: 'Ada', amount: '5.00' }];
  const row = '22\tAda\t5.00\n';
  it.each([
    [{}, row],
    [{ header: false }, row],
    [{ header: true }, `id\tname\tamount\n${row}`],
    [{ csv: true }, 'id,name,amount\n22,Ada,5.00\n'],
    [{ csv: true, header: false }, '22,Ada,5.00\n'],
  ])('in a pipe with %j', async (options: ListOptions, expected) => {
    expect((await render([one], { terminal: false }, options)).out).toBe(expected);
  });

  it('is left out on a terminal when asked', async () => {
    expect((await render([one], {})).out).toContain('their name');
    expect((await render([one], {}, { header: false })).out).toBe('  22  Ada         EUR 5.00\n');
  });
});

it('CSV is exact with raw, and safe for spreadsheets without', async () => {
  const sly = [{ id: '=1+1', name: ' @x\u001B', amount: '-5.00' }];
  const options = { csv: true, header: false };
  const { out: safe } = await render(sly, { terminal: false }, options);
  expect(safe).toBe("'=1+1,' @x\\u{1b},-5.00\n");
  const { out: raw } = await render(sly, { terminal: false }, { ...options, raw: true });
  expect(raw).toBe('=1+1, @x\u001B,-5.00\n');
});

it('an amount keeps its currency where that has no column of its own', async () => {
  const currency = { key: 'currency', value: () => 'EUR' };
  const withCurrency = { ...view, columns: [...view.columns, currency] };
  const print = async (columns: string[], csv = false) => {
    let out = '';
    await renderStream([items[1]!], withCurrency, {
      context: { terminal: false, width: 80, now },
      theme: plainTheme,
      options: { columns, csv },
      write: (text) => (out += text),
      note: () => {},
    });
    return out;
  };
  expect(await print(['id', 'amount'])).toBe('22\tEUR 1049.90\n');
  expect(await print(['amount', 'currency'])).toBe('1049.90\tEUR\n');
  expect(await print(['amount'], true)).toBe('amount\nEUR 1049.90\n');
});

describe('lists', () => {
  it('stand in columns on a terminal', async () => {
    const { out } = await render(items, {});
    const long = 'Zoë 古い寺 with a rather long name that will not fit';
    const wide = displayWidth(long);
    expect(out.split('\n')).toEqual([
      `  id  ${'their name'.padEnd(wide)}       amount`,
      `  1   ${long}     EUR 5.00`,
      `  22  e\u0301${' '.repeat(wide - 1)}  EUR 1049.90`,
      '',
    ]);
    const [, ...rows] = out.trimEnd().split('\n');
    expect(new Set(rows.map(displayWidth)).size).toBe(1);
  });

  it('wrap where the terminal is narrow', async () => {
    const { out } = await render(items, { width: 40 });
    const lines = out.trimEnd().split('\n');
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(40);
    expect(lines[1]).toMatch(/^ {2}1 {3}Zoë 古い寺 with a +EUR 5\.00$/);
    expect(lines.length).toBeGreaterThan(3);
  });

  it('are stacked rather than broken inside a word where the terminal is narrow', async () => {
    const address = { id: '1', name: 'long-names-of-one@shop.example', amount: '1.00' };
    const { out } = await render([address], { width: 45 });
    expect(out).toBe(
      ['  id          1', `  their name  ${address.name}`, '  amount      EUR 1.00', ''].join('\n'),
    );
    const wide = { ...address, name: 'x'.repeat(59) };
    expect((await render([wide], { width: 60 })).out).toContain(`\n  their name\n ${wide.name}\n`);
  });

  it('are stacked where columns cannot stand side by side', async () => {
    const { out } = await render(items, { width: 24 });
    expect(out).toContain('  id          1\n  their name  Zoë 古い寺\n');
    expect(out).toContain('\n\n  id          22\n');
  });

  it('are tab-separated with full values in a pipe', async () => {
    const { out } = await render([{ id: '1', name: 'a\tb\nc', amount: '5.00' }], { terminal: false });
    expect(out).toBe('1\ta\\u{9}b\\u{a}c\t5.00\n');
  });

  it('carry colour only where there is some', async () => {
    const { out } = await render(items.slice(1), {}, {}, await loadTheme(true));
    expect(out).toContain('\u001B[32me\u0301\u001B[39m');
  });

  it('say on stderr that there is nothing', async () => {
    expect(await render([], {})).toEqual({ out: '', notes: ['No items.'] });
    expect(await render([], {}, { csv: true })).toEqual({ out: 'id,name,amount\n', notes: ['No items.'] });
  });

  it('print their head once, however many rows there are', async () => {
    const many = Array.from({ length: 500 }, (_, index) => ({
      id: String(index),
      name: 'n',
      amount: '1.00',
    }));
    const lines = (await render(many, {})).out.trimEnd().split('\n');
    expect(lines).toHaveLength(501);
    expect(lines.filter((line) => line.includes('their name'))).toHaveLength(1);
    expect(new Set(lines.slice(1).map((line) => line.indexOf('EUR'))).size).toBe(1);
  });

  it('keep the rest of a long value under its column', async () => {
    const [, first = '', rest = ''] = (await render(items.slice(0, 1), { width: 40 })).out.split('\n');
    expect([first.indexOf('Zoë'), rest.search(/\S/)]).toEqual([6, 6]);
  });

  it('keep their frame around a value that begins with spaces', async () => {
    const { out } = await render([{ id: '1', name: `  ${'x'.repeat(23)}`, amount: '5.00' }], { width: 40 });
    expect(Math.max(...out.split('\n').map(displayWidth))).toBeLessThanOrEqual(40);
  });

  it('never break their frame, whatever the text', async () => {
    const unit = fc.oneof(
      fc.constantFrom('古', '𗀀', 'e\u0301', '👍', '\u001B[2J', '\u202E', ' ', '\n'),
      anyCharacter,
    );
    const name = fc.array(unit, { maxLength: 60 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(name, fc.constantFrom(40, 80), async (text, width) => {
        const { out } = await render([{ id: '1', name: text, amount: '5.00' }], { width });
        expect(unprintable(out, '\n')).toEqual([]);
        // A word that is wider than the terminal is left whole.
        for (const line of out.split('\n').filter((one) => /\S +\S/.test(one)))
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
      { numRuns: 200 },
    );
  });
});

describe('CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49', "'+49"],
    ['-5', "'-5"],
    ['@x', "'@x"],
    ['\tx', "'\\u{9}x"],
    ['\rx', "'\\u{d}x"],
    [' =1', "' =1"],
    ['＝1', "'＝1"],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['=cmd|"/c calc"!A1', '"\'=cmd|""/c calc""!A1"'],
    ['plain', 'plain'],
  ])('text %j is written as %s', async (name, written) => {
    const { out } = await render([{ id: 'x', name, amount: '1.00' }], {}, { csv: true });
    expect(out).toBe(`id,name,amount\nx,${written},1.00\n`);
  });

  it('leaves numbers as they are, and text in a number column is text', async () => {
    const rows = ['-5.00', '+1', '1e3', '=1+1', '-2+3'].map((amount) => ({ id: 'x', name: 'n', amount }));
    const { out } = await render(rows, {}, { csv: true });
    expect(
      out
        .split('\n')
        .slice(1, -1)
        .map((line) => line.slice(4)),
    ).toEqual(['-5.00', '+1', '1e3', "'=1+1", "'-2+3"]);
  });
});

describe('a JSON stream', () => {
  async function* of<T>(...values: T[]) {
    yield* values;
  }
  it.each([[[]], [[1]], [[{ a: [1, '\u001B'] }, null, 'x']]])(
    'of %j is one array',
    async (values: unknown[]) => {
      let out = '';
      await renderJsonStream(of(...values), { toJson: (value) => value, write: (text) => (out += text) });
      expect(JSON.parse(out)).toEqual(values);
      expect(out).not.toContain('\u001B');
      expect(out).toBe(`${JSON.stringify(values, null, 2).replaceAll('\u001B', '\\u001b')}\n`);
    },
  );
});

describe('a list that is too wide', () => {
  interface Row {
    id: string;
    reference: string;
    age: string;
    why: string;
  }
  const wide: ListView<Row> = {
    empty: '',
    columns: [
      { key: 'id', value: ({ id }) => id },
      { key: 'reference', mayCut: ({ id }) => id !== '', value: ({ reference }) => reference },
      { key: 'age', spare: 1, value: ({ age }) => age },
      { key: 'why', spare: 2, least: 20, value: ({ why }) => why },
    ],
  };
  const row: Row = { id: '100001', reference: 'inv-1', age: 'yesterday', why: 'the amount differs, again' };
  const rows = (...last: Row[]): Row[] => [...Array.from({ length: 9 }, () => row), ...last];

  async function lines(shown: readonly Row[], context: Partial<ViewContext>, options: ListOptions = {}) {
    let out = '';
    await renderStream(shown, wide, {
      context: { terminal: true, width: 60, now, ...context },
      theme: plainTheme,
      options,
      write: (text) => (out += text),
      note: () => {},
    });
    return out.trimEnd().split('\n');
  }

  const long = { ...row, reference: 'r'.repeat(92) };

  it('has the one long value cut, so that all others keep their line', async () => {
    const out = await lines(rows(long), { width: 60 });
    expect(out[0]).toMatch(/id +reference +age +why/);
    expect(out.filter((line) => line.includes('inv-1'))).toHaveLength(9);
    expect(out.join('\n')).toMatch(/100001 {2}r+… {2}yesterday/);
    expect(Math.max(...out.map(displayWidth))).toBeLessThanOrEqual(60);
  });

  it('keeps the value whole where it is the only name, and in a pipe or CSV', async () => {
    const nameless = rows({ ...long, id: '' });
    expect((await lines(nameless, { width: 60 })).join()).toContain(long.reference);
    expect((await lines(rows(long), { terminal: false })).join()).toContain(long.reference);
    expect((await lines(rows(long), { width: 60 }, { csv: true })).join()).toContain(long.reference);
  });

  it('loses its spare columns one after the other, and keeps a text readable', async () => {
    expect((await lines(rows(), { width: 44 }))[0]).toMatch(/id +reference +why$/);
    expect((await lines(rows(), { width: 34 }))[0]).toMatch(/id +reference$/);
  });
});
