import { describe, expect, it } from 'vitest';
import { chargeRows } from '../../../src/batch/plan/charge-rows.js';
import { type SourceRow, paymentRows, readAmount, readCsvRows } from '../../../src/batch/plan/csv-rows.js';
import type { UsageError } from '../../../src/errors.js';
import { createFileProblems } from '../../../src/spreadsheet/problems.js';

async function* bytesOf(text: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function read(text: string | Uint8Array, action: 'refund' | 'charge' = 'refund', size?: number) {
  const problems = createFileProblems();
  const source = bytesOf(text, size);
  const reading =
    action === 'charge'
      ? readCsvRows(source, chargeRows, problems)
      : readCsvRows(source, paymentRows, problems);
  const found: SourceRow[] = [];
  let step = await reading.next();
  for (; !step.done; step = await reading.next()) found.push(step.value);
  const end = step.value;
  const rows = found.map((row) =>
    row.amount === undefined ? row : { ...row, amount: readAmount(row, end.readAmount, problems) },
  );
  let told: string[] = [];
  try {
    problems.throwIfAny();
  } catch (error) {
    const details = (error as UsageError).details as Array<{ input: string; problem: string }>;
    told = details.map(({ input, problem }) => `${input}: ${problem}`);
  }
  return { rows, told, format: end.format };
}

describe('a CSV of payments', () => {
  it('names payments by id, by reference, or by whichever it looks like', async () => {
    expect(
      (await read('payment\n100231\ninv-1\nref:7\nref:inv-2\nid:5\n')).rows.map((row) => row.typed),
    ).toEqual(['100231', 'inv-1', 'ref:7', 'inv-2', 'id:5']);
    expect((await read('paymentId\n100231\n')).rows[0]?.typed).toBe('id:100231');
    expect((await read('referenceId\n100231\ninv-1\n')).rows.map((row) => row.typed)).toEqual([
      'ref:100231',
      'inv-1',
    ]);
  });

  it.each(['reference', 'Payment Reference', 'Zahlungsreferenz'])(
    'takes %s for the reference, also where it is digits',
    async (header) => {
      const { rows, told } = await read(`${header},amount\n100231,5.00\ninv-1,6.00\nid:7,7.00\n`);
      expect(told).toEqual([]);
      expect(rows.map((row) => row.typed)).toEqual(['ref:100231', 'inv-1', 'ref:id:7']);
    },
  );

  it('names the payment by its own column where a list of payments has the reference beside it', async () => {
    const { rows, told, format } = await read('payment,reference,state\n100231,inv-1,Captured\n');
    expect(told).toEqual([]);
    expect(rows[0]?.typed).toBe('100231');
    expect(format.ignoredColumns).toEqual(['reference', 'state']);
  });

  it.each([
    ['referenceId,reference', 'referenceId and reference can both be the column referenceId'],
    ['reference,payment reference', 'reference and payment reference can both be the column referenceId'],
    ['payment,referenceId', 'only one column may name the payment: payment or referenceId'],
  ])('refuses %s, which could be read two ways', async (header, problem) => {
    expect((await read(`${header}\n1,2\n`)).told).toEqual([`line 1: ${problem}`]);
  });

  it('takes a byte order mark, CRLF, quotes, line ends in cells, empty lines and no last line end', async () => {
    const { rows, told } = await read(
      '\uFEFFpayment,amount,currency,description,reason,ticket\r\n' +
        '1,10.00,EUR,"said ""no"", twice","two\r\nlines",T-1\r\n\r\n, ,,,,\r\n2,,,,,',
    );
    expect(told).toEqual([]);
    expect(rows).toEqual([
      {
        line: 2,
        typed: '1',
        amount: '10.00',
        currency: 'EUR',
        description: 'said "no", twice',
        reason: 'two\r\nlines',
        ticket: 'T-1',
      },
      { line: 6, typed: '2' },
    ]);
  });

  it.each([
    ['PAYMENT ; Amount;Currency;Shop\n7;1.234,50;eur;Bonn\n', '1234.50', 'semicolons', 'comma', ['Shop']],
    ['Amount\tCurrency\tpayment\n1,234.50\tEUR\t7\n', '1234.50', 'tabs', 'point', []],
    ['amount,Payment,currency,\n"12,50",7,EUR,\n', '12.50', 'commas', 'comma', ['(no name)']],
    ['payment,amount,currency\n7,1234,EUR\n', '1234', 'commas', null, []],
  ])(
    'is read as a spreadsheet saves it: %j',
    async (text, amount, separator, decimalMark, ignoredColumns) => {
      const { rows, told, format } = await read(text);
      expect(told).toEqual([]);
      expect(rows).toEqual([{ line: 2, typed: '7', amount, currency: 'EUR' }]);
      expect(format).toEqual({ separator, decimalMark, ignoredColumns, headerLine: 1 });
    },
  );

  it('reads back what our own CSV made safe for spreadsheets', async () => {
    expect(
      (await read("payment,description\n1,'=1+1\n2,'quoted'\n")).rows.map((row) => row.description),
    ).toEqual(['=1+1', "'quoted'"]);
  });

  it.each([
    ['', ['line 1: the file is empty: it needs a header, for example payment,amount']],
    ['payment\n', ['line 2: the file has a header and no rows']],
    [
      'payment,amount;payment\n1;2\n',
      ['line 1: the header uses several separators: use commas, semicolons or tabs, but only one of them'],
    ],
    ['payment;amount\n1,2\n', ['line 2: has 1 cell, but the header has 2']],
    ['payment,amount,amount\n1,2,3\n', ['line 1: the column amount is there twice']],
    ['Amount,amount,payment\n1,2,3\n', ['line 1: the column amount is there twice, as Amount and amount']],
    ['payment,Note,Note\n1,2,3\n', ['line 1: the column Note is there twice']],
    [
      'amount,Order No.\n1,2\n',
      [
        'line 1: no column names the payment: add payment, paymentId or referenceId. The columns are: amount, Order No.',
      ],
    ],
    [
      'paymentId,Reference ID\n1,a\n',
      ['line 1: only one column may name the payment: paymentId or referenceId'],
    ],
    [
      'payment,amount\n1\n2,3,4\n',
      ['line 2: has 1 cell, but the header has 2', 'line 3: has 3 cells, but the header has 2'],
    ],
    [
      'payment,amount\n1,1.2345\n2,-1\n3,"1,50"\n4,1e3\n5,0\n',
      [
        'line 2: amount 1.2345: must have at most two decimals, for example 10.23',
        'line 3: amount -1: must be more than zero',
        'line 4: amount 1,50: has a decimal comma, but line 2 has a decimal point (1.2345)',
        'line 5: amount 1e3: must be written out, for example 1000.00',
        'line 6: amount 0: must be more than zero',
      ],
    ],
    ['payment,currency\n1,euro\n', ['line 2: currency euro: must be three letters, for example EUR']],
    [
      'payment;amount\n1;1.234\n2;99\n3;1,234\n',
      [
        'line 2: amount 1.234: can mean 1.234 or 1234: write it without a thousands separator',
        'line 4: amount 1,234: can mean 1234 or 1.234: write it without a thousands separator',
      ],
    ],
    [
      'payment;amount\n1;1.234\n2;9.50\n',
      ['line 2: amount 1.234: must have at most two decimals, for example 10.23'],
    ],
    [
      'paymentId\ninv-1\n',
      ['line 2: paymentId inv-1: must be digits; a reference goes into the column referenceId'],
    ],
    ['payment,reason\n,x\n', ['line 2: the payment is empty']],
    ['payment,reason\n1,"a\n2,b\n', ['line 2: a quote is opened and never closed']],
    [
      'payment,reason\n1,a"b\n',
      ['line 2: there is a quote inside a cell: put the whole cell in quotes and write the quote twice'],
    ],
    [
      `payment,reason\n1,${'x'.repeat(501)}\n`,
      [`line 2: reason ${'x'.repeat(39)}…: must have at most 500 characters`],
    ],
  ])('is refused with the line: %j', async (text, expected) => {
    expect((await read(text)).told).toEqual(expected);
  });

  it('is refused when it is not UTF-8', async () => {
    const utf16 = ['line 1: the file is UTF-16 text: save it as "CSV UTF-8"'];
    const marked = Buffer.from('\uFEFFpayment,reason\n1,x\n', 'utf16le');
    for (const bytes of [marked, marked.subarray(2), Buffer.from(marked).swap16()]) {
      expect((await read(bytes)).told).toEqual(utf16);
    }
    for (const end of ['\n', '\r\n', '\r']) {
      const lines = ['payment,reason', '1,x', '2,"y', 'z"', '3,caf\u00E9', '4,x', '5,caf\u00E9'];
      const latin = Buffer.from(lines.join(end), 'latin1');
      expect((await read(latin)).told).toEqual([
        'line 5: the file is not UTF-8 text: save it as "CSV UTF-8"',
      ]);
    }
    // Also where the bytes of a character come in two pieces, and where a piece ends in the middle of one.
    const long = Buffer.from(`payment,reason\n${'1,\u20AC\n'.repeat(9)}2,x\n`);
    long[long.length - 2] = 0xe9;
    for (let size = 1; size < long.length; size += 1) {
      expect((await read(long, 'refund', size)).told).toEqual([
        'line 11: the file is not UTF-8 text: save it as "CSV UTF-8"',
      ]);
    }
  });

  it('tells the first twenty problems and how many more there are', async () => {
    const { told } = await read(`payment,amount\n${'1,x\n'.repeat(25)}`);
    expect(told).toHaveLength(21);
    expect(told.at(-1)).toBe('…: and 5 more');
  });
});
