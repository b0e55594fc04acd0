import { expect, it } from 'vitest';
import { leftToSend } from '../../../src/batch/rows/counts.js';
import { PLANNED_AGAIN, PLANNED_CHECK } from '../../../src/batch/rows/loading.js';
import type { BatchRow } from '../../../src/ledger/schema.js';

const row = (outcome: BatchRow['outcome'], planned: number) =>
  ({ outcome, planned, amount: '10.10', currency: 'EUR' }) as BatchRow;

it('counts what may still be sent, and not what is only checked', async () => {
  async function* rows() {
    yield row(null, 1);
    yield row('throttled', 1);
    yield row('unsent', PLANNED_AGAIN);
    yield row('unknown', 1);
    yield row('done', 1);
    yield row(null, PLANNED_CHECK);
    yield row('unknown', PLANNED_CHECK);
  }
  expect(await leftToSend(rows(), false)).toEqual({ count: 3, totals: { EUR: '30.30' } });
  expect(await leftToSend(rows(), true)).toEqual({ count: 4, totals: { EUR: '40.40' } });
});
