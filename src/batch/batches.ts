// Batches in the desk's database: a plan becomes one once, and its rows are claimed by whoever works on them.

import { sql } from 'kysely';
import { GuardError, UsageError } from '../errors.js';
import type { BatchRecord, BatchRow, DeskTables } from '../ledger/schema.js';
import type { Store } from '../store/store.js';
import type { Owner } from '../store/owner.js';
import type { PlanFile } from './plan-file.js';
import type { PlanRow } from './plan-row.js';

export type RowOutcome = 'done' | 'accepted' | 'failed' | 'refused' | 'skipped' | 'unsent' | 'unknown';

export interface RowResult {
  outcome: RowOutcome;
  after?: string | undefined;
  why?: string | undefined;
}

/** How a batch stands. The first five add up to all rows; the others are parts of them. */
export interface BatchCounts {
  /** Taken by the service, at their end or on the way to it. */
  done: number;
  /** By the service, by a guard of ours, or failed on the way. */
  refused: number;
  /** Not touched: done already when the plan was made, or changed since. */
  skipped: number;
  unknown: number;
  pending: number;
  /** Of those done: the end state is still to come. */
  accepted: number;
  /** Of those refused: went on their way and bounced back. */
  failed: number;
  /** Of those skipped: done already when the plan was made. */
  doneBefore: number;
  /** Of those refused or skipped: left out by the plan itself. */
  leftOut: number;
}

export interface Batches {
  identity(): Promise<{ id: string; planKey: string }>;
  /** Makes a batch of a plan, whole or not at all; a plan that was applied before is refused. */
  create(plan: PlanFile, rows: AsyncIterable<PlanRow>, options: CreateOptions): Promise<BatchRecord>;
  /** Refuses a plan that was applied before. */
  refuseApplied(plan: PlanFile, owner: Owner): Promise<void>;
  find(id: string): Promise<BatchRecord>;
  /** The newest first. */
  list(): Promise<BatchRecord[]>;
  counts(id: string): Promise<BatchCounts>;
  rows(id: string): AsyncGenerator<BatchRow>;
}

export interface CreateOptions {
  owner: Owner;
  operator: string;
  now: number;
  /** For rows that bring none. */
  reason?: string | undefined;
  ticket?: string | undefined;
}

const PAGE = 500;
/** A loader that has written nothing for so long is gone. */
const LOADING_MS = 60_000;

