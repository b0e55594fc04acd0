import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UsageError } from '../../src/errors.js';
import { evidenceOf, plainDecimal } from '../../src/spreadsheet/decimals.js';
import { createFileProblems } from '../../src/spreadsheet/problems.js';
import { readSheet, type SheetEnd, type SheetRow } from '../../src/spreadsheet/sheet.js';

type Column = 'payment' | 'amount' | 'note';
const layout = {
  key: ['payment'],
  optional: ['amount', 'note'],
  amounts: ['amount'],
  about: 'payment',
} as const;

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function read(text: string, size = 1024) {
  const problems = createFileProblems();
  const reading = readSheet<Column>(pieces(text, size), layout, problems);
  const rows: Array<SheetRow<Column>> = [];
  let step = await reading.next();
  for (; !step.done; step = await reading.next()) rows.push(...step.value);
  const end: SheetEnd = step.value;
  return { rows, end, problems };
}

/** Hundredths as a person in one country or another writes them. */
interface Style {
  mark: '.' | ',';
  groups: boolean;
  /** Always two decimals, or only those that are needed. */
  full: boolean;
}

function written(hundredths: number, { mark, groups, full }: Style): string {
  const whole = String(Math.floor(hundredths / 100));
  const rest = String(hundredths % 100).padStart(2, '0');
  const group = mark === '.' ? ',' : '.';
  const left = groups ? whole.replaceAll(/\B(?=(\d{3})+$)/g, group) : whole;
  if (!full && rest === '00') return left;
  return `${left}${mark}${full ? rest : rest.replace(/0$/, '')}`;
}

