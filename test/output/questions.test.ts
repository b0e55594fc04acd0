import { describe, expect, it } from 'vitest';
import { planHeader } from '../../src/batch/plan/plan-file.js';
import { verdicts } from '../../src/batch/plan/plan-row.js';
import type { CheckedPlan } from '../../src/batch/run/check-plan.js';
import type { PaymentRead } from '../../src/client/payment-calls.js';
import { parseJson } from '../../src/contract/json.js';
import { type Line, renderLines } from '../../src/output/lines.js';
import { displayWidth } from '../../src/output/text.js';
import { plainTheme } from '../../src/output/theme.js';
import { applyQuestion, resumeQuestion } from '../../src/output/views/batch-plan.js';
import { moveQuestion } from '../../src/output/views/moves.js';

const text = (lines: Line[]) => renderLines(lines, plainTheme);

/** A payment as the service writes it. */
function read(json: string): PaymentRead {
  const object = parseJson(json);
  return { object, fields: object } as unknown as PaymentRead;
}

describe('the question before several payments are moved', () => {
  const question = (...payments: string[]) =>
    text(moveQuestion({ operation: 'refund', reads: payments.map(read), leftOut: [] }).lines);
  const three = '{ "paymentId": 1, "referenceId": "inv-1", "amount": 49.900, "currency": "EUR" }';
  const kwd = '{ "paymentId": 2, "referenceId": "inv-2", "amount": 1.234, "currency": "KWD" }';
  const none = '{ "paymentId": 3, "referenceId": "inv-3", "currency": "EUR" }';

  it('has the exact sum in each currency', () => {
    expect(question(three, three, kwd)).toMatch(
      /^Refund 3 payments, EUR 99\.80 {3}KWD 1\.234 in total\?\n {2}1 /,
    );
  });

  it('has its columns in line where a reference has wide or invisible letters', () => {
    const wide = three.replace('inv-1', '注文書');
    const hidden = three.replace('inv-1', 'a\\u200bb');
    const rows = question(three, wide, hidden).trimEnd().split('\n').slice(1);
    expect(rows.map((row) => displayWidth(row.slice(0, row.indexOf('EUR'))))).toEqual([17, 17, 17]);
  });

  it('has the sum in the form of the rows where the currency has no decimals', () => {
    const yen = '{ "paymentId": 4, "referenceId": "inv-4", "amount": 1500, "currency": "JPY" }';
    const asked = question(three, yen);
    expect(asked).toMatch(/^Refund 2 payments, EUR 49\.90 {3}JPY 1,500 in total\?\n/);
    expect(asked).toMatch(/ JPY 1,500\n/);
  });

  it('asks for the amount that a number with an exponent stands for', () => {
    const written = three.replace('49.900', '1.05E1');
    expect(question(written, three)).toMatch(/^Refund 2 payments, EUR 60\.40 in total\?\n {2}1 /);
    expect(moveQuestion({ operation: 'refund', reads: [read(written)], leftOut: [] })).toMatchObject({
      lines: ['Refund EUR 10.50 of payment 1 (inv-1) to customer ?'],
      amount: { digits: '10.5', currency: 'EUR' },
    });
    const endless = moveQuestion({
      operation: 'refund',
      reads: [read(three.replace('49.900', '1e99'))],
      leftOut: [],
    });
    expect(endless.amount).toBeUndefined();
  });

  it('asks for the money that was taken before a refund, and for the amount before a capture', () => {
    const part = three.replace('49.900', '50.00, "capturedAmount": 20.00, "customerId": "c_ada"');
    const asked = (operation: 'refund' | 'capture') =>
      moveQuestion({ operation, reads: [read(part)], leftOut: [] });
    expect(asked('refund')).toEqual({
      lines: ['Refund EUR 20.00 of payment 1 (inv-1) to customer c_ada?'],
      amount: { digits: '20.00', currency: 'EUR' },
    });
    expect(asked('capture').amount).toEqual({ digits: '50.00', currency: 'EUR' });
    expect(question(part, three)).toMatch(/^Refund 2 payments, EUR 69\.90 in total\?\n.* EUR 20\.00\n/);
  });

  it('says how many payments are not in the sum', () => {
    expect(question(three, none).split('\n', 2)).toEqual([
      'Refund 2 payments, EUR 49.90 in total?',
      '1 of these has no usable amount, so the total does not include it.',
    ]);
    expect(question(none, none).split('\n', 2)).toEqual([
      'Refund 2 payments?',
      '2 of these have no usable amount, so the total is not known.',
    ]);
  });
});

const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as CheckedPlan['counts'];
const app = { baseUrl: 'https://pay.example', appId: '7f31c2', kind: 'live', profile: undefined } as const;
const file = { separator: 'comma', decimalMark: null, ignoredColumns: [], headerLine: 1 };
const plan: CheckedPlan = {
  header: planHeader('refund', app, { ledger: 'l1', now: new Date(), file }),
  rows: 2,
  counts: { ...counts, act: 2 },
  totals: { EUR: '21.00' },
  failedTotals: {},
  digest: '',
  toSend: { rows: 2, totals: { EUR: '21.00' }, withoutAmount: 0 },
};

describe('the question before a plan is applied', () => {
  it.each([
    [{ reason: 'recall', ticket: 'T-1932' }, 'Reason: recall\nTicket: T-1932\n'],
    [{ reason: 'recall' }, 'Reason: recall\n'],
    [{ ticket: 'T-1932' }, 'Ticket: T-1932\n'],
    [{}, ''],
  ])('with %j', (why, line) => {
    expect(text(applyQuestion(plan, { ...why, again: false }))).toBe(
      `Refund 2 payments, EUR 21.00 in total?\n${line}`,
    );
  });

  it('says how many payments are not in the sum', () => {
    const unsummed = { ...plan, toSend: { ...plan.toSend, rows: 4, withoutAmount: 2 } };
    expect(text(applyQuestion(unsummed, { again: false }))).toBe(
      'Refund 4 payments, EUR 21.00 in total?\n2 of these have no usable amount, so the total does not include them.\n',
    );
  });
});

it('the question before a batch is resumed says how many payments are not in the sum', () => {
  const left = { rows: 3, totals: { EUR: '21.00' }, withoutAmount: 1 };
  expect(text(resumeQuestion({ id: 'b1', action: 'refund' }, left))).toBe(
    'Resume batch b1.\nRefund 3 payments, EUR 21.00 in total?\n' +
      '1 of these has no usable amount, so the total does not include it.\n',
  );
});
