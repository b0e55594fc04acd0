import { describe, expect, it } from 'vitest';
import { type PlanFile, planHeader } from '../../src/batch/plan/plan-file.js';
import { verdicts } from '../../src/batch/plan/plan-row.js';
import { type Line, renderLines } from '../../src/output/lines.js';
import { plainTheme } from '../../src/output/theme.js';
import { applyQuestion } from '../../src/output/views/batch-plan.js';

const text = (lines: Line[]) => renderLines(lines, plainTheme);

const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as PlanFile['counts'];
const app = { baseUrl: 'https://pay.example', appId: '7f31c2', kind: 'live', profile: undefined } as const;
const file = { separator: 'comma', decimalMark: null, ignoredColumns: [] };
const plan: PlanFile = {
  header: planHeader('refund', app, { ledger: 'l1', now: new Date(), file }),
  rows: 2,
  counts: { ...counts, act: 2 },
  totals: { EUR: '21.00' },
  failedTotals: {},
  digest: '',
};

describe('the question before a plan is applied', () => {
  it.each([
    [{ reason: 'recall', ticket: 'T-1932' }, 'Reason: recall, T-1932\n'],
    [{ reason: 'recall' }, 'Reason: recall\n'],
    [{ ticket: 'T-1932' }, 'Ticket: T-1932\n'],
    [{}, ''],
  ])('with %j', (why, line) => {
    expect(text(applyQuestion(plan, { ...why, again: false }))).toBe(
      `Refund 2 payments, EUR 21.00 in total?\n${line}`,
    );
  });
});
