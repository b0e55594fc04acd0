// Forwards as rows: claimed by a listener that has their target, and finished once.

import { sql } from 'kysely';
import type { ForwardRow } from '../../ledger/inbox-schema.js';
import type { DeskTables } from '../../ledger/schema.js';
import { releaseAbandoned } from '../../store/claim.js';
import type { Owner } from '../../store/owner.js';
import { prepared } from '../../store/prepared.js';
import type { Store } from '../../store/store.js';
import { createGroupWriter } from '../inbox/group-writes.js';
import { FORWARD_LEASE_MS } from '../inbox/insert-forward.js';
import { neverDelivered } from '../inbox/never-delivered.js';

/** One request to a target, and what is to be done about it. */
export interface Attempt {
  time: number;
  status: number | null;
  ms: number;
  answer: string | null;
  error: string | null;
}

/** When it is tried again, or how it ended. */
export type Next = { dueTime: number } | { outcome: 'delivered' | 'failed' };

interface Ended {
  forward: ForwardRow;
  attempt: Attempt;
  next: Next;
}

export interface ForwardQueue {
  /** Forwards that are due, of targets that we have; the first of each lane alone. */
  claim(now: number, limit: number): Promise<ForwardRow[]>;
  /** When our next one is due, whichever process holds it. */
  nextTime(): Promise<number | undefined>;
  /** Writes an attempt down, with when it is tried again or how it ended. */
  record(forward: ForwardRow, attempt: Attempt, next: Next): Promise<void>;
  /** Releases what was claimed and not sent. */
  release(): Promise<void>;
  /** Ends the leases of processes that are gone. */
  freeAbandoned(): Promise<void>;
  /** What our targets did not accept in earlier runs is due again; says how many there are. */
  retryFailed(now: number): Promise<number>;
  /** How many wait for targets that we do not have. */
  waitingElsewhere(): Promise<Array<{ target: string; count: number }>>;
}

const addAttempt = prepared<DeskTables, unknown, 'forward_id' | keyof Attempt>((db, value) =>
  db.insertInto('forward_attempts').values({
    forward_id: value('forward_id'),
    time: value('time'),
    status: value('status'),
    ms: value('ms'),
    answer: value('answer'),
    error: value('error'),
  }),
);

type FinishName =
  | 'id'
  | 'owner'
  | 'first_time'
  | 'status'
  | 'ms'
  | 'error'
  | 'outcome'
  | 'due_time'
  | 'finished';

const update = prepared<DeskTables, unknown, FinishName>((db, value) =>
  db
    .updateTable('forwards')
    .set((eb) => ({
      attempts: eb('attempts', '+', 1),
      first_time: value('first_time'),
      status: value('status'),
      ms: value('ms'),
      error: value('error'),
      outcome: value('outcome'),
      due_time: value('due_time'),
      finished: value('finished'),
      lease_until: null,
      lease_owner: null,
    }))
    .where('id', '=', value('id'))
    .where('lease_owner', '=', value('owner')),
);

export function createForwardQueue(
  store: Store<DeskTables>,
  listenerId: number,
  owner: Owner,
  keys: readonly string[],
): ForwardQueue {
  const { db } = store;
  const ofListener = sql<boolean>`due.listener_id = ${listenerId}`;
  const ours = sql<boolean>`${ofListener} and due.target_key in (${sql.join(keys)})`;

  const write = createAttemptWriter(store, owner);

  return {
    async claim(now, limit) {
      if (keys.length === 0) return [];
      return store.claimDue({
        table: 'forwards',
        now,
        leaseMs: FORWARD_LEASE_MS,
        limit,
        owner: owner.name,
        where: ours,
        onePer: 'lane',
      });
    },

    async nextTime() {
      if (keys.length === 0) return undefined;
      const next = await db
        .selectFrom('forwards')
        .select('due_time')
        .where('finished', '=', sql.lit(0))
        .where('listener_id', '=', listenerId)
        .where('target_key', 'in', keys)
        .orderBy('due_time')
        .limit(1)
        .executeTakeFirst();
      return next?.due_time;
    },

    record: (forward, attempt, next) => write({ forward, attempt, next }),

    release: () => releaseForwards(store, owner.name),

    freeAbandoned: () => releaseAbandoned(store, { table: 'forwards', owner, where: ofListener }),

    async retryFailed(now) {
      if (keys.length === 0) return 0;
      const { numUpdatedRows } = await store.transaction((tx) =>
        tx
          .updateTable('forwards')
          .set({ finished: 0, outcome: null, attempts: 0, first_time: null, due_time: now })
          .where('listener_id', '=', listenerId)
          .where('target_key', 'in', keys)
          .where('outcome', '=', 'failed')
          .where('replay', '=', 0)
          // One that was never sent needs a read first.
          .where('attempts', '>', 0)
          .where(neverDelivered(store.engine))
          .executeTakeFirstOrThrow(),
      );
      return Number(numUpdatedRows);
    },

    async waitingElsewhere() {
      let query = db
        .selectFrom('forwards')
        .select(({ fn }) => ['target', fn.countAll<number>().as('count')])
        .where('finished', '=', sql.lit(0))
        .where('listener_id', '=', listenerId)
        .groupBy('target');
      if (keys.length > 0) query = query.where('target_key', 'not in', keys);
      return query.execute();
    },
  };
}

/** Writes attempts down together, as many as wait. */
function createAttemptWriter(store: Store<DeskTables>, owner: Owner) {
  const { engine } = store;
  return createGroupWriter<Ended, void>(store, async (tx, { forward, attempt, next }) => {
    const ended = 'outcome' in next;
    await addAttempt(tx, engine, { forward_id: forward.id, ...attempt });
    await update(tx, engine, {
      id: forward.id,
      owner: owner.name,
      first_time: forward.first_time ?? attempt.time,
      status: attempt.status,
      ms: attempt.ms,
      error: attempt.error,
      outcome: ended ? next.outcome : null,
      due_time: ended ? forward.due_time : next.dueTime,
      finished: ended ? 1 : 0,
    });
  });
}

async function releaseForwards(store: Store<DeskTables>, ownerName: string): Promise<void> {
  await store.transaction((tx) =>
    tx
      .updateTable('forwards')
      .set({ lease_until: null, lease_owner: null })
      .where('finished', '=', sql.lit(0))
      .where('lease_owner', '=', ownerName)
      .execute(),
  );
}
