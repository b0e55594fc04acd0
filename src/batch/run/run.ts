// Works on a batch until nothing is left to do, or until there is a reason to stop. Several processes may do so at once.

import { paydesk } from '../../next-command.js';
import { GuardError } from '../../errors.js';
import type { BatchRecord, DeskTables } from '../../ledger/schema.js';
import type { Desk } from '../../payments/desk.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import { rememberReads } from '../../payments/remember-reads.js';
import { StoreError } from '../../store/errors.js';
import type { Owner } from '../../store/owner.js';
import type { Store } from '../../store/store.js';
import { nothingRemains, type Remaining, remainingOf } from '../rows/remaining.js';
import { type Claims, createClaims, type Waiting } from '../rows/claims.js';
import { type BatchCounts, countRows, createTally, type Tally } from '../rows/counts.js';
import { createRowWaits, type RowWait } from './row-waits.js';
import type { RunReport } from './row-runner.js';
import { createRunner, type Runner } from './runner.js';
import type { RunOptions } from './options.js';
import { createStopping, type Stopping, type StopReason } from './stopping.js';
import { createSupply } from './supply.js';

interface RunTools {
  /** Its signal is not that of Ctrl-C: what is on its way is brought to its end. */
  desk: Desk;
  store: Store<DeskTables>;
  owner: Owner;
  /** Ctrl-C, or the time is up: nothing new is begun. */
  stop: AbortSignal;
  onProgress: (progress: Progress) => void;
}

export interface Progress {
  /** Rows that the plan acts on. */
  total: number;
  counts: () => BatchCounts;
  inFlight: number;
  /** Rows that this run has brought further. */
  worked: number;
  /** Rows that the service asked to send later, when nothing else is left to do. */
  waiting?: Waiting | undefined;
  /** The row that is being read until it reaches its end, where that takes a while. */
  rowWait?: RowWait | undefined;
}

export interface RunResult extends RunReport {
  counts: BatchCounts;
  remaining: Remaining;
  stopped?: StopReason;
}

/** Throws a StoreError only as long as nothing was sent. */
export async function runBatch(tools: RunTools, batch: BatchRecord, options: RunOptions): Promise<RunResult> {
  const { desk, store, owner } = tools;
  if (batch.loader !== null) throw notLoaded(batch);
  const claims = createClaims(store, batch, owner, desk.steady);
  const startTime = await desk.ledger.now();
  const tally = await loadTally(store, batch);
  const total = batch.rows - tally.counts().leftOut;
  const stopping = createStopping(tools.stop);
  let waiting: Waiting | undefined;
  const reportProgress = () => {
    const { inFlight, report } = runner;
    const rowWait = rowWaits.longest();
    tools.onProgress({ total, counts: tally.counts, inFlight, worked: report.worked, waiting, rowWait });
  };
  const rowWaits = createRowWaits(desk, reportProgress);
  const remember = (read: PaymentRead) => rememberReads(store, desk.app, [read], Date.now());
  const runner: Runner = createRunner({
    desk,
    batch,
    claims,
    remember,
    tally,
    stopping,
    options,
    startTime,
    reportProgress,
    rowWaits,
  });
  const renewing = options.isAlone === true ? undefined : keepRenewing(claims, desk);
  const onWait = (rows: Waiting | undefined) => {
    waiting = rows;
    reportProgress();
  };
  try {
    const findUnsettled = async () => (options.lookAgain ? claims.unsettled() : []);
    // What this run itself waits for needs no second look.
    const earlier = options.wait ? await findUnsettled() : undefined;
    await workRounds({ desk, claims, stopping, runner, options, dueBy: startTime, onWait });
    const unsettled = earlier ?? (await findUnsettled());
    if (unsettled.length > 0 && !stopping.signal.aborted) {
      await claims.reopen(unsettled);
      await runner.workThrough(supplyOf({ desk, claims, stopping, options, dueBy: startTime }));
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    stopping.stop({ kind: 'ledger', error });
  } finally {
    stopping.close();
    await renewing?.end();
    // Without the database the leases run out by themselves.
    await claims.release().catch(ignoreDatabaseLoss);
  }
  const counts = (await countRows(store, batch).catch(ignoreDatabaseLoss)) ?? tally.counts();
  const remaining =
    (await remainingOf(store, desk.ledger, batch).catch(ignoreDatabaseLoss)) ?? nothingRemains;
  const { reason } = stopping;
  return { counts, remaining, ...runner.report, ...(reason ? { stopped: reason } : {}) };
}

interface Rounds {
  desk: Desk;
  claims: Claims;
  stopping: Stopping;
  options: RunOptions;
  dueBy: number;
}

/** All rows once, and then those that the service asked to send later, each when its time has come. */
async function workRounds(
  rounds: Rounds & { runner: Runner; onWait: (waiting: Waiting | undefined) => void },
): Promise<void> {
  const { desk, claims, stopping, runner, options, onWait } = rounds;
  const { signal } = stopping;
  await claims.freeAbandoned();
  const all = supplyOf(rounds);
  if (options.canary !== undefined) await runner.canary(all, options.canary);
  await runner.workThrough(all);
  while (!signal.aborted) {
    const waiting = await claims.waiting();
    if (!waiting) return;
    onWait(waiting);
    if (waiting.from > waiting.now) {
      await desk.clock.sleep(Math.min(CHECK_AGAIN_MS, waiting.from - waiting.now), signal);
      continue;
    }
    onWait(undefined);
    const supply = supplyOf({ ...rounds, dueBy: waiting.now }, true);
    await runner.workThrough(supply);
    // Another process, or a clock that was set, can keep rows from being claimed for a while.
    if (supply.isUnused) await desk.clock.sleep(CHECK_AGAIN_MS, signal);
  }
}

const CHECK_AGAIN_MS = 1_000;

function supplyOf({ desk, claims, stopping, options, dueBy }: Rounds, onlyWaiting = false) {
  // Enough that claiming costs little, and little enough that others get their share.
  const chunk = Math.max(16, options.concurrency * 4);
  return createSupply(claims, { chunk, dueBy, onlyWaiting, clock: desk.clock, signal: stopping.signal });
}

async function loadTally(store: Store<DeskTables>, batch: BatchRecord): Promise<Tally> {
  const tally = createTally(batch);
  await countRows(store, batch, tally);
  return tally;
}

/** Gives nothing where the database is away, and throws any other error again. */
export function ignoreDatabaseLoss(error: unknown): undefined {
  if (!(error instanceof StoreError)) throw error;
}

const RENEW_MS = 20_000;

function keepRenewing(claims: Claims, { clock }: Desk): { end(): Promise<void> } {
  const over = new AbortController();
  async function renewing(): Promise<void> {
    for (;;) {
      await clock.sleep(RENEW_MS, over.signal);
      if (over.signal.aborted) return;
      // A lease that runs out costs nothing but a read: the ledger lets nobody send twice.
      await claims.renew().catch(() => undefined);
    }
  }
  const ended = renewing();
  return {
    end() {
      over.abort();
      return ended;
    },
  };
}

function notLoaded(batch: BatchRecord): GuardError {
  return new GuardError(
    `Batch ${batch.id} was not started: its plan was not loaded to the end. Nothing was sent.`,
    { code: 'batch-not-begun', next: [paydesk('batch', 'apply', 'PLAN.json')] },
  );
}
