import { mapConcurrent } from '../../concurrency.js';
import type { Client } from '../../client/client.js';
import { createTotals } from '../../contract/totals.js';
import { ServiceError, TemporaryError } from '../../errors.js';
import { readPlanRows } from '../plan/plan-file.js';
import { findByReference } from '../../payments/send-create.js';
import { type BatchAction, isSent, type PlanRow } from '../plan/plan-row.js';
import { changeSincePlan } from './change-since-plan.js';
import type { MarkSent } from '../plan/sent-before.js';
import { firstRows } from '../../spreadsheet/problems.js';

export interface DryRun {
  /** Rows that would be sent now. */
  wouldSend: number;
  /** Of those, by currency, as exact decimals; empty for a recheck, which moves no money. */
  totals: Record<string, string>;
  /** How many of them have no amount that can be added, so that the totals do not include them. */
  withoutAmount: number;
  /** The first of them. */
  first: PlanRow[];
  /** Rows that were sent before and whose outcome would be checked. */
  wouldCheck: number;
  /** Rows whose payment is not as the plan saw it. */
  changed: number;
  /** Rows that the ledger has as done, and whose payment does not show it. */
  conflicts: number;
  unreadable: number;
}

interface DryRunOptions {
  planKey: string;
  action: BatchAction;
  /** Rows that failed before would be sent again. */
  again: boolean;
  markSent: MarkSent;
  concurrency: number;
  signal: AbortSignal;
}

/** Reads every payment again that the plan acts on, and sends nothing. */
export async function dryRun(client: Client, path: string, options: DryRunOptions): Promise<DryRun> {
  const { planKey, action, again, concurrency, signal } = options;
  const counts = { wouldSend: 0, wouldCheck: 0, changed: 0, conflicts: 0, unreadable: 0 };
  const totals = createTotals();
  let first: PlanRow[] = [];
  await mapConcurrent(readPlanRows(path, planKey), concurrency, async (row) => {
    signal.throwIfAborted();
    if (row.verdict === 'check') counts.wouldCheck += 1;
    if (row.verdict === 'conflict' && action !== 'charge') counts.conflicts += 1;
    if (!isSent(row, again)) return;
    const found = await look(client, options, row);
    counts[found] += 1;
    if (found !== 'wouldSend') return;
    if (action !== 'recheck') totals.add(row.amount, row.currency);
    // The reads end in any order.
    first = firstRows([...first, row]);
  });
  return { ...counts, totals: totals.sums(), withoutAmount: totals.withoutAmount(), first };
}

async function look(
  client: Client,
  { action, markSent }: DryRunOptions,
  row: PlanRow,
): Promise<'wouldSend' | 'wouldCheck' | 'changed' | 'conflicts' | 'unreadable'> {
  try {
    if (action === 'charge') return (await findByReference(client, row.typed)) ? 'changed' : 'wouldSend';
    const read = await client.getPayment({ paymentId: row.payment ?? '' });
    // Whatever a payment shows by now, its provider can be asked.
    if (action === 'recheck') return 'wouldSend';
    if (changeSincePlan(asPlanned(row), action, read) !== undefined) return 'changed';
    // Something may have been sent since the plan was made.
    const [now] = await markSent([row]);
    return now?.verdict === 'conflict' ? 'conflicts' : now?.verdict === 'check' ? 'wouldCheck' : 'wouldSend';
  } catch (error) {
    if (error instanceof ServiceError || error instanceof TemporaryError) return 'unreadable';
    throw error;
  }
}

const asPlanned = ({ reference, state = '', amount = '', currency = '' }: PlanRow) => ({
  reference: reference ?? null,
  state,
  amount,
  currency,
});
