// How a batch stands: how many rows of each kind there are, and what they come to in each currency.

import { sql, type RawBuilder } from 'kysely';
import { fromUnits } from '../../contract/exact.js';
import { createTotals, type Totals } from '../../contract/totals.js';
import {
  type BatchRecord,
  type BatchRow,
  type DeskTables,
  LEFT_OUT,
  PLANNED_CHECK,
} from '../../ledger/schema.js';
import type { Engine, Store } from '../../store/store.js';
import type { ToSend } from '../plan/plan-row.js';
import type { RowOutcome } from './worked-row.js';

/** Every row is in exactly one of these. */
export const groups = ['done', 'refused', 'failed', 'skipped', 'unknown', 'pending'] as const;
type Group = (typeof groups)[number];

/** Rows as a person reads them: what the service has only accepted is not done, and what the plan left out was not refused. */
export const screenGroups = [
  'done',
  'accepted',
  'refused',
  'failed',
  'skipped',
  'unknown',
  'pending',
  'leftOut',
] as const;
export type ScreenGroup = (typeof screenGroups)[number];

export interface BatchCounts extends Record<Group, number> {
  /** Of those done: the service has accepted them and has not finished them. */
  accepted: number;
  /** Of those pending: the service asked to send them later, and the run ended before it took them. */
  throttled: number;
  /** Of those skipped: done already when the plan was made. */
  doneBefore: number;
  /** Of those failed: sent and failed before the plan was made, and not sent again. */
  failedBefore: number;
  /** Rows of any kind that the plan left out. */
  leftOut: number;
  /** By currency, as exact decimals; empty for a recheck, which moves no money. */
  totals: Record<Group, Record<string, string>>;
  /** The same for the groups that a person reads; not in JSON. */
  screenTotals: Record<ScreenGroup, Record<string, string>>;
}

const groupOfOutcome: Readonly<Record<RowOutcome, Group>> = {
  done: 'done',
  accepted: 'done',
  refused: 'refused',
  failed: 'failed',
  skipped: 'skipped',
  unknown: 'unknown',
  unsent: 'pending',
  throttled: 'pending',
};

export const groupOf = (outcome: RowOutcome | null): Group => groupOfOutcome[outcome ?? 'unsent'];

const screenGroupOf = ({ outcome, planned }: Pick<BatchRow, 'outcome' | 'planned'>): ScreenGroup => {
  if (planned === LEFT_OUT) return 'leftOut';
  return outcome === 'accepted' ? 'accepted' : groupOf(outcome);
};

export async function countRows(
  store: Store<DeskTables>,
  batch: BatchRecord,
  tally: Tally = createTally(batch),
): Promise<BatchCounts> {
  const units = thousandths(store.engine);
  const found = await store.db
    .selectFrom('batch_rows')
    .select(['outcome', 'planned', 'currency'])
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .select(sql<string | null>`cast(sum(${units}) as text)`.as('sum'))
    // Every other amount is a group of its own, and is added outside the database.
    .select(sql<string | null>`case when ${units} is null then amount end`.as('other'))
    .where('batch_id', '=', batch.id)
    .groupBy(['outcome', 'planned', 'currency', 'other'])
    .execute();
  for (const { count, sum, other, ...rows } of found) {
    const money = sum === null ? { amount: other ?? '' } : { sum: fromUnits(BigInt(sum), 3) };
    tally.add({ ...rows, ...money }, Number(count));
  }
  return tally.counts();
}

/** A whole number for an amount with at most three decimals, small enough that no sum overflows; null for any other. */
function thousandths(engine: Engine): RawBuilder<number | null> {
  if (engine === 'postgres') {
    return sql`case when amount ~ '^\\d{1,9}(\\.\\d{1,3})?$' then (amount::numeric * 1000)::bigint end`;
  }
  const digits = sql`cast(replace(amount, '.', '') as integer)`;
  return sql`case
    when amount glob '*[^0-9.]*' or amount glob '*.*.*' or amount not glob '[0-9]*' then null
    when cast(amount as integer) > 999999999 then null
    when amount not glob '*.*' then ${digits} * 1000
    when amount glob '*.[0-9]' then ${digits} * 100
    when amount glob '*.[0-9][0-9]' then ${digits} * 10
    when amount glob '*.[0-9][0-9][0-9]' then ${digits}
  end`;
}

