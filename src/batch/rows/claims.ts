// Who works on which row: rows are claimed with a lease that is renewed while the work continues.

import { sql } from 'kysely';
import { outcomeOf, type Entry } from '../../ledger/moves/entries.js';
import { type BatchRecord, type BatchRow, type DeskTables, LEFT_OUT } from '../../ledger/schema.js';
import { prepared } from '../../store/prepared.js';
import type { Store } from '../../store/store.js';
import { leaseClock, releaseAbandoned } from '../../store/claim.js';
import type { Owner } from '../../store/owner.js';
import { ABANDONED_DUE, intentsOf, rowOutcomeOf } from './ledger-view.js';
import { mayHaveLeft } from '../../ledger/moves/intent-conditions.js';
import type { RowResult, WorkedOutcome } from './worked-row.js';

const LEASE_MS = 60_000;

/** A row that is ours for now, with the last intent of this batch for it that may have left, if there is one. */
export interface Claimed {
  row: BatchRow;
  earlier: Entry | undefined;
}

/** When a row is due again, by the clock of the database. */
interface Due {
  time: number;
  /** How often the service asked to send it later; 0 leaves it to the next run. */
  tries: number;
}

/** Rows that the service asked to send later, by the clock of the database. */
export interface Waiting {
  rows: number;
  /** When the first of them is due, and when the last. */
  from: number;
  until: number;
  now: number;
}

export interface Claims {
  /**
   * The row as it is now, where its lease may have run out since it was claimed; undefined when it is not ours any more.
   */
  confirm(claimed: Claimed): Promise<Claimed | undefined>;
  /** The last intent that this batch wrote for the row, in this process or another. */
  sentFor(row: BatchRow): Promise<Entry | undefined>;
  /** Rows that nobody works on and that are due by then; only those that wait for a later try where that is asked. */
  claim(limit: number, dueBy: number, onlyWaiting: boolean): Promise<Claimed[]>;
  /** Rows that wait for a later try; undefined when there are none. */
  waiting(): Promise<Waiting | undefined>;
  /** Whether somebody else still has rows of this batch. */
  othersAtWork(dueBy: number): Promise<boolean>;
  /** Ends the leases of processes that are gone. */
  freeAbandoned(): Promise<void>;
  renew(): Promise<void>;
  /** Releases what was claimed and not worked on. */
  release(): Promise<void>;
  /**
   * Writes down what became of a row; one that is not finished is due again at `due.time`, in the same run when it has
   * `due.tries`. False when somebody else has had the row since: then it is left as the ledger has its intent.
   */
  finish(row: BatchRow, result: RowResult, due: Due): Promise<boolean>;
  /** Rows that may show another end by now: accepted ones, and those that were sent and refused. */
  unsettled(): Promise<number[]>;
  reopen(ids: readonly number[]): Promise<void>;
}

type Finish =
  | 'id'
  | 'owner'
  | 'outcome'
  | 'payment_id'
  | 'currency'
  | 'after_state'
  | 'why'
  | 'due_time'
  | 'tries'
  | 'finished';

/** A row that somebody else has by now is left alone. */
const finishRow = prepared<DeskTables, { id: number }, Finish>((db, value) =>
  db
    .updateTable('batch_rows')
    .set({
      outcome: value('outcome'),
      payment_id: value('payment_id'),
      currency: value('currency'),
      after_state: value('after_state'),
      why: value('why'),
      due_time: value('due_time'),
      tries: value('tries'),
      lease_until: null,
      lease_owner: null,
      finished: value('finished'),
    })
    .where('id', '=', value('id'))
    .where('lease_owner', '=', value('owner'))
    .returning('id'),
);

/** What needs no further look. */
const FINAL: ReadonlySet<string> = new Set(['done', 'accepted', 'failed', 'refused', 'skipped']);