const amounts = fc.array(
  fc.oneof(
    fc.integer({ min: 1, max: 99_999_999_99 }),
    // Without decimals many of them can be read in two ways.
    fc.integer({ min: 1, max: 999_999 }).map((whole) => whole * 100),
  ),
  { minLength: 1, maxLength: 5 },
);
const styles = fc.record({
  mark: fc.constantFrom('.' as const, ',' as const),
  groups: fc.boolean(),
  full: fc.boolean(),
});
const names: Readonly<Record<Column | 'extra', string[]>> = {
  payment: ['payment', 'Payment', 'PAYMENT', ' payment '],
  amount: ['amount', 'Amount', 'AMOUNT'],
  note: ['note', 'Note', 'NOTE'],
  extra: ['Shop', 'customer e-mail', 'Größe', ''],
};
const files = fc.record({
  separator: fc.constantFrom(',', ';', '\t'),
  newline: fc.constantFrom('\n', '\r\n', '\r'),
  bom: fc.boolean(),
  lastLineEnd: fc.boolean(),
  quoteAll: fc.boolean(),
  order: fc.shuffledSubarray(['payment', 'amount', 'note', 'extra'] as const, { minLength: 4, maxLength: 4 }),
  spelling: fc.nat(11),
  // An apostrophe before a formula is a guard, and not part of the text.
  note: fc.string({ unit: 'grapheme-ascii', maxLength: 12 }).filter((note) => !/^'\s*[=+@-]/.test(note)),
  size: fc.integer({ min: 1, max: 40 }),
  title: fc.constantFrom([], [], ['Settlement'], ['', 'Report of "November", 2026; all', 'Shop;12', '']),
});

function cell(text: string, separator: string, quoteAll: boolean): string {
  const needed = /["\r\n]/.test(text) || text.includes(separator) || text !== text.trim();
  return quoteAll || needed ? `"${text.replaceAll('"', '""')}"` : text;
}

describe('a spreadsheet', () => {
  it('gives back what was written, or is refused: no amount is ever read as another', async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(amounts, styles, files, async (sums, style, file) => {
        const { separator, newline, quoteAll, order, spelling, note } = file;
        const row = (cells: Record<Column | 'extra', string>) =>
          order.map((column) => cell(cells[column], separator, quoteAll)).join(separator);
        const header = order.map((column) => names[column][spelling % names[column].length]!).join(separator);
        const texts = sums.map((sum) => written(sum, style));
        const lines = texts.map((amount, index) => row({ payment: `p${index}`, amount, note, extra: 'x' }));
        const text = [...file.title, header, ...lines].join(newline) + (file.lastLineEnd ? newline : '');
        const { rows, end, problems } = await read(`${file.bom ? '\uFEFF' : ''}${text}`, file.size);
        expect(problems.count).toBe(0);
        expect(rows.map(({ cells }) => [cells.payment, cells.amount, cells.note ?? ''])).toEqual(
          texts.map((amount, index) => [`p${index}`, amount, note]),
        );
        expect(end.format.ignoredColumns).toHaveLength(1);
        expect(end.format.headerLine).toBe(file.title.length + 1);
        expect(rows[0]?.line).toBe(file.title.length + 2);
        const isCertain = texts.some((each) => ['point', 'comma'].includes(evidenceOf(each)));
        for (const [index, amount] of texts.entries()) {
          const result = end.readAmount(amount);
          const needsProof = !/^\d+$/.test(amount);
          if ('problem' in result) {
            refused += 1;
            expect([isCertain, needsProof]).toEqual([false, true]);
          } else expect(Math.round(Number(result.amount) * 100)).toBe(sums[index]);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(refused).toBeGreaterThan(0);
  });

  it('refuses every amount of the other style when rows disagree', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 2, maxLength: 12 }), async (isComma) => {
        const texts = isComma.map((comma, index) => `${index + 1}${comma ? ',' : '.'}50`);
        const { rows, end } = await read(`payment;amount\n${texts.map((text) => `p;${text}\n`).join('')}`);
        const problems = rows.map(({ cells }) => 'problem' in end.readAmount(cells.amount ?? ''));
        expect(problems).toEqual(isComma.map((comma) => comma !== isComma[0]));
      }),
    );
  });

  it('names the line of the amount that the others disagree with', async () => {
    const { end } = await read('payment;amount\na;12\nb;1.234,50\nc;9.99\n');
    expect(end.readAmount('9.99')).toEqual({
      problem: 'has a decimal point, but line 3 has a decimal comma (1.234,50)',
    });
  });

  it('leaves out a title above the header, and never a row', async () => {
    const rows = 'payment;amount;note\nA-1;5,00;x\n';
    expect((await read(`Refunds of November\nShop;12\n\n${rows}`)).rows).toEqual([
      { line: 5, cells: { payment: 'A-1', amount: '5,00', note: 'x' } },
    ]);
    const refused = async (text: string) => {
      const { rows: found, problems } = await read(text);
      expect(found).toEqual([]);
      return problems.count;
    };
    // A row of the list, a header that is as short as a title, and a title that is too long.
    expect(await refused(`A-0;9,00;y\n${rows}`)).toBe(1);
    expect(await refused('A-0\npayment\nA-1\n')).toBe(1);
    expect(await refused(`${'Refunds\n'.repeat(21)}${rows}`)).toBe(1);
  });

  it('finds the same line numbers with line breaks in quoted cells', async () => {
    const { rows } = await read('payment,note\n\na,"two\nlines"\nb,x\n');
    expect(rows.map(({ line }) => line)).toEqual([3, 5]);
  });

  it.each([1, 6, 7, 1024])(
    'skips the line that names the separator to Excel, in pieces of %i',
    async (size) => {
      const { rows, end, problems } = await read('\uFEFFsep=;\r\npayment;note, more\r\na;x\r\n', size);
      problems.throwIfAny();
      expect([rows, end.format.separator]).toEqual([[{ line: 3, cells: { payment: 'a' } }], 'semicolons']);
      const tabs = await read('SEP=\t\npayment\tnote\n\na\tx\n', size);
      expect(tabs.rows).toEqual([{ line: 4, cells: { payment: 'a', note: 'x' } }]);
    },
  );

  it.each([',', ';', '\t'])('keeps the spaces of quoted cells only, separated by %j', async (separator) => {
    const { rows } = await read(`payment${separator}note\n a ${separator}" two "\n`);
    expect(rows.map(({ cells }) => cells)).toEqual([{ payment: 'a', note: ' two ' }]);
  });

  it('reads a file of one column with any separator in its cells', async () => {
    const { rows, problems } = await read('\n,\npayment\n"a;b"\n');
    problems.throwIfAny();
    expect(rows.map(({ cells }) => cells.payment)).toEqual(['a;b']);
  });
});

describe('an amount', () => {
  it.each([
    ['12', 'either'],
    ['12.5', 'point'],
    ['0.500', 'point'],
    ['1234.567', 'point'],
    ['1,234.50', 'point'],
    ['1,234,567', 'point'],
    ['12,5', 'comma'],
    ['1.234,50', 'comma'],
    ['1.234.567', 'comma'],
    ['1.234', 'ambiguous'],
    ['100,000', 'ambiguous'],
    ['12,34.50', 'none'],
    ['1.23,456', 'none'],
    ['1 234,50', 'none'],
    ['-5', 'none'],
    ['€5', 'none'],
  ])('%s is evidence: %s', (text, evidence) => expect(evidenceOf(text)).toBe(evidence));

  it('keeps what is no amount in a style as it is', () => {
    expect(plainDecimal('12,34.50', 'point')).toBe('12,34.50');
    expect(plainDecimal('1.234,50', 'comma')).toBe('1234.50');
  });
});

it('problems are told together, in the order of the lines', async () => {
  const { problems } = await read('payment,amount\na\nb,1,2\n');
  try {
    problems.throwIfAny();
    expect.unreachable();
  } catch (error) {
    expect((error as UsageError).details).toEqual([
      { input: 'line 2', problem: 'has 1 cell, but the header has 2' },
      { input: 'line 3', problem: 'has 3 cells, but the header has 2' },
    ]);
  }
});
