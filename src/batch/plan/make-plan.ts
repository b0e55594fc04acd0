// A plan: the payment of every row is read and checked, and nothing is changed.

import { paydesk, stepWithProfile } from '../../next-command.js';
import type { Client } from '../../client/client.js';
import type { Clock } from '../../client/clock.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import { createTotals } from '../../contract/totals.js';
import { type PaydeskError, TemporaryError } from '../../errors.js';
import { createFileProblems, type FileProblems, firstRows } from '../../spreadsheet/problems.js';
import type { SheetEnd, SheetFormat } from '../../spreadsheet/sheet.js';
import { type SourceRow, readAmount } from './csv-rows.js';
import { createLook, type RowLook } from './look.js';
import { createPace } from '../../pace/pace.js';
import {
  type Assessment,
  type BatchAction,
  type PlanRow,
  type PlanSummary,
  type RowVerdict,
  verdicts,
} from './plan-row.js';
import { createOutage } from '../../pace/paced-reads.js';
import type { RowSource } from './row-source.js';
import type { MarkSent } from './sent-before.js';
import { openStaging, type Staging } from './staging.js';

interface PlanTools {
  client: Client;
  clock: Clock;
  signal: AbortSignal;
  markSent: MarkSent;
  /** Makes the payments known that were read. */
  remember: (reads: readonly PaymentRead[]) => Promise<void>;
  /** Called after every read. */
  onProgress: (done: number, total: number) => void;
  /** `--profile` as given, for the commands. */
  profile?: string | undefined;
}

interface MadePlan extends PlanSummary {
  /** How the file was read. */
  format: SheetFormat;
  /** Short reasons, a few for each verdict. */
  notes: Partial<Record<RowVerdict, string[]>>;
  /** The lines of the first rows that are done already. */
  doneLines: number[];
  /** How many rows that are acted on have no amount that can be added, so that the totals do not include them. */
  withoutAmount: number;
  rowsInOrder(): AsyncIterable<PlanRow>;
  /** The first rows that are neither acted on nor done already. */
  leftOut(limit: number): Promise<PlanRow[]>;
  close(): Promise<void>;
}

const CHUNK_SIZE = 500;

/** Refuses rows that cannot be used before anything is read from the service. */
export async function makePlan(
  tools: PlanTools,
  request: { action: BatchAction; source: RowSource; concurrency: number },
): Promise<MadePlan> {
  const staging = await openStaging();
  try {
    const { total, format } = await stage(staging, request);
    const summary = await readAll(tools, staging, { ...request, total });
    await refuseRepeated(staging, 'payment_id');
    return {
      ...summary,
      format,
      rowsInOrder: () => staging.planned(),
      leftOut: (limit) => staging.leftOut(limit),
      close: () => staging.close(),
    };
  } catch (error) {
    await staging.close();
    throw error;
  }
}

async function stage(
  staging: Staging,
  { source, action }: { source: RowSource; action: BatchAction },
): Promise<{ total: number; format: SheetFormat }> {
  const problems = createFileProblems();
  const rows = source(problems);
  let total = 0;
  let chunk: SourceRow[] = [];
  let step = await rows.next();
  for (; !step.done; step = await rows.next()) {
    total += 1;
    chunk.push(step.value);
    if (chunk.length < CHUNK_SIZE) continue;
    await staging.add(chunk);
    chunk = [];
  }
  await staging.add(chunk);
  const { format, readAmount: read } = step.value;
  if (read !== undefined) await readAmounts(staging, read, problems);
  await refuseRepeated(staging, action === 'charge' ? 'reference' : 'typed', problems);
  return { total, format };
}

/** The whole file says what its amounts mean, so they are read once all of it is staged. */
async function readAmounts(
  staging: Staging,
  read: SheetEnd['readAmount'],
  problems: FileProblems,
): Promise<void> {
  for await (const page of staging.pages()) {
    const changed = page.flatMap((row) => {
      if (row.amount === undefined) return [];
      const amount = readAmount(row, read, problems);
      return amount === undefined || amount === row.amount ? [] : [{ ...row, amount }];
    });
    if (changed.length > 0) await staging.replace(changed);
  }
}

async function refuseRepeated(
  staging: Staging,
  by: 'typed' | 'reference' | 'payment_id',
  problems = createFileProblems(),
): Promise<void> {
  for await (const { line, first, typed } of staging.repeated(by === 'payment_id' ? by : 'typed')) {
    problems.add(line, repeatedText[by](typed, first));
  }
  problems.throwIfAny();
}