export function createClaims(
  store: Store<DeskTables>,
  batch: BatchRecord,
  owner: Owner,
  steady: () => number,
): Claims {
  const ofBatch = sql<boolean>`due.batch_id = ${batch.id}`;
  // The rows that this process has, and when their leases began. Finding them among a million would take longer than
  // the work.
  const ours = new Map<number, number>();
  const sentFor = async (row: BatchRow) => (await intentsOf(store, batch, [row])).get(row.payment_id);

  return {
    async claim(limit, dueBy, onlyWaiting) {
      const now = steady();
      const rows = await store.claimDue({
        table: 'batch_rows',
        now: dueBy,
        leaseMs: LEASE_MS,
        limit,
        owner: owner.name,
        where: onlyWaiting ? sql<boolean>`${ofBatch} and due.tries > 0` : ofBatch,
      });
      for (const { id } of rows) ours.set(id, now);
      const intents = await intentsOf(store, batch, rows);
      return rows.map((row) => ({ row, earlier: intents.get(row.payment_id) }));
    },

    async confirm(claimed) {
      const { id } = claimed.row;
      const now = steady();
      if (now - (ours.get(id) ?? -Infinity) < LEASE_MS) return claimed;
      const [row] = await renewLeases(store, owner, [id]);
      if (!row) {
        ours.delete(id);
        return undefined;
      }
      ours.set(id, now);
      return { row, earlier: await sentFor(row) };
    },

    sentFor,
    release: () => releaseRows(store, batch, owner),
    waiting: () => waitingRows(store, batch),
    othersAtWork: (dueBy) => othersHoldDueRows(store, batch, owner, dueBy),
    freeAbandoned: () =>
      releaseAbandoned(store, { table: 'batch_rows', owner, where: ofBatch, dueTime: ABANDONED_DUE }),

    async renew() {
      if (ours.size === 0) return;
      const now = steady();
      const renewed = await renewLeases(store, owner, [...ours.keys()]);
      for (const { id } of renewed) if (ours.has(id)) ours.set(id, now);
    },

    async finish(row, { outcome, after, why, payment, currency }, due) {
      const isFinal = FINAL.has(outcome);
      const values = {
        id: row.id,
        owner: owner.name,
        outcome,
        payment_id: payment ?? row.payment_id,
        currency: currency ?? row.currency,
        after_state: after ?? null,
        why: why ?? null,
        due_time: isFinal ? row.due_time : due.time,
        tries: isFinal ? 0 : due.tries,
        finished: isFinal ? 1 : 0,
      };
      const written = await store.transaction((tx) => finishRow(tx, store.engine, values), { mayWait: true });
      ours.delete(row.id);
      if (written.length === 1) return true;
      await copyLedgerOutcome(store, row, await sentFor(row));
      return false;
    },

    unsettled: () => unsettledRows(store, batch),
    reopen: (ids) => reopenRows(store, ids),
  };
}

/** Extends the leases of these rows, and returns those that are still ours. */
function renewLeases(store: Store<DeskTables>, owner: Owner, ids: readonly number[]): Promise<BatchRow[]> {
  return store.transaction((tx) =>
    tx
      .updateTable('batch_rows')
      .set({ lease_until: sql<number>`${leaseClock(store.engine)} + ${sql.lit(LEASE_MS)}` })
      .where('id', 'in', ids)
      .where('finished', '=', sql.lit(0))
      .where('lease_owner', '=', owner.name)
      .returningAll()
      .execute(),
  );
}

async function releaseRows(store: Store<DeskTables>, batch: BatchRecord, owner: Owner): Promise<void> {
  await store.transaction((tx) =>
    tx
      .updateTable('batch_rows')
      .set({ lease_until: null, lease_owner: null })
      .where('batch_id', '=', batch.id)
      .where('finished', '=', sql.lit(0))
      .where('lease_owner', '=', owner.name)
      .execute(),
  );
}

