// From a plan to a batch in the desk's database, once, and whole or not at all.

import { paydesk } from '../../next-command.js';
import { GuardError } from '../../errors.js';
import {
  type BatchRecord,
  type BatchRow,
  type DeskTables,
  LEFT_OUT,
  PLANNED,
  PLANNED_AGAIN,
  PLANNED_CHECK,
} from '../../ledger/schema.js';
import { leaseClock } from '../../store/claim.js';
import type { Owner } from '../../store/owner.js';
import type { Store } from '../../store/store.js';
import type { PlanFile } from '../plan/plan-file.js';
import type { PlanRow, RowVerdict } from '../plan/plan-row.js';
import type { RowOutcome } from './worked-row.js';

interface CreateOptions {
  owner: Owner;
  operator: string;
  now: number;
  /** For rows that bring none. */
  reason?: string | undefined;
  ticket?: string | undefined;
  /** Send rows again that were sent before and failed. */
  again: boolean;
}

export interface Loading {
  /** Makes a batch of a plan, whole or not at all; a plan that was applied before is refused. */
  create(plan: PlanFile, rows: AsyncIterable<PlanRow>, options: CreateOptions): Promise<BatchRecord>;
  /** Refuses a plan that was applied before. */
  refuseApplied(plan: PlanFile, owner: Owner): Promise<void>;
}

/** Rows that are written at once. */
const CHUNK_SIZE = 500;
/** A loader that has written nothing for this long has ended, or must check before it continues. */
const LOADING_MS = 60_000;

export function createLoading(store: Store<DeskTables>): Loading {
  const { appliedAs, insertBatch, insertRows, finishLoading, removeUnloaded } = createLoader(store);

  return {
    async refuseApplied(plan, owner) {
      const before = await appliedAs(plan.digest);
      if (before && !isAbandoned(before, owner)) throw refusalOf(before);
    },

    async create(plan, rows, { owner, operator, now, reason, ticket, again }) {
      const before = await appliedAs(plan.digest);
      if (before?.loader && isAbandoned(before, owner)) {
        await removeUnloaded(before.id, before.loader, before.loading_time ?? 0);
      }
      const batch = newBatch(plan, operator, now);
      if (!(await insertBatch(batch, owner))) {
        const other = await appliedAs(plan.digest);
        throw other ? refusalOf(other) : takenOver(batch.id);
      }
      try {
        let chunk: NewRow[] = [];
        for await (const row of rows) {
          chunk.push(newRow(batch, { reason, ticket, ...row }, again));
          if (chunk.length < CHUNK_SIZE) continue;
          await insertRows(batch.id, owner, chunk);
          chunk = [];
        }
        await insertRows(batch.id, owner, chunk);
        await finishLoading(batch, owner);
      } catch (error) {
        // A database that is away keeps the unfinished batch. The next apply of the plan removes it.
        await removeUnloaded(batch.id, owner.name).catch(() => undefined);
        throw error;
      }
      return batch;
    },
  };
}

/** The steps of loading, each of which makes sure that the batch is still the loader's own. */
function createLoader(store: Store<DeskTables>) {
  async function appliedAs(digest: string): Promise<Applied | undefined> {
    return store.db
      .selectFrom('batches')
      .selectAll()
      .select(leaseClock(store.engine).as('now'))
      .where('digest', '=', digest)
      .executeTakeFirst();
  }

  /** False when the plan is a batch already. */
  async function insertBatch(batch: BatchRecord, owner: Owner): Promise<boolean> {
    const inserted = await store.transaction((tx) =>
      tx
        .insertInto('batches')
        .values({ ...batch, loader: owner.name, loading_time: leaseClock(store.engine) })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst(),
    );
    return inserted !== undefined;
  }

  /** Adds rows and says that the loader is still at work, as long as the batch is still its own. */
  async function insertRows(batchId: string, owner: Owner, rows: readonly NewRow[]): Promise<void> {
    await store.transaction(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('batches')
        .set({ loading_time: leaseClock(store.engine) })
        .where('id', '=', batchId)
        .where('loader', '=', owner.name)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows !== 1n) throw takenOver(batchId);
      if (rows.length > 0)
        await tx
          .insertInto('batch_rows')
          .values([...rows])
          .execute();
    });
  }

  /** From here on rows may be sent, so the batch must be ours and whole. */
  async function finishLoading(batch: BatchRecord, owner: Owner): Promise<void> {
    await store.transaction(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('batches')
        .set({ loader: null, loading_time: null })
        .where('id', '=', batch.id)
        .where('loader', '=', owner.name)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows !== 1n) throw takenOver(batch.id);
      const { count } = await tx
        .selectFrom('batch_rows')
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .where('batch_id', '=', batch.id)
        .executeTakeFirstOrThrow();
      if (Number(count) !== batch.rows) {
        throw new Error(`Batch ${batch.id} has ${count} rows, and its plan has ${batch.rows}.`);
      }
    });
  }

  /** Removes a batch that was not loaded to the end, unless somebody else has it or its loader went on since. */
  async function removeUnloaded(id: string, loader: string, since?: number): Promise<void> {
    await store.transaction(async (tx) => {
      let own = tx.deleteFrom('batches').where('id', '=', id).where('loader', '=', loader);
      if (since !== undefined) own = own.where('loading_time', '=', since);
      const { numDeletedRows } = await own.executeTakeFirstOrThrow();
      if (numDeletedRows !== 1n) return;
      await tx.deleteFrom('batch_rows').where('batch_id', '=', id).execute();
    });
  }

  return { appliedAs, insertBatch, insertRows, finishLoading, removeUnloaded };
}