const repeatedText = {
  typed: (typed: string, first: number) => `the same payment twice: names ${typed}, as line ${first} does`,
  payment_id: (typed: string, first: number) =>
    `the same payment twice: ${typed} is the payment of line ${first}`,
  reference: (typed: string, first: number) => `the reference ${typed} is also on line ${first}`,
} as const;

async function readAll(
  tools: PlanTools,
  staging: Staging,
  { action, concurrency, total }: { action: BatchAction; concurrency: number; total: number },
): Promise<PlanSummary & Pick<MadePlan, 'notes' | 'doneLines' | 'withoutAmount'>> {
  const stop = new AbortController();
  const signal = AbortSignal.any([tools.signal, stop.signal]);
  const outage = createOutage((error) => stop.abort(error));
  const pace = createPace({ concurrency, clock: tools.clock, signal });
  const summary = createSummary(action);
  const rows = eachRow(staging);
  const onRead = (read: PaymentRead) => void reads.push(read);
  const look: RowLook = createLook({
    client: tools.client,
    action,
    now: tools.clock.now,
    onRead,
    pace,
    outage,
    signal,
  });
  let assessed: Assessment[] = [];
  let reads: PaymentRead[] = [];
  let done = 0;
  let answered = 0;

  async function flush(): Promise<void> {
    const [full, seen] = [assessed, reads];
    [assessed, reads] = [[], []];
    await tools.remember(seen);
    const marked = await tools.markSent(full);
    for (const assessment of marked) summary.add(assessment);
    await staging.assess(marked);
  }

  async function keep(assessment: Assessment): Promise<void> {
    tools.onProgress((done += 1), total);
    if (assessment.verdict !== 'unreadable') answered += 1;
    const { next } = assessment;
    assessed.push(next ? { ...assessment, next: stepWithProfile(next, tools.profile) } : assessment);
    if (assessed.length >= CHUNK_SIZE) await flush();
  }

  async function work(): Promise<void> {
    for (let slot = await pace.enter(); slot; slot = await pace.enter()) {
      try {
        const { value: row } = await rows.next();
        if (row === undefined) return;
        await keep(await look(row, slot));
      } finally {
        pace.leave(slot);
      }
    }
  }

  const workers = Array.from({ length: Math.min(concurrency, total) }, () =>
    work().catch((error: unknown) => {
      stop.abort(error);
      throw error;
    }),
  );
  const ended = await Promise.allSettled(workers);
  tools.signal.throwIfAborted();
  if (outage.error) throw unreadable(outage.error, answered);
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  // A file of few rows does not meet enough failures in a row for an outage.
  if (answered === 0 && outage.lastFailure) throw unreadable(outage.lastFailure, answered);
  await flush();
  return { rows: total, ...summary.sums() };
}

type Sums = Omit<PlanSummary, 'rows'> & Pick<MadePlan, 'notes' | 'doneLines' | 'withoutAmount'>;

/** What the rows come to, added one by one in any order. */
function createSummary(action: BatchAction): { add(assessment: Assessment): void; sums(): Sums } {
  const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as PlanSummary['counts'];
  const [totals, failedTotals] = [createTotals(), createTotals()];
  const notes: MadePlan['notes'] = {};
  let firstDone: Assessment[] = [];
  return {
    add(assessment) {
      const { verdict, amount, currency } = assessment;
      counts[verdict] += 1;
      takeNote(notes, assessment);
      if (verdict === 'done') firstDone = firstRows([...firstDone, assessment]);
      if (action === 'recheck') return;
      if (verdict === 'act') totals.add(amount, currency);
      if (verdict === 'failed-before') failedTotals.add(amount, currency);
    },
    sums: () => ({
      counts,
      totals: totals.sums(),
      withoutAmount: totals.withoutAmount(),
      failedTotals: failedTotals.sums(),
      notes,
      doneLines: firstDone.map(({ line }) => line),
    }),
  };
}

async function* eachRow(staging: Staging): AsyncGenerator<SourceRow, undefined> {
  for await (const page of staging.pages()) yield* page;
  return undefined;
}

const MAX_NOTES = 5;

function takeNote(notes: MadePlan['notes'], { verdict, why }: Assessment): void {
  if (verdict === 'not-found' || why === undefined) return;
  const known = (notes[verdict] ??= []);
  if (known.length < MAX_NOTES && !known.includes(why)) known.push(why);
}

function unreadable(error: PaydeskError, answered: number): TemporaryError {
  return new TemporaryError(
    `paydesk cannot read the payments, so it made no plan (${answered} read so far). ${error.message}`,
    { code: 'reads-fail', cause: error, next: [paydesk('doctor')] },
  );
}
