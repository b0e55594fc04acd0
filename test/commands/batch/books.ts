import { expect } from 'vitest';
import Report from '../../../src/commands/batch/report.js';
import Resume from '../../../src/commands/batch/resume.js';
import { toldOf } from './batches.js';
import type { ProcessDesk } from './processes.js';

/**
 * What the provider was told against what the batch says, row by row: done is told once, and what is unknown
 * because its process was killed before it sent anything was never told. Nothing is told twice, and running the
 * batch again changes nothing.
 */
export async function checkBooks({
  inThisProcess,
  status,
  sandbox,
  payments,
}: ProcessDesk): Promise<{ unknown: number }> {
  const { id, rows, done, unknown, pending, refused, skipped } = await status();
  expect({ rows: Number(rows), pending, refused, skipped }).toEqual({
    rows: payments.length,
    pending: 0,
    refused: 0,
    skipped: 0,
  });
  expect(Number(done) + Number(unknown)).toBe(payments.length);
  const told = await toldOf(sandbox, payments, 'refund');
  const { json: report } = await inThisProcess(Report, id as string, '--json');
  const outcomes = new Map(report.rows!.map((row) => [String(row.payment), row.outcome as string]));
  const wrong = payments.filter(({ paymentId }, index) => {
    const isDone = ['done', 'accepted'].includes(outcomes.get(String(paymentId)) ?? '');
    return told[index] !== (isDone ? 1 : 0);
  });
  expect(wrong).toEqual([]);
  await inThisProcess(Resume, id as string, '--concurrency', '32');
  expect(await toldOf(sandbox, payments, 'refund')).toEqual(told);
  return { unknown: Number(unknown) };
}
