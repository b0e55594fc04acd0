import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { datePattern } from '../../src/reconcile/csv/dates.js';
import { signedDecimal } from '../../src/reconcile/csv/decimal.js';
import { negated } from '../../src/contract/exact.js';
import { parseMapping } from '../../src/reconcile/csv/mapping.js';
import { createCsvReader } from '../../src/reconcile/csv/reader.js';
import type { SettlementLine } from '../../src/reconcile/line.js';
import { createFileProblems } from '../../src/spreadsheet/problems.js';
import { HEADER, MAPPING } from './northbank.js';

const northbank = `${MAPPING}kinds:
  capture: [SALE, capture]
  refund: [REFUND]
`;

async function read(text: string, mapping = northbank): Promise<SettlementLine[]> {
  const problems = createFileProblems();
  const lines: SettlementLine[] = [];
  const source = (async function* () {
    yield Buffer.from(text);
  })();
  for await (const chunk of createCsvReader(parseMapping('m.yaml', mapping))(source, problems))
    lines.push(...chunk);
  problems.throwIfAny();
  return lines;
}

const refusal = async (work: () => Promise<unknown>) => {
  const error = await work().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(UsageError);
  const { details } = error as UsageError;
  return (details as Array<{ input: string; problem: string }>).map(
    ({ input, problem }) => `${input}: ${problem}`,
  );
};

describe('a line with the total', () => {
  const sale = '2026-11-14,SALE,ref_1,cap_1,inv-1,49.90,,,EUR';
  const total = (word: string, reference = '') => `${word},,,,${reference},49.90,,,EUR`;

  it.each(['Summe', 'TOTAL', 'Grand total:', 'Gesamt'])('is left out at the end: %s', async (word) => {
    expect(await read(`${HEADER}\n${sale}\n${total(word)}\n`)).toHaveLength(1);
  });

  it.each([
    ['before another line', `${total('Summe')}\n${sale}`, 'line 2: date Summe: does not fit iso'],
    ['with a reference', `${sale}\n${total('Summe', 'inv-2')}`, 'line 3: date Summe: does not fit iso'],
    ['with another word', `${sale}\n${total('Adjustment')}`, 'line 3: date Adjustment: does not fit iso'],
    ['twice', `${sale}\n${total('Summe')}\n${total('Total')}`, 'line 3: date Summe: does not fit iso'],
  ])('refuses the file %s', async (_, lines, problem) => {
    expect(await refusal(() => read(`${HEADER}\n${lines}\n`))).toEqual([problem]);
  });
});

