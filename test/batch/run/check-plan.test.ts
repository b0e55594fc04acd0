import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { planHeader, planLines } from '../../../src/batch/plan/plan-file.js';
import { type PlanRow, type PlanSummary, verdicts } from '../../../src/batch/plan/plan-row.js';
import { createBatches } from '../../../src/batch/rows/batches.js';
import { checkPlan } from '../../../src/batch/run/check-plan.js';
import { openDeskDatabase } from '../../../src/ledger/database.js';
import { createOwner } from '../../../src/store/owner.js';
import { temporaryHome } from '../../helpers/desk.js';

const app = { baseUrl: 'https://pay.example', appId: '7f31c2', kind: 'live', profile: undefined } as const;
const file = { separator: 'comma', decimalMark: null, ignoredColumns: [], headerLine: 1 };
const row = (line: number, verdict: PlanRow['verdict'], amount: string): PlanRow => ({
  line,
  typed: String(line),
  payment: String(line),
  verdict,
  amount,
  currency: 'EUR',
});

it('holds a plan to its limits by its rows, whatever totals the file states', async () => {
  const { store, close } = await openDeskDatabase({ location: ':memory:', operator: 'op@desk' });
  const batches = createBatches(store);
  const { id: ledger, planKey } = await batches.identity();
  const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as PlanSummary['counts'];
  async function* rows() {
    yield row(2, 'act', '49.900');
    yield row(3, 'failed-before', '49.900');
    yield row(4, 'done', '49.900');
  }
  const path = join(temporaryHome(), 'plan.json');
  const header = planHeader('refund', app, { ledger, now: new Date(), file });
  const stated = {
    rows: 3,
    counts: { ...counts, act: 1, 'failed-before': 1, done: 1 },
    totals: {},
    failedTotals: {},
  };
  await writeFile(path, planLines(header, rows(), stated, { key: planKey, json: JSON.stringify }));
  const check = (again: boolean, amount: string) =>
    checkPlan(path, {
      batches,
      planKey,
      owner: createOwner(),
      limits: { maxTotal: [{ currency: 'EUR', amount }] },
      again,
      signal: new AbortController().signal,
    });
  expect((await check(false, '49.90')).toSend).toEqual({
    rows: 1,
    totals: { EUR: '49.90' },
    withoutAmount: 0,
  });
  expect((await check(true, '99.80')).toSend).toEqual({
    rows: 2,
    totals: { EUR: '99.80' },
    withoutAmount: 0,
  });
  await expect(check(true, '99.79')).rejects.toMatchObject({ code: 'limit-exceeded' });
  await close();
});
