// Webhooks as rows: claimed in the order of a payment's changes, and finished or postponed.

import { sql } from 'kysely';
import { prepared } from '../../store/store.js';
import type { SandboxEngine } from '../engine.js';
import type { EventRow, SandboxTables } from '../schema.js';

export interface WebhookQueue {
  /** When the next webhook falls due. */
  nextTime(): Promise<number | undefined>;
  /** Takes webhooks that are due, at most one per payment. */
  claim(limit: number): Promise<EventRow[]>;
  find(eventId: number): Promise<EventRow | undefined>;
  /** The webhook that waits behind this one. */
  following(event: EventRow): Promise<EventRow | undefined>;
  finish(event: EventRow, outcome: 'delivered' | 'dropped' | 'failed'): Promise<void>;
  postpone(event: EventRow, dueTime: number, attempts: number): Promise<void>;
  /** Lets another process send it at once. */
  release(event: EventRow): Promise<void>;
  /** Releases everything that `owner` has claimed and not finished. */
  releaseAll(): Promise<void>;
}

const LEASE_MS = 20_000;

export function createWebhookQueue(engine: SandboxEngine, owner: string): WebhookQueue {
  async function update(event: EventRow, values: Partial<EventRow>): Promise<void> {
    await engine.store.transaction((tx) =>
      tx.updateTable('events').set(values).where('id', '=', event.id).execute(),
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
      const claim = { table: 'events', now, leaseMs: LEASE_MS, limit, owner, onePer: 'payment_id' } as const;
      return engine.store.claimDue(claim);
    },
    find: (eventId) =>
      engine.store.db
        .selectFrom('events')
        .selectAll()
        .where('id', '=', eventId)
        .where('url', 'is not', null)
        .executeTakeFirst(),
    following: (event) =>
      engine.store.db
        .selectFrom('events')
        .selectAll()
        .where('payment_id', '=', event.payment_id)
        .where('finished', '=', 0)
        .where('id', '>', event.id)
        .orderBy('id')
        .executeTakeFirst(),
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
          .where('finished', '=', 0)
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
