// Works on a batch until nothing is left to do, or until there is a reason to stop. Several may do so at once.

import { GuardError, PaydeskError } from '../errors.js';
import type { BatchRecord, DeskTables } from '../ledger/schema.js';
import type { Store } from '../store/store.js';
import { checkApp } from '../payments/app-check.js';
import type { Desk } from '../payments/desk.js';
import { type BatchCounts, createBatches } from './batches.js';
import { type Claimed, createClaims } from './claims.js';
import type { Owner } from '../store/owner.js';
import { createPace, type Ticket } from './pace.js';
import { createOutage, readWatched, throttleOf } from './reading.js';
import { isKeyRefused, workOn, type WorkedRow } from './row-work.js';
import { createSupply, type Supply } from './supply.js';

export interface RunOptions {
  concurrency: number;
  rate?: number | undefined;
  /** Rows that go one by one first; the rest only follows when each is done or accepted. */
  canary?: number | undefined;
  /** Stop once so many were refused, failed or stayed unknown. */
  stopAfterFailures?: number | undefined;
  wait: boolean;
  resend: boolean;
  /** When everything was sent before: see what became of those whose end was still to come. */
  settleAccepted: boolean;
}

export interface RunTools {
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
  counts: BatchCounts;
  inFlight: number;
  /** Rows that this run has brought further. */
  worked: number;
}

export type StopReason =
  /** Ctrl-C, or the time was up. */
  | { kind: 'asked'; error: PaydeskError }
  /** Reads fail as a whole. */
  | { kind: 'outage'; error: PaydeskError }
  /** The key is not accepted, the app is another, or the ledger cannot be written. */
  | { kind: 'hopeless'; error: PaydeskError }
  | { kind: 'canary'; row: { line: number; typed: string; result: WorkedRow } }
  | { kind: 'failures'; failures: number };

export interface RunResult {
  counts: BatchCounts;
  /** Rows for which something was sent, or settled, by this run. */
  worked: number;
  stopped?: StopReason;
}

const RENEW_MS = 20_000;