describe('a CSV of a provider', () => {
  it('becomes lines of money by its mapping', async () => {
    const lines = await read(
      `${HEADER}\n2026-11-14T10:00:00+01:00,SALE,ref_1,cap_1,inv-1,49.90,0.74,49.16,EUR\n` +
        `2026-11-14,refund,ref_1,,inv-1,-49.90,0.00,-49.90,eur\n2026-11-15,Payout,,,,-100.00,,,EUR\n`,
    );
    expect(lines).toEqual([
      {
        line: 2,
        kind: 'capture',
        amount: '49.90',
        currency: 'EUR',
        fee: '0.74',
        at: '2026-11-14T09:00:00.000Z',
        providerReference: 'ref_1',
        operationId: 'cap_1',
        reference: 'inv-1',
      },
      {
        line: 3,
        kind: 'refund',
        amount: '-49.90',
        currency: 'EUR',
        fee: '0.00',
        at: '2026-11-14',
        providerReference: 'ref_1',
        reference: 'inv-1',
      },
      { line: 4, kind: 'payout', amount: '-100.00', currency: 'EUR', at: '2026-11-15' },
    ]);
  });

  it('reads decimal commas, unsigned refunds, negative fees and dates by pattern', async () => {
    const mapping =
      'columns: { at: Datum, kind: Art, amount: Betrag, fee: Gebühr, reference: Ref }\ncurrency: EUR\n' +
      'decimal: comma\ndate: DD.MM.YYYY\nkinds: { capture: [Zahlung], refund: [Gutschrift] }\n' +
      'signs: { outgoing: [refund], fee: negative }\n';
    const lines = await read(
      'Datum;Art;Betrag;Gebühr;Ref\n14.11.2026;Zahlung;1.234,50;-18,51;inv-1\n15.11.2026;Gutschrift;1.234,50;0,00;inv-1\n',
      mapping,
    );
    expect(lines.map(({ kind, amount, fee, at }) => [kind, amount, fee, at])).toEqual([
      ['capture', '1234.50', '18.51', '2026-11-14'],
      ['refund', '-1234.50', '0.00', '2026-11-15'],
    ]);
  });

  it('reads a debit and a credit column, and a column that says which it is', async () => {
    const two = 'columns: { debit: Soll, credit: Haben, reference: Ref }\ncurrency: EUR\n';
    expect(
      (await read('Ref,Soll,Haben\na,,5.00\nb,5.00,\n', two)).map(({ kind, amount }) => [kind, amount]),
    ).toEqual([
      ['capture', '5.00'],
      ['refund', '-5.00'],
    ]);
    const flag =
      'columns: { amount: Amount, direction: DC, reference: Ref }\ncurrency: EUR\ndirections: { in: [C], out: [D] }\n';
    expect((await read('Ref,DC,Amount\na,C,5.00\nb,D,5.00\n', flag)).map(({ amount }) => amount)).toEqual([
      '5.00',
      '-5.00',
    ]);
    expect(await refusal(() => read('Ref,DC,Amount\na,X,5.00\n', flag))).toEqual([
      'line 2: direction X: is neither in nor out by the mapping',
    ]);
    expect(await refusal(() => read('Ref,Soll,Haben\na,1.00,5.00\nb,,\n', two))).toEqual([
      'line 2: has both a credit and a debit',
      'line 3: has neither a credit nor a debit',
    ]);
  });

  it('names every bad line at once', async () => {
    const bad = [
      '2026-11-14,SALE,r,c,m,49.9x,0,0,EUR',
      '14.11.2026,SALE,r,c,m,49.90,0,0,EUR',
      '2026-02-31,SALE,r,c,m,49.90,0,0,EUR',
      '2026-11-14,SALE,r,c,m,49.90,0,0,Euro',
      '2026-11-14,SALE,r,c,m,-49.90,0,0,EUR',
      '2026-11-14,REFUND,r,c,m,49.90,0,0,EUR',
      '2026-11-14,SALE,r,c,m,49.90',
      '2026-11-14,SALE,r,c,m,49.90,1;2,0,EUR',
      '2026-11-14,SALE,r,c,m,,0,0,EUR',
    ];
    expect(await refusal(() => read(`${HEADER}\n${bad.join('\n')}\n`))).toEqual([
      'line 2: amount 49.9x: must be a number with a decimal point',
      'line 3: date 14.11.2026: does not fit iso',
      'line 4: date 2026-02-31: does not fit iso',
      'line 5: currency Euro: must be three letters, for example EUR',
      'line 6: amount -49.90: a capture cannot be negative; look at the mapping',
      'line 7: amount 49.90: a refund takes money out; add it to signs.outgoing in the mapping',
      'line 8: has 6 cells, but the header has 9',
      'line 9: fee 1;2: must be a number with a decimal point',
      'line 10: amount is empty',
    ]);
  });

  it('counts the bad lines that it does not name', async () => {
    const rows = Array.from({ length: 50 }, () => '2026-11-14,SALE,r,c,m,?,0,0,EUR').join('\n');
    const named = await refusal(() => read(`${HEADER}\n${rows}\n`));
    expect(named).toHaveLength(21);
    expect(named.at(-1)).toBe('…: and 30 more');
  });

  it('refuses a file without the columns of the mapping', async () => {
    expect(await refusal(() => read('type,amount,amount\nSALE,1,1\n'))).toContain(
      'line 1: there is no column booked_at, which the mapping names as at',
    );
    expect(await refusal(() => read(''))).toEqual(['line 1: the file is empty']);
    expect(await refusal(() => read(`${HEADER}\n`))).toEqual(['line 2: the file has a header and no rows']);
  });
});

