import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPlan, openPlan } from '../../batch/run/check-plan.js';
import { createBatches } from '../../batch/rows/batches.js';
import { actedOn } from '../../batch/rows/counts.js';
import { endingOfRun } from '../../batch/run/ending.js';
import { makePlan } from '../../batch/plan/make-plan.js';
import { csvSource } from '../../batch/plan/row-source.js';
import { planHeader, planLines, rowsOfChecked } from '../../batch/plan/plan-file.js';
import { runBatch } from '../../batch/run/run.js';
import { createMarkSent } from '../../batch/plan/sent-before.js';
import { rememberReads } from '../../payments/remember-reads.js';
import { createOwner } from '../../store/owner.js';
import type { Inputs } from '../schema.js';
import type { World } from '../world.js';
import type { StepResult } from './result.js';

/** Plans and applies, as `batch plan` and `batch apply` do. One row at a time, so that every run is the same. */
export async function batchStep(world: World, input: Inputs['batch']): Promise<StepResult> {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-scenario-'));
  try {
    return await planAndApply(world, input, join(folder, 'plan.json'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function planAndApply(world: World, input: Inputs['batch'], path: string): Promise<StepResult> {
  const { desk, database } = world;
  const { store } = database;
  const batches = createBatches(store);
  const identity = await batches.identity();
  await writePlan(world, input, path, identity);
  await openPlan(path, identity.id, { again: input.again ?? false });
  const owner = createOwner();
  const again = input.again ?? false;
  const plan = await checkPlan(path, {
    batches,
    planKey: identity.planKey,
    owner,
    limits: { maxTotal: [] },
    again,
    signal: desk.signal,
  });
  const made = await batches.create(plan, rowsOfChecked(path, identity.planKey, plan), {
    owner,
    operator: 'scenario',
    now: await desk.ledger.now(),
    reason: undefined,
    ticket: undefined,
    again,
  });
  const result = await runBatch({ desk, store, owner, stop: desk.signal, onProgress: () => {} }, made, {
    concurrency: 1,
    wait: input.wait ?? false,
    resend: false,
    lookAgain: false,
    isAlone: true,
  });
  const rows = { ...actedOn(result.counts), leftOut: result.counts.leftOut };
  const told = Object.entries(rows).filter(([, count]) => count > 0);
  return {
    payments: input.rows.map(({ payment }) => String(payment)),
    rows,
    error: endingOfRun(made.id, result),
    summary: told.map(([outcome, count]) => `${count} ${outcome}`).join(', '),
  };
}

async function writePlan(
  { desk, database: { store } }: World,
  { action, rows }: Inputs['batch'],
  path: string,
  { id: ledger, planKey }: { id: string; planKey: string },
): Promise<void> {
  const { app, clock, client, signal } = desk;
  const plan = await makePlan(
    {
      client,
      clock,
      signal,
      markSent: createMarkSent(store, app, action),
      remember: (reads) => rememberReads(store, app, reads, clock.now()),
      onProgress: () => {},
    },
    { action, source: csvSource(csvOf(rows), action), concurrency: 1 },
  );
  try {
    const now = new Date(clock.now());
    const header = planHeader(action, app, { ledger, now, file: plan.format });
    const json = (value: unknown) => JSON.stringify(value);
    await writeFile(path, planLines(header, plan.rowsInOrder(), plan, { key: planKey, json }));
  } finally {
    await plan.close();
  }
}

async function* csvOf(rows: Inputs['batch']['rows']): AsyncGenerator<Uint8Array> {
  const columns = (['payment', 'amount', 'currency'] as const).filter((column) =>
    rows.some((row) => row[column] !== undefined),
  );
  const cell = (value: string | number = '') => `"${String(value).replaceAll('"', '""')}"`;
  const lines = [
    columns.join(','),
    ...rows.map((row) => columns.map((column) => cell(row[column])).join(',')),
  ];
  yield new TextEncoder().encode(`${lines.join('\n')}\n`);
}
