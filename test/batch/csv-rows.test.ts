import { describe, expect, it } from 'vitest';
import { createCsvProblems } from '../../src/batch/csv-problems.js';
import { readCsvRows } from '../../src/batch/csv-rows.js';
import type { UsageError } from '../../src/errors.js';

async function* bytesOf(text: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function read(text: string | Uint8Array) {
  const problems = createCsvProblems();
  const rows = await Array.fromAsync(readCsvRows(bytesOf(text), problems));
  let told: string[] = [];
  try {
    problems.throwIfAny();
  } catch (error) {
    const details = (error as UsageError).details as Array<{ input: string; problem: string }>;
    told = details.map(({ input, problem }) => `${input}: ${problem}`);
  }
  return { rows, told };
}

describe('a CSV of payments', () => {
  it('names payments by id, by reference, or by whichever it looks like', async () => {
    expect(
      (await read('payment\n100231\ninv-1\nref:7\nref:inv-2\nid:5\n')).rows.map((row) => row.typed),
    ).toEqual(['100231', 'inv-1', 'ref:7', 'inv-2', '5']);
    expect((await read('paymentId\n100231\n')).rows[0]?.typed).toBe('100231');
    expect((await read('referenceId\n100231\ninv-1\n')).rows.map((row) => row.typed)).toEqual([
      'ref:100231',
      'inv-1',
    ]);
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

  it('reads back what our own CSV made safe for spreadsheets', async () => {
    expect(
      (await read("payment,description\n1,'=1+1\n2,'quoted'\n")).rows.map((row) => row.description),
    ).toEqual(['=1+1', "'quoted'"]);
  });

  it.each([
    ['', ['line 1: the file is empty: it needs a header, for example payment,amount']],
    ['payment\n', ['line 2: the file has a header and no rows']],
    ['payment;amount\n1;2\n', ['line 1: the columns are separated by semicolons: save the file with commas']],
    ['payment\tamount\n1\t2\n', ['line 1: the columns are separated by tabs: save the file with commas']],
    ['payment,amount,amount\n1,2,3\n', ['line 1: the column amount is there twice']],
    ['Payment\n1\n', ['line 1: there is no column Payment; did you mean payment?']],
    ['amount\n1\n', ['line 1: no column names the payment: payment, paymentId or referenceId']],
    ['paymentId,referenceId\n1,a\n', ['line 1: name the payment by one column: paymentId or referenceId']],
    [
      'payment,amount\n1\n2,3,4\n',
      ['line 2: has one cell, and the header has 2', 'line 3: has 3 cells, and the header has 2'],
    ],
    [
      'payment,amount\n1,1.234\n2,-1\n3,"1,50"\n4,1e3\n5,0\n',
      [
        'line 2: amount 1.234: at most two decimals, for example 10.23',
        'line 3: amount -1: must be more than zero',
        'line 4: amount 1,50: a point before the decimals: 1.50',
        'line 5: amount 1e3: write the number out, for example 1000.00',
        'line 6: amount 0: must be more than zero',
      ],
    ],
    ['payment,currency\n1,eur\n', ['line 2: currency eur: three capital letters, for example EUR']],
    [
      'paymentId\ninv-1\n',
      ['line 2: paymentId inv-1: must be digits; a reference goes into the column referenceId'],
    ],
    ['payment,reason\n,x\n', ['line 2: payment is empty']],
    ['payment,reason\n1,"a\n2,b\n', ['line 2: a quote is opened and never closed']],
    [
      'payment,reason\n1,a"b\n',
      ['line 2: a quote stands inside a cell: put the whole cell in quotes and write it twice'],
    ],
    [`payment,reason\n1,${'x'.repeat(501)}\n`, [`line 2: reason ${'x'.repeat(39)}…: at most 500 characters`]],
  ])('is refused with the line: %j', async (text, expected) => {
    expect((await read(text)).told).toEqual(expected);
  });

  it('is refused when it is not UTF-8', async () => {
    const told = ['line 1: the file is not UTF-8 text: save it as "CSV UTF-8"'];
    expect((await read(new Uint8Array([0xff, 0xfe, 0x70, 0x00]))).told).toEqual(told);
    const latin = new TextEncoder().encode('payment,reason\n1,x\n');
    latin[17] = 0xe9;
    expect((await read(latin)).told).toHaveLength(1);
  });

  it('tells the first twenty problems and how many more there are', async () => {
    const { told } = await read(`payment,amount\n${'1,x\n'.repeat(25)}`);
    expect(told).toHaveLength(21);
    expect(told.at(-1)).toBe('…: and 5 more');
  });
});