describe('a mapping', () => {
  it('names everything that is wrong with it, with line and column', async () => {
    const text =
      'columns:\n  amount: Amount\n  refernce: Ref\ndecimal: dot\ndate: DD.MM\ncurrency: Euro\nkinds: []\n';
    expect(await refusal(async () => parseMapping('m.yaml', text))).toEqual([
      'm.yaml:2:3: columns need one of providerReference, operationId, reference',
      'm.yaml:3:3: unknown key refernce; did you mean reference?',
      'm.yaml:4:10: decimal must be point or comma',
      'm.yaml:5:7: date must be iso or a pattern such as DD.MM.YYYY',
      'm.yaml:6:11: currency must be three capital letters, for example EUR',
      'm.yaml:7:8: kinds must be a mapping',
    ]);
    expect(await refusal(async () => parseMapping('m.yaml', '- a\n'))).toEqual([
      'm.yaml:1:1: the file must be a mapping',
    ]);
    expect(await refusal(async () => parseMapping('m.yaml', 'columns: { fee: Fee }\n'))).toEqual([
      'm.yaml:1:10: columns need either amount, or both debit and credit',
      'm.yaml:1:10: columns need one of providerReference, operationId, reference',
      'm.yaml:1:10: columns need currency, or write currency: EUR beside them',
    ]);
    expect(
      await refusal(async () => parseMapping('m.yaml', 'columns: { amount: A, reference: R }\n')),
    ).toEqual(['m.yaml:1:10: columns need currency, or write currency: EUR beside them']);
  });
});

describe('amounts as providers write them', () => {
  it.each([
    ['1,234.50', 'point', '1234.50'],
    ['1.234,50-', 'comma', '-1234.50'],
    ['(12.00)', 'point', '-12.00'],
    ['+5', 'point', '5'],
    ['−5,5', 'comma', '-5.5'],
    ["1'234'567.80", 'point', '1234567.80'],
    ['1 234,5', 'comma', '1234.5'],
    ['1.234', 'comma', '1234'],
    ['1.234', 'point', '1.234'],
  ] as const)('%s with a decimal %s is %s', (text, style, amount) => {
    expect(signedDecimal(text, style)).toBe(amount);
  });

  it.each([
    ['12.5', 'comma'],
    ['12,50', 'point'],
    ['(12', 'point'],
    ['12)', 'point'],
    ['-12-', 'point'],
    ['1 2', 'point'],
    ['', 'point'],
    ['EUR 5', 'point'],
  ] as const)('%s is no amount with a decimal %s', (text, style) => {
    expect(signedDecimal(text, style)).toBeUndefined();
  });

  it('gives back every amount that is written in either style', () => {
    const amount = fc.record({ whole: fc.nat(10 ** 9), cents: fc.nat(99), out: fc.boolean() });
    fc.assert(
      fc.property(amount, fc.boolean(), fc.boolean(), ({ whole, cents, out }, comma, isGrouped) => {
        const decimals = String(cents).padStart(2, '0');
        const exact = `${out && whole + cents > 0 ? '-' : ''}${whole}.${decimals}`;
        const digits = isGrouped ? whole.toLocaleString(comma ? 'de-DE' : 'en-US') : String(whole);
        const written = `${exact.startsWith('-') ? '-' : ''}${digits}${comma ? ',' : '.'}${decimals}`;
        expect(signedDecimal(written, comma ? 'comma' : 'point')).toBe(exact);
        expect(negated(negated(exact))).toBe(exact);
      }),
    );
  });
});

describe('dates as providers write them', () => {
  it.each([
    ['iso', '2026-11-14', '2026-11-14'],
    ['iso', '2026-11-14 10:00', '2026-11-14T10:00:00.000Z'],
    ['iso', '2026-11-14T10:00:00.5+0100', '2026-11-14T09:00:00.000Z'],
    ['DD.MM.YYYY', '1.2.2026', '2026-02-01'],
    ['MM/DD/YYYY HH:mm', '11/14/2026 9:05', '2026-11-14T09:05:00.000Z'],
    ['YYYYMMDD', '20261114', '2026-11-14'],
    ['DD.MM.YYYY', '31.02.2026', undefined],
    ['DD.MM.YYYY', '2026-11-14', undefined],
    ['iso', '2026-11-14T25:00', undefined],
  ])('%s reads %s as %s', (pattern, text, date) => {
    expect(datePattern(pattern)?.(text)).toBe(date);
  });

  it.each(['DD.MM', 'YYYY-MM-DD-DD', 'dd.mm.yyyy', 'DD.MM.YYYY HH'])('%s is no pattern', (pattern) => {
    expect(datePattern(pattern)).toBeUndefined();
  });
});