export async function runBatch(tools: RunTools, batch: BatchRecord, options: RunOptions): Promise<RunResult> {
  const { desk, store, owner } = tools;
  const { clock } = desk;
  if (batch.loader !== null) throw notLoaded(batch);
  const batches = createBatches(store);
  const claims = createClaims(store, batch, owner);
  const before = await desk.ledger.now();
  const counts = await batches.counts(batch.id);
  const total = batch.rows - counts.leftOut;

  const halt = new AbortController();
  let stopped: StopReason | undefined;
  const stop = (reason: StopReason) => {
    stopped ??= reason;
    halt.abort();
  };
  const onStop = () => stop({ kind: 'asked', error: tools.stop.reason as PaydeskError });
  if (tools.stop.aborted) onStop();
  tools.stop.addEventListener('abort', onStop, { once: true });

  const { signal } = halt;
  const outage = createOutage((error) => stop({ kind: 'outage', error }));
  const pace = createPace({ concurrency: options.concurrency, rate: options.rate, clock, signal });
  let appChecked: Promise<void> | undefined;
  const rowWork = {
    wait: options.wait,
    resend: options.resend,
    read: (paymentId: string) => readWatched(desk.client, { paymentId }, outage),
    checkApp: (read: { fields: { customerId?: string | undefined } }) =>
      (appChecked ??= checkApp(desk.client, read.fields.customerId)),
  };
  let worked = 0;
  let failures = 0;
  const tell = () => tools.onProgress({ total, counts, inFlight: pace.inside, worked });

  /** Again and again while the service asks to wait. */
  async function work(claimed: Claimed, ticket: Ticket): Promise<WorkedRow> {
    for (;;) {
      const result = await workOn(desk, batch, claimed, rowWork);
      const throttle = result.outcome === 'unsent' ? throttleOf(result.error) : undefined;
      if (!throttle || !result.error) {
        if (result.outcome !== 'unsent' && !result.blind) pace.answered(ticket, result.tookMs);
        return result;
      }
      pace.throttled(ticket, throttle.retryAfterMs);
      outage.throttled(pace.throttles, result.error);
      await pace.pause();
      if (signal.aborted) return result;
    }
  }

  async function one(claimed: Claimed, ticket: Ticket): Promise<WorkedRow> {
    tell();
    const result = await work(claimed, ticket);
    const isThrottle = throttleOf(result.error) !== undefined;
    if ((result.blind || (result.outcome === 'unsent' && !isThrottle)) && result.error) {
      outage.unreadable(result.error);
    }
    if (isKeyRefused(result) && result.error) stop({ kind: 'hopeless', error: result.error });
    const isOurs = await claims.finish(claimed.row, result, before + 1);
    if (result.outcome !== 'unsent') worked += 1;
    if (isOurs) recount(counts, claimed.row.outcome, result.outcome);
    if (['refused', 'failed', 'unknown'].includes(result.outcome)) failures += 1;
    if (options.stopAfterFailures !== undefined && failures >= options.stopAfterFailures) {
      stop({ kind: 'failures', failures });
    }
    return result;
  }

  async function canary(supply: Supply, rows: number): Promise<void> {
    for (let number = 0; number < rows; number += 1) {
      const ticket = await pace.enter();
      if (!ticket) return;
      try {
        const claimed = await supply.next();
        if (!claimed) return;
        const result = await one(claimed, ticket);
        if (result.outcome === 'done' || result.outcome === 'accepted') continue;
        const { line, typed } = claimed.row;
        return stop({ kind: 'canary', row: { line, typed, result } });
      } finally {
        pace.leave(ticket);
        tell();
      }
    }
  }

  async function worker(supply: Supply): Promise<void> {
    for (let ticket = await pace.enter(); ticket; ticket = await pace.enter()) {
      try {
        const claimed = await supply.next();
        if (!claimed) return;
        await one(claimed, ticket);
      } catch (error) {
        // What is on its way in the others is still brought to its end.
        if (error instanceof PaydeskError) stop({ kind: 'hopeless', error });
        else halt.abort();
        throw error;
      } finally {
        pace.leave(ticket);
        tell();
      }
    }
  }

  async function workThrough(canaryRows: number): Promise<void> {
    const supply = createSupply(claims, { chunk: chunkOf(options), before, clock, signal });
    if (canaryRows > 0) await canary(supply, canaryRows);
    const workers = Array.from({ length: options.concurrency }, () => worker(supply));
    for (const end of await Promise.allSettled(workers)) {
      if (end.status === 'rejected' && !(end.reason instanceof PaydeskError)) throw end.reason;
    }
  }

  const over = new AbortController();
  const renewing = keepRenewing();
  async function keepRenewing(): Promise<void> {
    for (;;) {
      await clock.sleep(RENEW_MS, over.signal);
      if (over.signal.aborted) return;
      // A lease that runs out costs nothing but a read: the ledger lets nobody send twice.
      await claims.renew().catch(() => undefined);
    }
  }

  try {
    await claims.freeAbandoned();
    await workThrough(options.canary ?? 0);
    if (options.settleAccepted && counts.accepted > 0 && !signal.aborted) {
      await claims.reopenAccepted();
      await workThrough(0);
    }
  } finally {
    tools.stop.removeEventListener('abort', onStop);
    over.abort();
    await renewing;
    await claims.release();
  }
  return { counts: await batches.counts(batch.id), worked, ...(stopped ? { stopped } : {}) };
}

/** Enough that claiming costs little, and little enough that others get their share. */
const chunkOf = ({ concurrency }: RunOptions): number => Math.max(16, concurrency * 4);

type Count = 'done' | 'refused' | 'skipped' | 'unknown' | 'pending';

const countOf: Readonly<Record<string, Count>> = {
  done: 'done',
  accepted: 'done',
  refused: 'refused',
  failed: 'refused',
  skipped: 'skipped',
  unknown: 'unknown',
  unsent: 'pending',
};

function recount(counts: BatchCounts, from: string | null, to: string): void {
  counts[countOf[from ?? 'unsent'] ?? 'pending'] -= 1;
  counts[countOf[to] ?? 'pending'] += 1;
  if (from === 'accepted') counts.accepted -= 1;
  if (to === 'accepted') counts.accepted += 1;
  if (to === 'failed') counts.failed += 1;
}

function notLoaded(batch: BatchRecord): GuardError {
  return new GuardError(
    `Batch ${batch.id} was never begun: its plan was not read to the end. Nothing was sent.`,
    {
      code: 'batch-not-begun',
      next: ['paydesk batch apply PLAN.json'],
    },
  );
}
