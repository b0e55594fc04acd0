import { expect, it } from 'vitest';
import { countRows, createTally, leftToSend } from '../../../src/batch/rows/counts.js';
import { PLANNED_AGAIN, PLANNED_CHECK } from '../../../src/ledger/schema.js';
import { openDeskDatabase } from '../../../src/ledger/database.js';
import type { BatchRecord, BatchRow } from '../../../src/ledger/schema.js';
import { describeWithPostgres } from '../../helpers/postgres.js';

const row = (outcome: BatchRow['outcome'], planned: number, amount = '10.10') =>
  ({ outcome, planned, amount, currency: 'EUR' }) as BatchRow;

it('counts what may still be sent, and not what is only checked', async () => {
  async function* rows() {
    yield row(null, 1);
    yield row('throttled', 1);
    yield row('unsent', PLANNED_AGAIN);
    yield row('unknown', 1);
    yield row('done', 1);
    yield row(null, PLANNED_CHECK);
    yield row('unknown', PLANNED_CHECK);
    yield row(null, 1, '');
  }
  expect(await leftToSend(rows(), 'refund', { withUnknown: false })).toEqual({
    rows: 4,
    totals: { EUR: '30.30' },
    withoutAmount: 1,
  });
  expect(await leftToSend(rows(), 'refund', { withUnknown: true })).toEqual({
    rows: 5,
    totals: { EUR: '40.40' },
    withoutAmount: 1,
  });
  expect(await leftToSend(rows(), 'recheck', { withUnknown: true })).toEqual({
    rows: 5,
    totals: {},
    withoutAmount: 0,
  });
});

/** Amounts as services write them, and some that no sum can include. */
const amounts = [
  ['EUR', '10'],
  ['EUR', '10.5'],
  ['EUR', '10.50'],
  ['EUR', '49.900'],
  ['EUR', '0.00000000000000001'],
  ['EUR', '0.00000000000000001'],
  ['EUR', '99999999999999999999.99'],
  ['EUR', '1.5e1'],
  ['KWD', '1.234'],
  ['KWD', '1.234'],
  ['KWD', '1000000000.000'],
  ['KWD', '1000000000.000'],
  ...['', '.', '.5', '5.', '1..2', '1.2.3', '1e99', '-5.00', 'ten'].map((amount) => ['EUR', amount]),
];
const sums = { EUR: '100000000000000000095.89000000000000002', KWD: '2000000002.468' };

async function checkSums(location: string): Promise<void> {
  const { store, close } = await openDeskDatabase({ location, operator: 'op@desk' });
  const batch = { id: 'b1', action: 'refund', rows: amounts.length } as BatchRecord;
  await store.transaction((tx) =>
    tx
      .insertInto('batch_rows')
      .values(
        amounts.map(([currency = '', amount = ''], index) => ({
          batch_id: batch.id,
          line: index + 2,
          typed: String(index),
          planned: 1,
          payment_id: String(index),
          amount,
          currency,
          before_state: 'Captured',
          due_time: 0,
          tries: 0,
          outcome: 'done' as const,
          finished: 1,
        })),
      )
      .execute(),
  );
  const tally = createTally(batch);
  const before = await countRows(store, batch, tally);
  expect([before.done, before.totals.done, before.screenTotals.done]).toEqual([amounts.length, sums, sums]);
  // What a run moves from one group to another is in the sum of that group, and in no other.
  for (const each of await store.db.selectFrom('batch_rows').selectAll().execute())
    tally.move(each, { outcome: 'failed' });
  const after = tally.counts();
  expect([after.done, after.totals.done, after.screenTotals.done]).toEqual([0, {}, {}]);
  expect([after.failed, after.totals.failed, after.screenTotals.failed]).toEqual([
    amounts.length,
    sums,
    sums,
  ]);
  await close();
}

it('has exact sums of amounts with any number of decimals', () => checkSums(':memory:'));

describeWithPostgres('on PostgreSQL', (postgres) => {
  it('has the same sums', async () => checkSums(await postgres().createDatabase()));
});