type RowKind = Pick<BatchRow, 'outcome' | 'planned' | 'currency'>;

/** Counts that follow a run row by row. */
export interface Tally {
  /** `count` rows of one kind, with the amount of each of them or the sum of all. */
  add(rows: RowKind & ({ amount: string } | { sum: string }), count: number): void;
  /** A row has a new outcome, and a charge the currency that its payment shows. */
  move(row: BatchRow, result: { outcome: RowOutcome; currency?: string | undefined }): void;
  counts(): BatchCounts;
}

export function createTally(batch: Pick<BatchRecord, 'action' | 'rows'>): Tally {
  const counts = Object.fromEntries(groups.map((group) => [group, 0])) as Record<Group, number>;
  const parts = { accepted: 0, throttled: 0, doneBefore: 0, failedBefore: 0, leftOut: 0 };
  const sums = createSums(groups);
  const screenSums = createSums(screenGroups);

  const add: Tally['add'] = ({ outcome, planned, currency, ...money }, count) => {
    const group = groupOf(outcome);
    counts[group] += count;
    if (outcome === 'accepted') parts.accepted += count;
    if (outcome === 'throttled') parts.throttled += count;
    if (planned === LEFT_OUT) parts.leftOut += count;
    if (planned === LEFT_OUT && group === 'skipped') parts.doneBefore += count;
    if (planned === LEFT_OUT && group === 'failed') parts.failedBefore += count;
    if (currency === '' || batch.action === 'recheck') return;
    const [amount, times] = 'sum' in money ? [money.sum, 1] : [money.amount, count];
    sums.of(group).add(amount, currency, times);
    screenSums.of(screenGroupOf({ outcome, planned })).add(amount, currency, times);
  };

  return {
    add,
    move(row, { outcome, currency = row.currency }) {
      add(row, -1);
      add({ ...row, outcome, currency }, 1);
    },
    counts() {
      const { pending: _, ...finished } = counts;
      const total = Object.values(finished).reduce((sum, count) => sum + count, 0);
      // Rows that are missing in the database are still to be done, so that no batch looks finished without them.
      return {
        ...counts,
        pending: batch.rows - total,
        ...parts,
        totals: sums.totals(),
        screenTotals: screenSums.totals(),
      };
    },
  };
}

/** Totals of money by group. */
function createSums<G extends string>(names: readonly G[]) {
  const groupTotals = Object.fromEntries(names.map((name) => [name, createTotals()])) as Record<G, Totals>;
  return {
    of: (name: G): Totals => groupTotals[name],
    totals: () =>
      Object.fromEntries(names.map((name) => [name, withoutZeros(groupTotals[name].sums())])) as Record<
        G,
        Record<string, string>
      >,
  };
}

/** A group that every row of a currency has left has a sum of zero. */
const withoutZeros = (sums: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(sums).filter(([, sum]) => /[1-9]/.test(sum)));

/** Rows that the plan acts on, by kind: what a run makes progress with. */
export function actedOn(counts: BatchCounts): Record<Group, number> {
  const { done, refused, failed, skipped, unknown, pending, leftOut, doneBefore, failedBefore } = counts;
  return {
    done,
    refused: refused - (leftOut - doneBefore - failedBefore),
    failed: failed - failedBefore,
    skipped: skipped - doneBefore,
    unknown,
    pending,
  };
}

/** How many rows there are of each kind that a person reads. */
export function screenCounts(counts: BatchCounts): Record<ScreenGroup, number> {
  const { done, ...others } = actedOn(counts);
  const { accepted, leftOut } = counts;
  return { done: done - accepted, accepted, ...others, leftOut };
}

/** What may still be sent; a row that is only checked is no part of it. */
export async function leftToSend(
  rows: AsyncIterable<BatchRow>,
  action: BatchRecord['action'],
  { withUnknown }: { withUnknown: boolean },
): Promise<ToSend> {
  const totals = createTotals();
  let count = 0;
  for await (const { outcome, planned, amount, currency } of rows) {
    const isLeft = groupOf(outcome) === 'pending' || (withUnknown && outcome === 'unknown');
    if (!isLeft || planned === PLANNED_CHECK) continue;
    count += 1;
    if (action !== 'recheck') totals.add(amount, currency);
  }
  return { rows: count, totals: totals.sums(), withoutAmount: totals.withoutAmount() };
}
