import fc from 'fast-check';
import { stringify } from 'csv-stringify/sync';
import { expect, test } from 'vitest';
import { stringify as yaml } from 'yaml';
import { parseMapping } from '../../src/reconcile/csv/mapping.js';
import { createCsvReader } from '../../src/reconcile/csv/reader.js';
import type { SettlementLine } from '../../src/reconcile/line.js';
import { createFileProblems } from '../../src/spreadsheet/problems.js';

// Any lines, written in any of the ways that a mapping can describe, come back as they were.

type Line = Omit<SettlementLine, 'line'> & { fee: string; at: string };

/** References without a space at either end, which spreadsheets add and take away. */
const reference = fc
  .string({
    unit: fc.constantFrom('a', 'B', '7', '-', '_', ' ', ',', ';', '"', 'ü', '😀', '\t'),
    maxLength: 12,
  })
  .map((text) => `r${text}x`);

const line: fc.Arbitrary<Line> = fc
  .record({
    kind: fc.constantFrom('capture', 'refund', 'chargeback', 'payout'),
    whole: fc.nat(99_999_999),
    cents: fc.integer({ min: 1, max: 99 }),
    feeCents: fc.nat(999),
    isFeeBack: fc.boolean(),
    currency: fc.constantFrom('EUR', 'USD', 'JPY'),
    day: fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
    references: fc.tuple(reference, reference, reference),
  })
  .map(
    ({
      kind,
      whole,
      cents,
      feeCents,
      isFeeBack,
      currency,
      day,
      references: [provider, operation, ours],
    }) => ({
      kind,
      amount: `${kind === 'capture' ? '' : '-'}${whole}.${String(cents).padStart(2, '0')}`,
      fee: `${isFeeBack && feeCents > 0 ? '-' : ''}${(feeCents / 100).toFixed(2)}`,
      currency,
      at: day.toISOString().slice(0, 10),
      providerReference: provider,
      operationId: operation,
      reference: ours,
    }),
  );

const style = fc.record({
  separator: fc.constantFrom(',', ';', '\t'),
  newline: fc.constantFrom('\n', '\r\n'),
  hasBom: fc.boolean(),
  decimal: fc.constantFrom('point' as const, 'comma' as const),
  isGrouped: fc.boolean(),
  minus: fc.constantFrom('before', 'after', 'brackets', 'typographic'),
  signs: fc.constantFrom('signed', 'columns', 'direction', 'kinds'),
  fee: fc.constantFrom('positive' as const, 'negative' as const),
  date: fc.constantFrom('iso', 'DD.MM.YYYY', 'MM/DD/YYYY', 'YYYYMMDD'),
  isUpperCase: fc.boolean(),
  order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], { minLength: 11 }),
  pieceSize: fc.integer({ min: 1, max: 300 }),
});
type Style = typeof style extends fc.Arbitrary<infer Found> ? Found : never;

function written(amount: string, { decimal, isGrouped, minus }: Style): string {
  const isOut = amount.startsWith('-');
  const [whole = '', cents = ''] = amount.replace('-', '').split('.');
  const [group, mark] = decimal === 'point' ? [',', '.'] : ['.', ','];
  const digits = isGrouped ? whole.replaceAll(/\B(?=(\d{3})+$)/g, group) : whole;
  const text = `${digits}${mark}${cents}`;
  if (!isOut) return text;
  const styles = { before: `-${text}`, after: `${text}-`, brackets: `(${text})`, typographic: `−${text}` };
  return styles[minus];
}

const dated = (day: string, pattern: string): string => {
  const [year = '', month = '', date = ''] = day.split('-');
  if (pattern === 'iso') return day;
  return pattern.replace('YYYY', year).replace('MM', month).replace('DD', date);
};

const unsigned = (amount: string): string => amount.replace('-', '');
const opposite = (amount: string): string =>
  amount.startsWith('-') ? amount.slice(1) : /[1-9]/.test(amount) ? `-${amount}` : amount;

const words: Readonly<Record<string, string>> = {
  capture: 'Sale',
  refund: 'Refund, partial',
  chargeback: 'CB',
  payout: 'Payout',
};

/** The cells of a line by the names of their columns. */
function cellsOf(row: Line, how: Style): Record<string, string> {
  const isOut = row.amount.startsWith('-');
  const plain = written(unsigned(row.amount), how);
  return {
    'Booking date': dated(row.at, how.date),
    Type: words[row.kind]!,
    Amount: how.signs === 'signed' ? written(row.amount, how) : plain,
    Debit: isOut ? plain : '',
    Credit: isOut ? '' : plain,
    'D/C': isOut ? 'D' : 'C',
    Fee: written(how.fee === 'negative' ? opposite(row.fee) : row.fee, how),
    Ccy: row.currency,
    'PSP ref': row.providerReference!,
    Capture: row.operationId!,
    Order: row.reference!,
  };
}

function mappingOf({ signs, fee, decimal, date }: Style): string {
  const amounts = signs === 'columns' ? { debit: 'Debit', credit: 'Credit' } : { amount: 'Amount' };
  return yaml({
    columns: {
      at: 'booking_date',
      kind: 'type',
      ...amounts,
      ...(signs === 'direction' && { direction: 'D/C' }),
      currency: 'ccy',
      fee: 'FEE',
      providerReference: 'psp-ref',
      operationId: 'Capture',
      reference: 'Order',
    },
    decimal,
    date,
    kinds: { capture: ['SALE'], refund: ['refund, partial'], chargeback: ['cb'] },
    ...(signs === 'direction' && { directions: { in: ['C'], out: ['D'] } }),
    signs: { fee, ...(signs === 'kinds' && { outgoing: ['refund', 'chargeback', 'payout'] }) },
  });
}

test('lines come back from every style of file that a mapping can describe', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), style, async (lines, how) => {
      const rows = lines.map((row) => cellsOf(row, how));
      const names = Object.keys(rows[0]!);
      const columns = how.order.map((at) => names[at]!);
      const header = columns.map((name) => (how.isUpperCase ? name.toUpperCase() : name));
      const text = stringify([header, ...rows.map((row) => columns.map((name) => row[name]!))], {
        delimiter: how.separator,
        record_delimiter: how.newline,
      });
      const bytes = new TextEncoder().encode(`${how.hasBom ? '\uFEFF' : ''}${text}`);
      const pieces = async function* () {
        for (let at = 0; at < bytes.length; at += how.pieceSize) yield bytes.subarray(at, at + how.pieceSize);
      };
      const problems = createFileProblems();
      const read = createCsvReader(parseMapping('map.yaml', mappingOf(how)));
      const found = (await Array.fromAsync(read(pieces(), problems))).flat();
      problems.throwIfAny();
      expect(found).toEqual(lines.map((row, index) => ({ ...row, line: index + 2 })));
    }),
    { numRuns: 200 },
  );
});
