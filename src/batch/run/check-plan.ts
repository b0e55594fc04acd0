// From a plan file to a batch: the plan must be for this app and ledger, unchanged, within the limits, and not yet applied.

import { paydesk } from '../../next-command.js';
import { counted, formatAmount } from '../../contract/amount-format.js';
import { isLarger } from '../../contract/exact.js';
import { createTotals } from '../../contract/totals.js';
import { GuardError, UsageError } from '../../errors.js';
import type { Batches } from '../rows/batches.js';
import type { Owner } from '../../store/owner.js';
import {
  PLAN_COMMAND,
  type PlanFile,
  type PlanHeader,
  readPlanHeader,
  readPlanRows,
} from '../plan/plan-file.js';
import { isSent, type ToSend } from '../plan/plan-row.js';

interface Limits {
  /** The largest sums by currency; once there is one, a currency without a limit is refused. */
  maxTotal: ReadonlyArray<{ currency: string; amount: string }>;
  maxRows?: number | undefined;
}

/** What the plan is for; one of another ledger is refused. */
export async function openPlan(
  path: string,
  ledgerId: string,
  { again }: { again: boolean },
): Promise<PlanHeader> {
  const header = await readPlanHeader(path);
  if (again && header.action === 'charge') {
    throw new UsageError(
      '--again does not apply to charges: a new attempt needs a new reference. Nothing was sent.',
      { code: 'usage', saysNothingSent: true, next: [paydesk('batch', 'report', 'ID', '--not-done')] },
    );
  }
  if (header.ledger === ledgerId) return header;
  throw new GuardError(
    `${path} was made with another ledger, and only that one knows what was already sent. Nothing was sent.`,
    {
      code: 'other-ledger',
      next: [PLAN_COMMAND, paydesk('doctor')],
    },
  );
}

/** Reads the whole plan, and refuses one that was edited, applied before or is over a limit. */
export async function checkPlan(
  path: string,
  { batches, planKey, owner, limits, again, signal }: CheckOptions,
): Promise<CheckedPlan> {
  const rows = readPlanRows(path, planKey);
  const totals = createTotals();
  let count = 0;
  let step = await rows.next();
  for (; !step.done; step = await rows.next()) {
    signal.throwIfAborted();
    if (!isSent(step.value, again)) continue;
    count += 1;
    totals.add(step.value.amount, step.value.currency);
  }
  const plan = step.value;
  await batches.refuseApplied(plan, owner);
  const { sums, withoutAmount } = plan.header.action === 'recheck' ? createTotals() : totals;
  const toSend = { rows: count, totals: sums(), withoutAmount: withoutAmount() };
  checkLimits(toSend, limits);
  return { ...plan, toSend };
}

export interface CheckedPlan extends PlanFile {
  /** Added up from the rows as they are read. */
  toSend: ToSend;
}

interface CheckOptions {
  batches: Batches;
  planKey: string;
  owner: Owner;
  limits: Limits;
  /** Rows that failed before are sent again. */
  again: boolean;
  signal: AbortSignal;
}

function checkLimits(toSend: ToSend, limits: Limits): void {
  const over = overLimits(toSend, limits);
  const problems = over.length === 0 ? [] : [`The plan is over its limits: ${over.join('; ')}.`];
  let advice = '';
  if (limits.maxTotal.length > 0 && toSend.withoutAmount > 0) {
    const [have, those] = toSend.withoutAmount === 1 ? ['has', 'that row'] : ['have', 'those rows'];
    const rows = counted(toSend.withoutAmount, 'row');
    problems.push(`${rows} ${have} no usable amount, so the total is not known, and --max-total needs it.`);
    advice = ` Plan again without ${those}, or apply the plan without --max-total.`;
  }
  if (problems.length === 0) return;
  throw new GuardError(`${problems.join(' ')} Nothing was sent.${advice}`, { code: 'limit-exceeded' });
}

function overLimits({ rows, totals }: ToSend, { maxTotal, maxRows }: Limits): string[] {
  const over: string[] = [];
  if (maxRows !== undefined && rows > maxRows) {
    over.push(`it acts on ${counted(rows, 'row')}, and --max-rows is ${maxRows}`);
  }
  for (const [currency, total] of maxTotal.length === 0 ? [] : Object.entries(totals)) {
    const limit = maxTotal.find((each) => each.currency === currency);
    if (currency === '') {
      over.push(`it moves ${total} on rows without a currency, and --max-total needs one on each row`);
    } else if (limit === undefined) {
      over.push(`it moves ${formatAmount(total, currency)}, and there is no --max-total for ${currency}`);
    } else if (isLarger(total, limit.amount)) {
      const [moved, allowed] = [total, limit.amount].map((amount) => formatAmount(amount, currency));
      over.push(`it moves ${moved}, and --max-total is ${allowed}`);
    }
  }
  return over;
}
