import { mapConcurrent } from '../concurrency.js';
import type { Client } from '../client/client.js';
import { ServiceError, TemporaryError } from '../errors.js';
import { readPlanRows } from './plan-file.js';
import { findByReference } from '../payments/create-payment.js';
import type { BatchAction, PlanRow } from './plan-row.js';

export interface DryRun {
  /** Rows that would be sent now. */
  wouldSend: number;
  /** Rows whose payment is not as the plan saw it. */
  changed: number;
  unreadable: number;
}

interface DryRunOptions {
  planKey: string;
  action: BatchAction;
  /** Rows that failed before would be sent again. */
  again: boolean;
  concurrency: number;
  signal: AbortSignal;
}

/** Reads every payment again that the plan acts on, and sends nothing. */
export async function dryRun(
  client: Client,
  path: string,
  { planKey, action, again, concurrency, signal }: DryRunOptions,
): Promise<DryRun> {
  const result: DryRun = { wouldSend: 0, changed: 0, unreadable: 0 };
  await mapConcurrent(readPlanRows(path, planKey), concurrency, async (row) => {
    signal.throwIfAborted();
    const acts = row.verdict === 'act' || (again && row.verdict === 'failed-before');
    if (acts) result[await look(client, action, row)] += 1;
  });
  return result;
}

async function look(client: Client, action: BatchAction, row: PlanRow): Promise<keyof DryRun> {
  try {
    if (action === 'charge') return (await findByReference(client, row.typed)) ? 'changed' : 'wouldSend';
    const { fields } = await client.getPayment({ paymentId: row.payment ?? '' });
    return fields.paymentState === row.state ? 'wouldSend' : 'changed';
  } catch (error) {
    if (error instanceof ServiceError || error instanceof TemporaryError) return 'unreadable';
    throw error;
  }
}
