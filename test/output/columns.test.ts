import { expect, it } from 'vitest';
import type { ViewContext } from '../../src/output/lines.js';
import { type ListView, renderStream } from '../../src/output/rows.js';
import { plainTheme } from '../../src/output/theme.js';
import { batchList } from '../../src/output/views/batch.js';
import { reportList } from '../../src/output/views/batch-report.js';
import { paymentList } from '../../src/output/views/payment.js';
import { identityFacts } from '../../src/output/views/profiles.js';

async function shown<T>(view: ListView<T>, items: readonly T[], width: number): Promise<string[]> {
  let out = '';
  const context: ViewContext = { terminal: true, width, now: new Date('2026-11-17T09:00:00Z') };
  await renderStream(items, view, {
    context,
    theme: plainTheme,
    options: {},
    write: (text) => (out += text),
    note: () => {},
  });
  return out.trimEnd().split('\n');
}

it('shows a batch in one line, at 60 columns too', async () => {
  const counts = { done: 8, refused: 3, failed: 0, skipped: 0, unknown: 0, pending: 1 };
  const batch = {
    id: '20261117-abcdef',
    action: 'refund',
    profile: 'local-live',
    rows: 12,
    state: 'unsettled',
  };
  const items = [{ ...batch, ...counts }] as unknown as Parameters<
    (typeof batchList.columns)[0]['value']
  >[0][];
  for (const width of [60, 80, 120]) expect(await shown(batchList, items, width)).toHaveLength(2);
});

it('never breaks a time, and leaves it out before it stacks payments', async () => {
  const payment = (paymentId: number) => ({
    paymentId,
    referenceId: 'stuck-capture-failed',
    paymentState: 'ActionRequired',
    amount: 1234.5,
    currency: 'EUR',
    customerId: 'c_ada',
    createdTime: '2026-11-17T07:02:54Z',
  });
  const items = [payment(100_001), payment(100_002), payment(100_003)];
  for (const width of [60, 80, 120]) expect(await shown(paymentList, items, width)).toHaveLength(4);
});

it('gives the reasons in a report of a batch room to be read', async () => {
  const row = {
    line: 2,
    payment: '100001',
    reference: 'inv-2041',
    amount: '120.00',
    currency: 'EUR',
    before: 'Captured',
    after: 'Captured',
    outcome: 'refused',
    why: 'the amount in the file differs from that of the payment',
  };
  const items = [row] as unknown as Parameters<(typeof reportList.columns)[0]['value']>[0][];
  expect((await shown(reportList, items, 80)).length).toBeLessThanOrEqual(4);
});

it('shows where each part of an identity came from in one line, however long the path is', async () => {
  const from = `profile local (/home/somebody/${'folder/'.repeat(8)}config.json)`;
  const items = ['kind', 'app id', 'base url'].map((part) => ({
    part,
    value: 'http://127.0.0.1:4010',
    from,
  }));
  expect(await shown(identityFacts, items, 80)).toHaveLength(4);
});
