// What batch apply does with a plan before anything is recorded or sent: opens it, checks it and has it confirmed.

import { type CheckedPlan, checkPlan, openPlan } from '../batch/run/check-plan.js';
import { createBatches } from '../batch/rows/batches.js';
import { GuardError } from '../errors.js';
import { addWords } from '../next-command.js';
import { applyQuestion, leftOutText } from '../output/views/batch-plan.js';
import { createOwner } from '../store/owner.js';
import { confirmBatch, openBatchDatabase, openBatchDesk } from './batch.js';
import type { CommandContext } from './runtime/context.js';

type ApplyFlags = Parameters<typeof openBatchDesk>[3] &
  Parameters<typeof applyQuestion>[1] & {
    'max-total'?: Array<{ currency: string; amount: string }> | undefined;
    'max-rows'?: number | undefined;
  };

export type PlanToApply = Awaited<ReturnType<typeof openPlanToApply>>;

export async function openPlanToApply(context: CommandContext, file: string, flags: ApplyFlags) {
  const database = await openBatchDatabase(context);
  const batches = createBatches(database.store);
  const owner = createOwner();
  const { id: ledgerId, planKey } = await batches.identity();
  const header = await openPlan(file, ledgerId, flags);
  const { desk, profile } = await openBatchDesk(context, database, header, flags);
  const plan = await checkPlan(file, {
    batches,
    planKey,
    owner,
    limits: { maxTotal: flags['max-total'] ?? [], maxRows: flags['max-rows'] },
    again: flags.again,
    signal: context.signal,
  });
  if (!flags['dry-run']) refuseIdlePlan(context, file, plan);
  await confirmBatch(context, database, profile, { ...flags, lines: applyQuestion(plan, flags) });
  return { file, plan, planKey, batches, database, owner, desk, profile };
}

/** Refuses a plan that would send something with `--again` alone, before it becomes a batch and can be applied no more. */
function refuseIdlePlan(
  { typed }: CommandContext,
  file: string,
  { header, counts, toSend }: CheckedPlan,
): void {
  // Rows that failed before are among those to send where --again was given.
  const isForAgain = counts['failed-before'] > 0 && header.action !== 'charge';
  if (toSend.rows + counts.check > 0 || !isForAgain) return;
  throw new GuardError(
    `${file} would send nothing. Left out: ${leftOutText(counts)}. Nothing was sent, and no batch was recorded. To send again what failed before, add --again.`,
    { code: 'nothing-to-send', next: [addWords(typed, '--again')] },
  );
}
