// A batch plan for the exceptions whose next step moves money, made by the same code as `batch plan`.

import { open, realpath, rm, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { type SourceRow, MAX_NOTE_LENGTH } from '../batch/plan/csv-rows.js';
import { PLAN_START } from '../batch/plan/plan-file.js';
import { batchActions, type PaymentAction, type PlanRow } from '../batch/plan/plan-row.js';
import { rowsSource } from '../batch/plan/row-source.js';
import type { Client } from '../client/client.js';
import { UsageError } from '../errors.js';
import { fileProblem, isSystemError } from '../file-problem.js';
import type { DeskTables } from '../ledger/schema.js';
import { writeOutputFile } from '../output/file.js';
import type { WrittenPlan, WrittenPlans } from '../output/views/reconciled.js';
import type { KnownProfile } from '../profiles/resolve.js';
import type { Exception } from '../reconcile/exception.js';
import { MAX_NAMED } from '../spreadsheet/problems.js';
import type { Store } from '../store/store.js';
import { planBatch, type PlannedBatch } from './batch-plan.js';
import type { CommandContext } from './runtime/context.js';

interface PlanRequest {
  client: Client;
  profile: KnownProfile;
  store: Store<DeskTables>;
  concurrency: number;
  /** The file that was reconciled, for the reason of each row. */
  file: string;
  out: string;
  exceptions: () => AsyncIterable<Exception>;
}

/** One plan for each action, because a plan does one thing. Several have the action in their names. */
export async function planExceptions(context: CommandContext, request: PlanRequest): Promise<WrittenPlans> {
  const actions = new Set<PaymentAction>();
  for await (const { next } of request.exceptions()) {
    if (next?.movesMoney === true) actions.add(actionIn(next.operation));
  }
  const written: WrittenPlan[] = [];
  for (const action of [...actions].toSorted()) {
    const file = actions.size === 1 ? request.out : withAction(request.out, action);
    written.push(await writePlan(context, { ...request, out: file }, action));
  }
  const isReplaced = written.some(({ file }) => file === request.out);
  return {
    out: request.out,
    written,
    earlier: isReplaced ? undefined : await removeEarlierPlan(request.out),
  };
}

/** Otherwise somebody applies the plan of another day. Undefined where there is no file. */
async function removeEarlierPlan(file: string): Promise<WrittenPlans['earlier']> {
  try {
    const real = await realpath(file);
    if (!(await stat(real)).isFile()) return undefined;
    if (!(await isPlan(real))) return 'not-a-plan';
    await rm(real);
    return 'removed';
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw new UsageError(
      `${file} may be the plan of an earlier run, and cannot be removed: ${fileProblem(error)}. Do not apply it.`,
      { code: 'bad-file', cause: error },
    );
  }
}

async function isPlan(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(PLAN_START.length));
    return buffer.toString('utf8', 0, bytesRead) === PLAN_START;
  } finally {
    await handle.close();
  }
}

function actionIn(operation: string): PaymentAction {
  const action = batchActions.find((each) => each === operation);
  if (action === undefined || action === 'charge') throw new Error(`no batch does ${operation}`);
  return action;
}

const withAction = (file: string, action: string): string => {
  const extension = extname(file);
  return `${file.slice(0, file.length - extension.length)}-${action}${extension}`;
};

async function writePlan(
  context: CommandContext,
  request: PlanRequest,
  action: PaymentAction,
): Promise<WrittenPlan> {
  const { concurrency, out } = request;
  const source = rowsSource(planRows(request, action));
  const plan = await planBatch(context, request, { action, source, concurrency });
  try {
    await writeOutputFile(out, plan.lines(), { signal: context.signal });
    const { act: toSend, check: toCheck, 'failed-before': failedBefore } = plan.counts;
    const { failedTotals } = plan;
    const notSent = { notSent: plan.rows - toSend, firstNotSent: await notSentOf(plan) };
    return { file: out, action, toSend, toCheck, ...notSent, failedBefore, failedTotals };
  } finally {
    await plan.close();
  }
}

/** The first rows that are planned and not sent. */
async function notSentOf({ rowsInOrder }: PlannedBatch): Promise<PlanRow[]> {
  const first: PlanRow[] = [];
  for await (const row of rowsInOrder()) {
    if (row.verdict !== 'act' && first.push(row) >= MAX_NAMED) break;
  }
  return first;
}

/** Each payment once. The lines count as in a CSV with a header, where the first row is on line 2. */
async function* planRows(
  { file, exceptions }: PlanRequest,
  action: PaymentAction,
): AsyncGenerator<SourceRow> {
  const seen = new Set<string>();
  for await (const { next, payment, serviceAmount, serviceCurrency, line, exception } of exceptions()) {
    if (next?.movesMoney !== true || next.operation !== action || payment === null || seen.has(payment))
      continue;
    seen.add(payment);
    const place = line === null ? '' : ` line ${line}`;
    yield {
      line: seen.size + 1,
      typed: `id:${payment}`,
      amount: serviceAmount ?? undefined,
      currency: serviceCurrency ?? undefined,
      reason: `reconcile ${file}${place}: ${exception}`.slice(0, MAX_NOTE_LENGTH),
    };
  }
}
