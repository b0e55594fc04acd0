// A batch plan, for the CSV of `batch plan` and for the exceptions of `reconcile`.

import { createBatches } from '../batch/rows/batches.js';
import { makePlan } from '../batch/plan/make-plan.js';
import { planHeader, planLines } from '../batch/plan/plan-file.js';
import type { BatchAction } from '../batch/plan/plan-row.js';
import type { RowSource } from '../batch/plan/row-source.js';
import { createMarkSent } from '../batch/plan/sent-before.js';
import type { Client } from '../client/client.js';
import { systemClock } from '../client/clock.js';
import { UsageError } from '../errors.js';
import type { DeskTables } from '../ledger/schema.js';
import { namesStdout } from '../output/file.js';
import { createProgressWriter, createRate, readingLine } from '../output/views/batch-progress.js';
import { safeJson } from '../output/text.js';
import { rememberReads } from '../payments/remember-reads.js';
import type { KnownProfile } from '../profiles/resolve.js';
import type { Store } from '../store/store.js';
import { refuseOverwriting } from './files/output-targets.js';
import type { CommandContext } from './runtime/context.js';

interface PlanDesk {
  client: Client;
  profile: KnownProfile;
  store: Store<DeskTables>;
}

interface PlanInput {
  action: BatchAction;
  source: RowSource;
  concurrency: number;
  /** Shows on stderr how many rows were read. */
  showsProgress?: boolean;
}

/** Refuses to save the plan over its CSV, or to stdout together with another format. */
export async function checkPlanOutput(
  file: string,
  { out, format }: { out?: string | undefined; format?: string | undefined },
): Promise<void> {
  if (out !== undefined && namesStdout(out) && format !== undefined) {
    throw new UsageError('--out and --format both write to stdout; choose one.', { code: 'usage' });
  }
  await refuseOverwriting({ out }, [{ name: file, what: 'the CSV to plan' }]);
}

export type PlannedBatch = Awaited<ReturnType<typeof makePlan>> & {
  /** The lines of the plan file: for this app, and sealed with the key of this ledger. */
  lines(): AsyncGenerator<string>;
};

export async function planBatch(
  context: CommandContext,
  { client, profile, store }: PlanDesk,
  { action, source, concurrency, showsProgress = false }: PlanInput,
): Promise<PlannedBatch> {
  const ledger = await createBatches(store).identity();
  const progress = showsProgress ? createReadingProgress(context, action) : undefined;
  const plan = await makePlan(
    {
      client,
      clock: systemClock,
      signal: context.signal,
      markSent: createMarkSent(store, profile, action),
      remember: (reads) => rememberReads(store, profile, reads, Date.now()),
      onProgress: (done, total) => progress?.update(done, total),
      profile: context.profileName,
    },
    { action, source, concurrency },
  ).finally(() => progress?.end());
  const { baseUrl, appId, kind, name } = profile;
  const header = planHeader(
    action,
    { baseUrl, appId, kind, profile: name },
    { ledger: ledger.id, now: context.now(), file: plan.format },
  );
  return {
    ...plan,
    lines: () => planLines(header, plan.rowsInOrder(), plan, { key: ledger.planKey, json: safeJson }),
  };
}

function createReadingProgress({ streams }: CommandContext, action: BatchAction) {
  const progress = createProgressWriter(streams);
  const rate = createRate(Date.now);
  const one = action === 'charge' ? 'charge' : 'payment';
  return {
    update: (done: number, total: number) =>
      progress.update((width) => [readingLine({ done, total, one }, rate(done), width)]),
    end: () => progress.end(),
  };
}
