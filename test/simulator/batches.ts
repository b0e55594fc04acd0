// Batches at the desk: one is planned, somebody applies it (or two do), and several go on with it, crash by crash.

import type { Assessment, BatchAction } from '../../src/batch/plan/plan-row.js';
import type { PlanFile, PlanHeader } from '../../src/batch/plan/plan-file.js';
import type { PlanRow } from '../../src/batch/plan/plan-row.js';
import type { RunOptions } from '../../src/batch/run/options.js';
import type { SettleOperation } from '../../src/contract/states.js';
import type { BatchRecord, BatchRow } from '../../src/ledger/schema.js';
import { startProcess, type Process, type Simulation } from './operators.ts';
import {
  createBatches,
  csvSource,
  isLegal,
  makePlan,
  PaydeskError,
  planLines,
  runBatch,
  StoreError,
} from './program.ts';
import { QUIET_MS } from './service-kind.ts';
import { BASE_URL } from './service.ts';

export interface Plan {
  file: PlanFile;
  rows: PlanRow[];
}

export interface BatchDesk {
  readonly plans: readonly Plan[];
  /** Makes a plan of about so many payments, and lets people apply it; resolves when they have all gone home. */
  play(rows: number): Promise<void>;
  /** Goes on with every batch, once. */
  resumeAll(who: string, resend: boolean): Promise<void>;
  batches(): Promise<BatchRecord[]>;
  rows(): Promise<BatchRow[]>;
}

/** A runner takes many steps. */
const STEPS = 250;

