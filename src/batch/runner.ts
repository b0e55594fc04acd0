// The workers of one run: each takes a row, works on it and writes down what became of it, until nothing is left.

import { PaydeskError } from '../errors.js';
import type { BatchRecord } from '../ledger/schema.js';
import { checkApp } from '../payments/app-check.js';
import type { Desk } from '../payments/desk.js';
import { StoreError } from '../store/errors.js';
import type { Claimed, Claims } from './claims.js';
import { groupOf, type Tally } from './counts.js';
import { createPace, type Ticket } from './pace.js';
import { createOutage, readWatched, throttleOf } from './reading.js';
import { isKeyRefused, isLedgerLost, workOn } from './row-work.js';
import type { RunOptions } from './run-options.js';
import type { Stopping } from './stopping.js';
import type { Supply } from './supply.js';
import type { WorkedRow } from './worked-row.js';

/** A row that the service asked to send later is sent so often at most in one run. */
const MAX_TRIES = 3;

export interface Runner {
  readonly inFlight: number;
  /** Rows for which this run sent something or found out the outcome. */
  readonly worked: number;
  /** The first rows one by one; stops the run unless each is done or accepted. */
  canary(supply: Supply, rows: number): Promise<void>;
  /** All workers, until the supply is empty or the run is stopped. */
  workThrough(supply: Supply): Promise<void>;
}

interface RunnerTools {
  desk: Desk;
  batch: BatchRecord;
  claims: Claims;
  tally: Tally;
  stopping: Stopping;
  options: RunOptions;
  /** When this run began, by the ledger's clock: rows that are left for later runs are due after it. */
  before: number;
  tell: () => void;
}

export function createRunner(tools: RunnerTools): Runner {
  const { desk, batch, claims, tally, stopping, options, before, tell } = tools;
  const { signal, stop } = stopping;
  const { clock } = desk;
  const outage = createOutage((error) => stop({ kind: 'outage', error }));
  const pace = createPace({ concurrency: options.concurrency, rate: options.rate, clock, signal });
  let appChecked: Promise<void> | undefined;
  const rowWork = {
    wait: options.wait,
    resend: options.resend,
    read: (paymentId: string) => readWatched(() => desk.client.getPayment({ paymentId }), outage),
    checkApp: (read: { fields: { customerId?: string | undefined } }) =>
      (appChecked ??= checkApp(desk.client, read.fields.customerId)),
  };
  let worked = 0;
  let failures = 0;

  /** Reads that are throttled are tried again after a pause; what may have been sent is not. */
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
      if (result.heldMs !== undefined) return result;
      await pace.pause();
      if (signal.aborted) return result;
    }
  }

  /** A ledger that breaks on the way leaves it open whether something was sent. */
  async function workOrLose(claimed: Claimed, ticket: Ticket): Promise<WorkedRow> {
    try {
      return await work(claimed, ticket);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      stop({ kind: 'ledger', error });
      return { outcome: 'unknown', why: error.message };
    }
  }

  async function record(claimed: Claimed, result: WorkedRow): Promise<void> {
    const { row } = claimed;
    const waits =
      result.heldMs !== undefined && groupOf(result.outcome) === 'pending' && row.tries + 1 < MAX_TRIES;
    try {
      const due = waits
        ? { time: (await desk.ledger.now()) + (result.heldMs ?? 0), tries: row.tries + 1 }
        : { time: before + 1, tries: 0 };
      if (await claims.finish(row, result, due)) tally.move(row, result.outcome);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // The outcome is known all the same, and the ledger finds it out again when the batch is resumed.
      tally.move(row, result.outcome);
      stop({ kind: 'ledger', error });
    }
  }

  async function one(claimed: Claimed, ticket: Ticket): Promise<WorkedRow> {
    tell();
    const result = await workOrLose(claimed, ticket);
    const isLater = throttleOf(result.error) !== undefined || result.heldMs !== undefined;
    if ((result.blind || (result.outcome === 'unsent' && !isLater)) && result.error) {
      outage.unreadable(result.error);
    }
    if (isKeyRefused(result) && result.error) stop({ kind: 'hopeless', error: result.error });
    await record(claimed, result);
    if (result.outcome !== 'unsent') worked += 1;
    if (['refused', 'failed', 'unknown'].includes(result.outcome)) failures += 1;
    if (options.stopAfterFailures !== undefined && failures >= options.stopAfterFailures) {
      stop({ kind: 'failures', failures });
    }
    return result;
  }

  /** Undefined when nothing is left, or the run is stopped before the row was begun. */
  async function next(supply: Supply, ticket: Ticket): Promise<Claimed | undefined> {
    const claimed = await supply.next();
    if (claimed) await pace.turn(ticket);
    return signal.aborted ? undefined : claimed;
  }

  /** Ends the run for the others too; rows in flight are still brought to their end. */
  function endBy(error: unknown): void {
    if (error instanceof StoreError || isLedgerLost(error)) stop({ kind: 'ledger', error });
    else if (error instanceof PaydeskError) stop({ kind: 'hopeless', error });
    else {
      stopping.abort();
      throw error;
    }
  }

  async function withPlace<T>(body: (ticket: Ticket) => Promise<T>): Promise<T | undefined> {
    const ticket = await pace.enter();
    if (!ticket) return undefined;
    try {
      return await body(ticket);
    } catch (error) {
      endBy(error);
      return undefined;
    } finally {
      pace.leave(ticket);
      tell();
    }
  }

  async function workOnNext(supply: Supply): Promise<boolean | undefined> {
    return withPlace(async (ticket) => {
      const claimed = await next(supply, ticket);
      if (claimed) await one(claimed, ticket);
      return claimed !== undefined;
    });
  }

  return {
    get inFlight() {
      return pace.inside;
    },
    get worked() {
      return worked;
    },

    async canary(supply, rows) {
      for (let number = 0; number < rows && !signal.aborted; number += 1) {
        const isMore = await withPlace(async (ticket) => {
          const claimed = await next(supply, ticket);
          if (!claimed) return false;
          const result = await one(claimed, ticket);
          if (result.outcome === 'done' || result.outcome === 'accepted') return true;
          const { line, typed } = claimed.row;
          stop({ kind: 'canary', row: { line, typed, result } });
          return false;
        });
        if (!isMore) return;
      }
    },

    async workThrough(supply) {
      const worker = async () => {
        while (await workOnNext(supply));
      };
      const workers = Array.from({ length: options.concurrency }, worker);
      for (const end of await Promise.allSettled(workers)) {
        if (end.status === 'rejected') throw end.reason;
      }
    },
  };
}