async function unsettledRows(store: Store<DeskTables>, batch: BatchRecord): Promise<number[]> {
  // A failed refund was proven to have failed by later reads. A failed charge was told from its answer, so it is looked
  // at again. A charge has no intent before it is answered.
  const wasSent =
    batch.action === 'charge'
      ? sql<boolean>`planned > ${sql.lit(LEFT_OUT)} and outcome in ('refused', 'failed')`
      : sql<boolean>`planned > ${sql.lit(LEFT_OUT)} and outcome = 'refused' and exists (
          select 1 from intents where intents.batch_id = batch_rows.batch_id
          and intents.payment_id = batch_rows.payment_id and intents.retired = 0 and ${mayHaveLeft})`;
  const rows = await store.db
    .selectFrom('batch_rows')
    .select('id')
    .where('batch_id', '=', batch.id)
    .where('finished', '=', 1)
    .where(({ eb, or }) => or([eb('outcome', '=', 'accepted'), wasSent]))
    .execute();
  return rows.map(({ id }) => id);
}

const REOPENED_AT_ONCE = 1_000;

async function reopenRows(store: Store<DeskTables>, ids: readonly number[]): Promise<void> {
  for (let from = 0; from < ids.length; from += REOPENED_AT_ONCE) {
    const some = ids.slice(from, from + REOPENED_AT_ONCE);
    await store.transaction((tx) =>
      tx
        .updateTable('batch_rows')
        .set({ finished: 0 })
        .where('id', 'in', some)
        .where('finished', '=', 1)
        .execute(),
    );
  }
}

/** What was sent for a row after somebody else had finished it counts, and not what that one found. */
async function copyLedgerOutcome(
  store: Store<DeskTables>,
  row: BatchRow,
  sent: Entry | undefined,
): Promise<void> {
  if (!sent?.last) return;
  const outcome = rowOutcomeOf(sent);
  const { after_state, why } = sent.last;
  await store.transaction((tx) =>
    tx
      .updateTable('batch_rows')
      .set({ outcome, after_state, why, tries: 0, finished: FINAL.has(outcome) ? 1 : 0 })
      .where('id', '=', row.id)
      .where('finished', '=', 1)
      .where('lease_owner', 'is', null)
      .execute(),
  );
}

async function waitingRows(store: Store<DeskTables>, batch: BatchRecord): Promise<Waiting | undefined> {
  const clock = leaseClock(store.engine);
  const found = await store.db
    .selectFrom('batch_rows')
    .select(({ fn }) => [
      fn.countAll<number | string>().as('rows'),
      fn.min('due_time').as('from'),
      fn.max('due_time').as('until'),
      clock.as('now'),
    ])
    .where('batch_id', '=', batch.id)
    .where('finished', '=', sql.lit(0))
    .where('tries', '>', 0)
    .where(({ eb, or }) => or([eb('lease_until', 'is', null), eb('lease_until', '<=', clock)]))
    .executeTakeFirstOrThrow();
  const rows = Number(found.rows);
  return rows === 0 ? undefined : { ...found, rows };
}

async function othersHoldDueRows(
  store: Store<DeskTables>,
  batch: BatchRecord,
  owner: Owner,
  dueBy: number,
): Promise<boolean> {
  const held = await store.db
    .selectFrom('batch_rows')
    .select('id')
    .where('batch_id', '=', batch.id)
    .where('finished', '=', sql.lit(0))
    .where('due_time', '<=', dueBy)
    .where('lease_owner', '!=', owner.name)
    .where('lease_until', '>', leaseClock(store.engine))
    .limit(sql.lit(1))
    .executeTakeFirst();
  return held !== undefined;
}

/** Whether an earlier run has finished the row as refused, and it was opened again to be checked once more. */
export const isLookedAtAgain = ({ outcome }: BatchRow): boolean => outcome === 'refused';

/** The result that the ledger already has for a row, when that is the end of it. */
export function knownResult({ row, earlier }: Claimed): RowResult<WorkedOutcome> | undefined {
  if (earlier === undefined) return undefined;
  const outcome = outcomeOf(earlier);
  if (outcome !== 'done' && outcome !== 'failed' && outcome !== 'refused') return undefined;
  if (outcome === 'refused' && isLookedAtAgain(row)) return undefined;
  return {
    outcome,
    after: earlier.last?.after_state ?? undefined,
    why: earlier.last?.why ?? undefined,
  };
}