export function createBatchDesk(simulation: Simulation): BatchDesk {
  const { world, timeline, random, trace, lives } = simulation;
  const plans: Plan[] = [];
  const batchesOf = ({ store }: Pick<Process, 'store'>) => {
    const batches = createBatches(store);
    return simulation.sabotage.batches?.(batches) ?? batches;
  };
  const ledger = () => simulation.file.current().stamps.store.db;
  const sleep = (ms: number) => new Promise<void>((resolve) => timeline.at(timeline.now() + ms, resolve));
  let runners = 0;

  async function plan(action: SettleOperation, size: number): Promise<Plan | undefined> {
    const name = `planner#${plans.length + 1}`;
    const { life, desk } = startProcess(simulation, name, 0);
    const likely = (await world.payments()).filter(({ state }) =>
      random.chance(isLegal(action, state) ? 0.9 : 0.05),
    );
    const ids = likely.slice(0, size).map(({ payment_id }) => payment_id);
    if (ids.length === 0) return undefined;
    const csv = `payment,reason\n${ids.map((id) => `${id},simulated\n`).join('')}`;
    trace(`${name} plans ${action} of ${ids.join(' ')}`);
    const ended = await life.live(() =>
      timeline.withFiles(async () => {
        const { signal } = new AbortController();
        const tools = {
          client: desk.client,
          clock: desk.clock,
          signal,
          markSent: async (rows: readonly Assessment[]) => [...rows],
          remember: async () => undefined,
          onProgress: () => undefined,
        };
        const bytes = (async function* () {
          yield new TextEncoder().encode(csv);
        })();
        const made = await makePlan(tools, { action, source: csvSource(bytes, action), concurrency: 4 });
        const rows = await Array.fromAsync(made.rowsInOrder());
        await made.close();
        const { counts, totals, failedTotals } = made;
        return { rows, summary: { rows: made.rows, counts, totals, failedTotals } };
      }),
    );
    if (!('value' in ended)) {
      if ('error' in ended && !(ended.error instanceof PaydeskError)) throw ended.error;
      trace(`${name} makes no plan`);
      return undefined;
    }
    const { rows, summary } = ended.value;
    const header = headerOf(action, `plan-${plans.length + 1}`);
    const lines = await Array.fromAsync(
      planLines(header, listed(rows), summary, { key: 'key', json: JSON.stringify }),
    );
    const [, digest = ''] = /"digest":"(\w+)"/.exec(lines.at(-1) ?? '') ?? [];
    const made = { file: { header, digest, ...summary }, rows };
    plans.push(made);
    return made;
  }

  const headerOf = (action: BatchAction, id: string): PlanHeader => ({
    paydesk: 'plan',
    version: 1,
    id,
    action,
    baseUrl: BASE_URL,
    appId: world.appId,
    kind: 'sandbox',
    profile: null,
    ledger: 'simulated',
    createdTime: new Date(timeline.now()).toISOString(),
    file: { separator: 'commas', decimalMark: null, ignoredColumns: [], headerLine: 1 },
  });

  async function work(
    name: string,
    open: (process: Process) => Promise<BatchRecord>,
    { resend, patient }: { resend: boolean; patient: boolean },
  ): Promise<void> {
    const process = startProcess(simulation, name, STEPS);
    const { life, desk, store, stop } = process;
    // On one machine it can be seen that a process is gone; on another its leases must run out.
    const sameMachine = random.chance(0.5);
    const owner = { name, isGone: (other: string) => sameMachine && lives.get(other)?.alive() === false };
    const options: RunOptions = {
      concurrency: random.pick([1, 4, 8]),
      canary: !patient && random.chance(0.2) ? 2 : undefined,
      stopAfterFailures: !patient && random.chance(0.2) ? 3 : undefined,
      wait: random.chance(0.1),
      resend,
      lookAgain: true,
    };
    const { signal } = new AbortController();
    const ended = await life.live(async () => {
      const batch = await open(process);
      return runBatch(
        { desk: { ...desk, signal }, store, owner, stop, onProgress: () => undefined },
        batch,
        options,
      );
    });
    if ('value' in ended)
      trace(`${name} ends: ${JSON.stringify(ended.value.counts)} ${ended.value.stopped?.kind ?? ''}`);
    if ('error' in ended) {
      const { error } = ended;
      if (!(error instanceof PaydeskError) && !(error instanceof StoreError)) throw error;
      trace(`${name} ends: ${error.message}`);
    }
  }

  function apply(made: Plan): Promise<void> {
    const name = `applier#${(runners += 1)}`;
    trace(`${name} applies ${made.file.header.id}`);
    return work(
      name,
      (process) => {
        const owner = { name, isGone: (other: string) => lives.get(other)?.alive() === false };
        return batchesOf(process).create(made.file, listed(made.rows), {
          owner,
          operator: name,
          now: timeline.now(),
          again: false,
        });
      },
      { resend: false, patient: false },
    );
  }

  function resume(who: string, id: string, resend: boolean, patient: boolean): Promise<void> {
    const name = `${who}-runner#${(runners += 1)}`;
    trace(`${name} resumes ${id}${resend ? ' and sends again' : ''}`);
    return work(name, (process) => batchesOf(process).find(id), { resend, patient });
  }

  return {
    plans,
    async play(rows) {
      const made = await plan(random.pick(['refund', 'capture', 'cancel', 'unhold'] as const), rows);
      if (!made) return;
      const running: Array<Promise<void>> = [];
      await sleep(random.pick([0, 60_000, 600_000]));
      for (let appliers = random.pick([1, 1, 1, 2, 3]); appliers > 0; appliers -= 1) {
        running.push(apply(made));
        await sleep(random.pick([0, 1_000, 120_000]));
      }
      for (let resumes = random.whole(4); resumes > 0; resumes -= 1) {
        await sleep(random.pick([0, 2_000, 60_000, QUIET_MS]));
        const batches = await ledger().selectFrom('batches').select('id').execute();
        if (batches.length > 0)
          running.push(resume('resumer', random.pick(batches).id, random.chance(0.3), false));
      }
      await Promise.all(running);
    },
    async resumeAll(who, resend) {
      const batches = await ledger().selectFrom('batches').select(['id', 'loader']).orderBy('id').execute();
      for (const { id, loader } of batches) {
        // One that was killed while it read the plan sent nothing: it is applied again.
        const unread = loader === null ? undefined : plans.find(({ file }) => file.header.id === id);
        await (unread ? apply(unread) : resume(who, id, resend, true));
      }
    },
    batches: () => ledger().selectFrom('batches').selectAll().orderBy('id').execute(),
    rows: () => ledger().selectFrom('batch_rows').selectAll().orderBy('id').execute(),
  };
}

async function* listed<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list;
}