export function createBatches(store: Store<DeskTables>): Batches {
  async function appliedAs(digest: string): Promise<BatchRecord | undefined> {
    return store.db.selectFrom('batches').selectAll().where('digest', '=', digest).executeTakeFirst();
  }

  /** A crash while the rows were put in leaves a batch that nothing was sent of: it is made anew. */
  function isAbandoned(batch: BatchRecord, { isGone }: Owner, now: number): boolean {
    if (batch.loader === null) return false;
    return isGone(batch.loader) || (batch.loading_time ?? 0) + LOADING_MS < now;
  }

  async function insertRows(
    batchId: string,
    owner: Owner,
    now: number,
    rows: readonly NewRow[],
  ): Promise<void> {
    await store.transaction(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('batches')
        .set({ loading_time: now })
        .where('id', '=', batchId)
        .where('loader', '=', owner.name)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) throw beingApplied(batchId);
      if (rows.length > 0)
        await tx
          .insertInto('batch_rows')
          .values([...rows])
          .execute();
    });
  }

  async function remove(batchId: string): Promise<void> {
    await store.transaction(async (tx) => {
      await tx.deleteFrom('batch_rows').where('batch_id', '=', batchId).execute();
      await tx.deleteFrom('batches').where('id', '=', batchId).execute();
    });
  }

  return {
    async identity() {
      const row = await store.db.selectFrom('identity').selectAll().executeTakeFirstOrThrow();
      return { id: row.id, planKey: row.plan_key };
    },

    async refuseApplied(plan, owner) {
      const before = await appliedAs(plan.digest);
      if (before && !isAbandoned(before, owner, Date.now())) {
        throw before.loader === null ? appliedBefore(before) : beingApplied(before.id);
      }
    },

    async create(plan, rows, { owner, operator, now, reason, ticket }) {
      const { header } = plan;
      const before = await appliedAs(plan.digest);
      if (before && isAbandoned(before, owner, now)) await remove(before.id);
      const batch: BatchRecord = {
        id: header.id,
        action: header.action,
        base_url: header.baseUrl,
        app_id: header.appId,
        kind: header.kind,
        profile: header.profile,
        digest: plan.digest,
        rows: plan.rows,
        operator,
        time: now,
        loader: owner.name,
        loading_time: now,
      };
      const inserted = await store.transaction((tx) =>
        tx
          .insertInto('batches')
          .values(batch)
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
          .executeTakeFirst(),
      );
      if (inserted === undefined) {
        const other = await appliedAs(plan.digest);
        throw other && other.loader === null ? appliedBefore(other) : beingApplied(batch.id);
      }
      try {
        let chunk: NewRow[] = [];
        for await (const row of rows) {
          chunk.push(newRow(batch.id, { reason, ticket, ...row }));
          if (chunk.length < PAGE) continue;
          await insertRows(batch.id, owner, Date.now(), chunk);
          chunk = [];
        }
        await insertRows(batch.id, owner, Date.now(), chunk);
      } catch (error) {
        await remove(batch.id);
        throw error;
      }
      await store.transaction((tx) =>
        tx
          .updateTable('batches')
          .set({ loader: null, loading_time: null })
          .where('id', '=', batch.id)
          .where('loader', '=', owner.name)
          .execute(),
      );
      return { ...batch, loader: null, loading_time: null };
    },

    async find(id) {
      const batch = await store.db.selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirst();
      if (batch) return batch;
      throw new UsageError(`There is no batch ${id} in this ledger.`, {
        code: 'no-batch',
        next: ['paydesk batch status'],
      });
    },

    list: () =>
      store.db.selectFrom('batches').selectAll().orderBy('time', 'desc').orderBy('id', 'desc').execute(),

    async counts(id) {
      const groups = await store.db
        .selectFrom('batch_rows')
        .select(['outcome', 'planned', ({ fn }) => fn.countAll<number | string>().as('count')])
        .where('batch_id', '=', id)
        .groupBy(['outcome', 'planned'])
        .execute();
      const of = (outcomes: ReadonlyArray<string | null>, planned?: number) =>
        groups
          .filter((group) => outcomes.includes(group.outcome) && (planned ?? group.planned) === group.planned)
          .reduce((sum, { count }) => sum + Number(count), 0);
      return {
        done: of(['done', 'accepted']),
        refused: of(['refused', 'failed']),
        skipped: of(['skipped']),
        unknown: of(['unknown']),
        pending: of([null, 'unsent']),
        accepted: of(['accepted']),
        failed: of(['failed']),
        doneBefore: of(['skipped'], 0),
        leftOut: of(['skipped', 'refused'], 0),
      };
    },

    async *rows(id) {
      for (let after = 0; ;) {
        const page = await store.db
          .selectFrom('batch_rows')
          .selectAll()
          .where('batch_id', '=', id)
          .where('id', '>', after)
          .orderBy('id')
          .limit(sql.lit(PAGE))
          .execute();
        yield* page;
        if (page.length < PAGE) return;
        after = page.at(-1)?.id ?? after;
      }
    },
  };
}

type NewRow = Omit<BatchRow, 'id'>;

function newRow(batchId: string, row: PlanRow): NewRow {
  const acts = row.verdict === 'act';
  return {
    batch_id: batchId,
    line: row.line,
    typed: row.typed,
    file_amount: row.file?.amount ?? null,
    file_currency: row.file?.currency ?? null,
    planned: acts ? 1 : 0,
    payment_id: row.payment ?? '',
    reference_id: row.reference ?? null,
    amount: row.amount ?? '',
    currency: row.currency ?? '',
    before_state: row.state ?? '',
    description: row.description ?? null,
    reason: row.reason ?? null,
    ticket: row.ticket ?? null,
    intent_id: null,
    outcome: acts ? null : row.verdict === 'done' ? 'skipped' : 'refused',
    after_state: null,
    why: acts ? null : (row.why ?? null),
    due_time: 0,
    lease_until: null,
    lease_owner: null,
    finished: acts ? 0 : 1,
  };
}

function appliedBefore(batch: BatchRecord): GuardError {
  return new GuardError(
    `This plan was applied before, as batch ${batch.id} by ${batch.operator}. A plan is applied once, and nothing was sent.`,
    { code: 'plan-applied', next: [`paydesk batch resume ${batch.id}`, `paydesk batch report ${batch.id}`] },
  );
}

function beingApplied(id: string): GuardError {
  return new GuardError(
    `This plan is being applied right now, by another process. Nothing was sent by this one.`,
    {
      code: 'plan-in-use',
      next: [`paydesk batch status ${id}`],
    },
  );
}