function newBatch({ header, digest, rows }: PlanFile, operator: string, now: number): BatchRecord {
  return {
    id: header.id,
    action: header.action,
    base_url: header.baseUrl,
    app_id: header.appId,
    kind: header.kind,
    profile: header.profile,
    digest,
    rows,
    operator,
    time: now,
    loader: null,
    loading_time: null,
  };
}

type NewRow = Omit<BatchRow, 'id'>;

function newRow(batch: BatchRecord, row: PlanRow, again: boolean): NewRow {
  const planned = plannedOf(row.verdict, again);
  const acts = planned !== LEFT_OUT;
  return {
    batch_id: batch.id,
    line: row.line,
    typed: row.typed,
    file_amount: row.file?.amount ?? null,
    file_currency: row.file?.currency ?? null,
    planned,
    payment_id: row.payment ?? '',
    reference_id: row.reference ?? null,
    amount: row.amount ?? '',
    currency: row.currency ?? '',
    before_state: row.state ?? '',
    customer_id: row.customer ?? null,
    method_id: row.method ?? null,
    description: row.description ?? null,
    reason: row.reason ?? null,
    ticket: row.ticket ?? null,
    outcome: acts ? null : leftOutAs(batch, row.verdict),
    after_state: null,
    why: acts ? null : (row.why ?? null),
    due_time: 0,
    tries: 0,
    lease_until: null,
    lease_owner: null,
    finished: acts ? 0 : 1,
  };
}

/** The outcome of a row that the plan leaves out. */
function leftOutAs({ action }: BatchRecord, verdict: RowVerdict): RowOutcome {
  if (verdict === 'failed-before') return 'failed';
  // The ledger has an instruction as done that conflicts with what the service shows; a charge was not made.
  const isDone = verdict === 'done' || (verdict === 'conflict' && action !== 'charge');
  return isDone ? 'skipped' : 'refused';
}

function plannedOf(verdict: RowVerdict, again: boolean): number {
  if (verdict === 'act') return PLANNED;
  if (verdict === 'check') return PLANNED_CHECK;
  return verdict === 'failed-before' && again ? PLANNED_AGAIN : LEFT_OUT;
}

/** A batch with the time of the database, which alone compares with its loading time. */
type Applied = BatchRecord & { now: number };

/** Nothing was sent of a batch whose loader has ended: the next one starts over. */
function isAbandoned({ loader, loading_time: last, now }: Applied, { isGone }: Owner): boolean {
  if (loader === null) return false;
  return isGone(loader) || (last ?? 0) + LOADING_MS < now;
}

const refusalOf = (batch: BatchRecord): GuardError =>
  batch.loader === null ? appliedBefore(batch) : takenOver(batch.id);

function appliedBefore(batch: BatchRecord): GuardError {
  return new GuardError(
    `${batch.operator} has already applied this plan, as batch ${batch.id}. A plan can be applied once. Nothing was sent.`,
    {
      code: 'plan-applied',
      next: [paydesk('batch', 'resume', batch.id), paydesk('batch', 'report', batch.id)],
    },
  );
}

function takenOver(id: string): GuardError {
  return new GuardError('Another process is applying this plan. This one sent nothing.', {
    code: 'plan-in-use',
    next: [paydesk('batch', 'status', id)],
  });
}
