// Webhooks as rows: claimed in the order of a payment's changes, and finished or postponed.

import { sql } from 'kysely';
import { prepared } from '../../store/prepared.js';
import type { SandboxEngine } from '../engine.js';
import { isCurrent } from '../generation.js';
import type { EventRow, SandboxTables } from '../schema.js';

/** With the generation that it is of: after a reset or an import, another webhook may have its id. */
export interface QueuedWebhook extends EventRow {
  generation: string;
}

export interface WebhookQueue {
  /** When the next webhook falls due. */
  nextTime(): Promise<number | undefined>;
  /** Takes webhooks that are due, at most one per payment. */
  claim(limit: number): Promise<QueuedWebhook[]>;
  find(eventId: number): Promise<QueuedWebhook | undefined>;
  /** The webhook that waits behind this one. */
  following(event: QueuedWebhook): Promise<QueuedWebhook | undefined>;
  finish(event: QueuedWebhook, outcome: 'delivered' | 'dropped' | 'failed'): Promise<void>;
  postpone(event: QueuedWebhook, dueTime: number, attempts: number): Promise<void>;
  /** Lets another process send it at once. */
  release(event: QueuedWebhook): Promise<void>;
  /** Releases everything that `owner` has claimed and not finished. */
  releaseAll(): Promise<void>;
}

const LEASE_MS = 20_000;

export function createWebhookQueue(engine: SandboxEngine, owner: string): WebhookQueue {
  const ofGeneration = (generation: string) =>
    engine.store.db.selectFrom('events').selectAll().where(isCurrent(generation));

  async function update(event: QueuedWebhook, values: Partial<EventRow>): Promise<void> {
    await engine.store.transaction((tx) =>
      tx
        .updateTable('events')
        .set(values)
        .where('id', '=', event.id)
        .where(isCurrent(event.generation))
        .execute(),
    );
    engine.changed(event.payment_id);
  }

  return {
    nextTime: () => nextTime(engine),
    async claim(limit) {
      const next = await nextTime(engine);
      const { now } = await engine.clock.read();
      // Reads before it claims: most of the time nothing is due, and a read costs no transaction.
      if (next === undefined || next > now) return [];
      const { id: generation } = await engine.generations.read();
      const events = await engine.store.claimDue({
        table: 'events',
        now,
        leaseMs: LEASE_MS,
        limit,
        owner,
        where: isCurrent(generation),
        onePer: 'payment_id',
      });
      return events.map((event) => ({ ...event, generation }));
    },
    async find(eventId) {
      const { id: generation } = await engine.generations.read();
      const event = await ofGeneration(generation)
        .where('id', '=', eventId)
        .where('url', 'is not', null)
        .executeTakeFirst();
      return event && { ...event, generation };
    },
    async following({ id, payment_id, generation }) {
      const event = await ofGeneration(generation)
        .where('payment_id', '=', payment_id)
        .where('finished', '=', sql.lit(0))
        .where('id', '>', id)
        .orderBy('id')
        .executeTakeFirst();
      return event && { ...event, generation };
    },
    finish: (event, outcome) =>
      update(event, { finished: 1, outcome, attempts: event.attempts + 1, lease_until: null }),
    postpone: (event, dueTime, attempts) => update(event, { due_time: dueTime, attempts, lease_until: null }),
    release: (event) => update(event, { lease_until: null }),
    async releaseAll() {
      await engine.store.transaction((tx) =>
        tx
          .updateTable('events')
          .set({ lease_until: null })
          .where('lease_owner', '=', owner)
          .where('finished', '=', sql.lit(0))
          .execute(),
      );
    },
  };
}

/** Only the first unfinished webhook of a payment counts: the others wait for it. */
const firstDue = prepared<SandboxTables, { due_time: number }>((db) =>
  db
    .selectFrom('events')
    .select('due_time')
    .where('finished', '=', sql.lit(0))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('events as earlier')
            .select('earlier.id')
            .where('earlier.finished', '=', sql.lit(0))
            .whereRef('earlier.payment_id', '=', 'events.payment_id')
            .whereRef('earlier.id', '<', 'events.id'),
        ),
      ),
    )
    .orderBy('due_time')
    .orderBy('id')
    .limit(sql.lit(1)),
);

async function nextTime({ store }: SandboxEngine): Promise<number | undefined> {
  const [event] = await firstDue(store.db, store.engine, {});
  return event?.due_time;
}
