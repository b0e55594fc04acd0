import { sql } from 'kysely';
import { prepared } from '../store/prepared.js';
import { lockPayment } from './domain/payments.js';
import { runJob } from './domain/moves.js';
import type { SandboxEngine } from './engine.js';
import { createLoop } from './loop.js';
import type { JobRow, SandboxTables } from './schema.js';
import type { Outbox } from './outbox/outbox.js';

/** Runs what falls due by the sandbox's clock: provider answers and expiries. */
export interface Worker {
  /** Runs all that is due at this moment, and lets the webhooks of it leave. Rejects when some of it failed. */
  drain(): Promise<void>;
  /** Advances the clock step by step, so that everything due on the way happens in order and at its time. */
  advanceTo(instant: number): Promise<void>;
  stop(): Promise<void>;
}

interface WorkerOptions {
  engine: SandboxEngine;
  outbox: Outbox;
  onError(error: unknown): void;
}

export function createWorker({ engine, outbox, onError }: WorkerOptions): Worker {
  let advancing: Promise<void> = Promise.resolve();
  let stopped = false;

  const loop = createLoop({
    async round() {
      while (!stopped && (await runNextJob(engine)));
    },
    nextIn: async () => engine.waitUntil((await nextJob(engine))?.due_time),
    onError,
  });

  async function drain(): Promise<void> {
    while (!stopped) {
      loop.wake();
      await loop.idle();
      await outbox.drain();
      const { now } = await engine.clock.read();
      const next = await nextJob(engine);
      if (next === undefined || next.due_time > now) return;
    }
  }

  async function advance(instant: number): Promise<void> {
    for (let reached = false; !reached && !stopped;) {
      await drain();
      const next = [(await nextJob(engine))?.due_time, await outbox.nextTime()].filter(
        (time) => time !== undefined,
      );
      const target = Math.min(instant, ...next);
      await engine.write(async ({ tx }) => engine.clock.moveTo(tx, target));
      engine.refresh();
      reached = target === instant;
    }
    await drain();
  }

  engine.onDueWork(loop.wake);

  return {
    drain,
    advanceTo(instant) {
      const turn = advancing.then(() => advance(instant));
      advancing = turn.catch(() => undefined);
      return turn;
    },
    async stop() {
      stopped = true;
      await loop.stop();
    },
  };
}

const firstJob = prepared<SandboxTables, JobRow>((db) =>
  db.selectFrom('jobs').selectAll().orderBy('due_time').orderBy('id').limit(sql.lit(1)),
);

async function nextJob({ store }: SandboxEngine): Promise<JobRow | undefined> {
  const [job] = await firstJob(store.db, store.engine, {});
  return job;
}

/** Carries out the job that is due first, in one transaction with its removal. */
async function runNextJob(engine: SandboxEngine): Promise<boolean> {
  const { now } = await engine.clock.read();
  const job = await nextJob(engine);
  if (!job || job.due_time > now) return false;
  // Secrets are derived from the generation that was read last, and another process may have started one.
  await engine.generations.read();
  await engine.write(async (work) => {
    // The payment first, then its jobs: the same order as everywhere, so that two processes cannot lock each other out.
    const payment = await lockPayment(work, { paymentId: job.payment_id });
    const { numDeletedRows } = await work.tx
      .deleteFrom('jobs')
      .where('id', '=', job.id)
      .executeTakeFirstOrThrow();
    if (payment && numDeletedRows > 0n) await runJob({ ...work, now: job.due_time }, payment, job.kind);
  }, 'clock');
  return true;
}
