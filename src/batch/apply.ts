// From a plan file to a batch: it must be for this app and ledger, as it was written, within its limits, and new.

import { toHundredths } from '../contract/money.js';
import { GuardError } from '../errors.js';
import type { Batches } from './batches.js';
import type { Owner } from '../store/owner.js';
import { type PlanFile, type PlanHeader, readPlanHeader, readPlanRows } from './plan-file.js';

export interface Limits {
  /** The largest sums by currency; with any, a currency without one is refused. */
  maxTotal: ReadonlyArray<{ currency: string; amount: string }>;
  maxRows?: number | undefined;
}

/** What the plan is for, refused when that is another ledger. */
export async function openPlan(path: string, ledgerId: string): Promise<PlanHeader> {
  const header = await readPlanHeader(path);
  if (header.ledger === ledgerId) return header;
  throw new GuardError(
    `${path} was made on another ledger, which alone knows what was sent already. Nothing was sent.`,
    {
      code: 'other-ledger',
      next: ['paydesk batch plan FILE.csv --action … --out PLAN.json', 'paydesk doctor'],
    },
  );
}

/** Reads all of it: refused when it was edited, applied before or too large. */
export async function checkPlan(
  path: string,
  { batches, planKey, owner, limits, signal }: CheckOptions,
): Promise<PlanFile> {
  const rows = readPlanRows(path, planKey);
  let step = await rows.next();
  while (!step.done) {
    signal.throwIfAborted();
    step = await rows.next();
  }
  const plan = step.value;
  await batches.refuseApplied(plan, owner);
  checkLimits(plan, limits);
  return plan;
}

interface CheckOptions {
  batches: Batches;
  planKey: string;
  owner: Owner;
  limits: Limits;
  signal: AbortSignal;
}

export function checkLimits({ counts, totals }: PlanFile, { maxTotal, maxRows }: Limits): void {
  const over: string[] = [];
  if (maxRows !== undefined && counts.act > maxRows) {
    over.push(`it acts on ${counts.act} rows, and --max-rows is ${maxRows}`);
  }
  for (const [currency, total] of maxTotal.length === 0 ? [] : Object.entries(totals)) {
    const limit = maxTotal.find((each) => each.currency === currency);
    if (limit === undefined) {
      over.push(`it moves ${currency} ${total}, and no --max-total is given for ${currency}`);
    } else if (toHundredths(total) > toHundredths(limit.amount)) {
      over.push(`it moves ${currency} ${total}, and --max-total is ${currency} ${limit.amount}`);
    }
  }
  if (over.length === 0) return;
  throw new GuardError(`The plan is larger than it may be: ${over.join('; ')}. Nothing was sent.`, {
    code: 'limit-exceeded',
  });
}
