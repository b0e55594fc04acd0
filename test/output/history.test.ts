import { expect, it } from 'vitest';
import type { HistoryRecord } from '../../src/ledger/moves/history.js';
import { renderStream } from '../../src/output/rows.js';
import { displayWidth } from '../../src/output/text.js';
import { plainTheme } from '../../src/output/theme.js';
import { historyList } from '../../src/output/views/history.js';

const record: HistoryRecord = {
  id: 1,
  time: '2026-11-15T16:27:21.000Z',
  operation: 'stop-auto-payment',
  outcome: 'unknown',
  paymentId: '100018',
  referenceId: 'stuck-refund-failed',
  customerId: 'c_dora',
  amount: '1240.00',
  currency: 'EUR',
  before: 'Captured',
  after: 'ActionRequired',
  why: null,
  outcomeTime: null,
  operator: 'ada@desk',
  reason: 'parcel lost on the way to the customer',
  ticket: 'T-1932',
  description: null,
  profile: 'local',
  kind: 'sandbox',
  appId: 'app_1',
  baseUrl: 'http://127.0.0.1:4010',
  batch: null,
  resendOf: null,
};
const refund: HistoryRecord = { ...record, operation: 'refund', outcome: 'done', after: 'Refunded' };

async function shown(items: HistoryRecord[], width: number, terminal = true, columns?: string[]) {
  let text = '';
  await renderStream(items, historyList, {
    context: { terminal, width, now: new Date() },
    theme: plainTheme,
    options: { ...(columns && { columns }) },
    write: (part) => void (text += part),
    note: () => {},
  });
  return text.split('\n');
}

const stop: HistoryRecord = {
  ...record,
  outcome: 'done',
  paymentId: null,
  referenceId: null,
  amount: null,
  after: null,
};

it('is a table at 80 columns that says who did it and why', async () => {
  const lines = await shown([refund, { ...refund, outcome: 'unknown' }], 80);
  expect(lines[0]).toMatch(/^ {2}time +operation +payment +amount .*outcome +by$/);
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(80);
  const text = lines.join(' ').replaceAll(/\s+/g, ' ');
  for (const word of ['100018', 'stuck-refund-failed', 'EUR 1,240.00', 'ada@desk', 'T-1932', 'parcel'])
    expect(text).toContain(word);
});

it('is a table at 80 columns with changes to customers among payments', async () => {
  const lines = await shown([{ ...refund, referenceId: 'inv-2041' }, stop], 80);
  expect(lines[0]).toMatch(/^ {2}time +operation /);
  expect(lines.join('\n')).toMatch(/stop-auto-payment +customer/);
});

it('shows the state too where there is room, and folds where there is none', async () => {
  expect((await shown([record], 140))[0]).toMatch(/amount +state +outcome +by$/);
  expect((await shown([record], 60))[0]).toMatch(/^ {2}time {7}11-15/);
});

it('gives a pipe every value in a column of its own', async () => {
  const [line = ''] = await shown([refund], 80, false);
  const cells = line.split('\t');
  expect(cells).toContain('100018');
  expect(cells).toContain('stuck-refund-failed');
  expect(cells).toContain('ada@desk');
  expect(cells).not.toContain('100018  stuck-refund-failed');
});

it('keeps the columns that were asked for', async () => {
  const columns = ['payment', 'reference', 'after', 'operator', 'ticket', 'reason', 'operation', 'amount'];
  const [first = ''] = await shown([refund], 60, true, columns);
  expect(first).toMatch(/^ {2}payment {4}100018$/);
});
