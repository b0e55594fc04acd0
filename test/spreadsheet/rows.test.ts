import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { UnreadableText } from '../../src/spreadsheet/problems.js';
import { readRows } from '../../src/spreadsheet/rows.js';
import type { Separator } from '../../src/spreadsheet/separator.js';

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  const letters = Array.from(text);
  for (let at = 0; at < letters.length; at += size) yield letters.slice(at, at + size).join('');
}

async function read(text: string, size: number, separator: Separator): Promise<string[][]> {
  const all: string[][] = [];
  try {
    for await (const rows of readRows(pieces(text, size), separator)) all.push(...rows);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    return [...all, [error.message]];
  }
  return all;
}

function parsedWhole(text: string, separator: Separator): string[][] | undefined {
  const cast = (cell: string, { quoting }: { quoting: boolean }) => (quoting ? cell : cell.trim());
  try {
    return parse(text, {
      delimiter: separator,
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      ...(separator === '\t' ? { cast } : { trim: true }),
    });
  } catch {
    return undefined;
  }
}

/** Whether spaces alone are a last row is nobody's concern: empty rows are left out. */
function withoutEmptyEnd(rows: readonly string[][]): string[][] {
  return rows.slice(0, rows.findLastIndex((cells) => cells.some((cell) => cell !== '')) + 1);
}

const unit = fc.constantFrom(..."ab,;\t \r\n'\0\f\v\u0085\u00a0\u180e\u2003\u2028\ufeff".split(''), '😀');
const separators = fc.constantFrom(',' as const, ';' as const, '\t' as const);

it('plain text is cut as csv-parse cuts it, in pieces of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit, maxLength: 30 }),
      fc.integer({ min: 1, max: 9 }),
      separators,
      async (text, size, separator) => {
        const rows = await read(text, size, separator);
        expect(withoutEmptyEnd(rows)).toEqual(withoutEmptyEnd(parsedWhole(text, separator) ?? []));
      },
    ),
    { numRuns: 2_000 },
  );
});

it('text with quotes is read as csv-parse reads it, from wherever the first quote is', async () => {
  const cell = fc
    .tuple(fc.string({ unit, maxLength: 5 }), fc.boolean())
    .map(([text, quoted]) => (quoted ? `"${text.replaceAll('"', '""')}"` : text));
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell, { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 9 }),
      separators,
      async (rows, size, separator) => {
        const text = rows.map((cells) => cells.join(separator)).join('\n');
        const whole = parsedWhole(text, separator);
        if (whole === undefined) return;
        compared += 1;
        expect(withoutEmptyEnd(await read(text, size, separator))).toEqual(withoutEmptyEnd(whole));
      },
    ),
    { numRuns: 1_000 },
  );
  expect(compared).toBeGreaterThan(100);
});

it.each([100, 200_000])(
  'a row that is too long ends the reading after the rows before it, in pieces of %i',
  async (size) => {
    const text = `a,b\n1,2\n${'x'.repeat(70_000)}\n3,4\n`;
    expect(await read(text, size, ',')).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['the row is longer than 64 KiB: is a quote not closed?'],
    ]);
  },
);
