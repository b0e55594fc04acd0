// How a batch stands: how many rows of each kind there are, and what they come to in each currency.

import { sql, type RawBuilder } from 'kysely';
import { fromHundredths } from '../../contract/money.js';
import type { BatchRecord, BatchRow, DeskTables } from '../../ledger/schema.js';
import type { Engine, Store } from '../../store/store.js';
import { PLANNED_CHECK } from './loading.js';
import { createTotals, hundredthsOf } from '../totals.js';
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
  if (planned === 0) return 'leftOut';
  return outcome === 'accepted' ? 'accepted' : groupOf(outcome);
};

export async function countRows(
  store: Store<DeskTables>,
  batch: BatchRecord,
  tally: Tally = createTally(batch),
): Promise<BatchCounts> {
  const found = await store.db
    .selectFrom('batch_rows')
    .select(['outcome', 'planned', 'currency'])
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .select(sql<string | null>`cast(sum(${hundredths(store.engine)}) as text)`.as('sum'))
    .where('batch_id', '=', batch.id)
    .groupBy(['outcome', 'planned', 'currency'])
    .execute();
  for (const { outcome, planned, currency, count, sum } of found) {
    tally.add({ outcome, planned, currency }, Number(count), BigInt(sum ?? 0));
  }
  return tally.counts();
}

/** Amounts that the service would not take (more than two decimals) are not counted. */
function hundredths(engine: Engine): RawBuilder<number> {
  if (engine === 'postgres') {
    return sql`case when amount ~ '^\\d{1,13}(\\.\\d{1,2})?$' then (amount::numeric * 100)::bigint else 0 end`;
  }
  return sql`case
    when amount = '' or length(amount) > 15 or amount glob '*[^0-9.]*' then 0
    when instr(amount, '.') = 0 then cast(amount as integer) * 100
    when length(amount) - instr(amount, '.') > 2 then 0
    else cast(amount as integer) * 100 + cast(substr(substr(amount, instr(amount, '.') + 1) || '00', 1, 2) as integer)
  end`;
}

/** Counts that follow a run row by row. */
export interface Tally {
  add(row: Pick<BatchRow, 'outcome' | 'planned' | 'currency'>, count: number, sum: bigint): void;
  /** A row has a new outcome, and a charge the currency that its payment shows. */
  move(row: BatchRow, result: { outcome: RowOutcome; currency?: string | undefined }): void;
  counts(): BatchCounts;
}

export function createTally(batch: Pick<BatchRecord, 'action' | 'rows'>): Tally {
  const counts = Object.fromEntries(groups.map((group) => [group, 0])) as Record<Group, number>;
  const parts = { accepted: 0, throttled: 0, doneBefore: 0, failedBefore: 0, leftOut: 0 };
  const sums = createSums(groups);
  const screenSums = createSums(screenGroups);

  const add: Tally['add'] = ({ outcome, planned, currency }, count, sum) => {
    const group = groupOf(outcome);
    counts[group] += count;
    if (outcome === 'accepted') parts.accepted += count;
    if (outcome === 'throttled') parts.throttled += count;
    if (planned === 0) parts.leftOut += count;
    if (planned === 0 && group === 'skipped') parts.doneBefore += count;
    if (planned === 0 && group === 'failed') parts.failedBefore += count;
    if (currency === '' || batch.action === 'recheck') return;
    sums.add(group, currency, sum);
    screenSums.add(screenGroupOf({ outcome, planned }), currency, sum);
  };

  return {
    add,
    move(row, { outcome, currency = row.currency }) {
      const sum = hundredthsOf(row.amount) ?? 0n;
      add(row, -1, -sum);
      add({ ...row, outcome, currency }, 1, sum);
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

/** Sums of money by group and currency. */
function createSums<G extends string>(names: readonly G[]) {
  const sums = new Map(names.map((name) => [name, new Map<string, bigint>()]));
  return {
    add(name: G, currency: string, sum: bigint): void {
      const money = sums.get(name);
      money?.set(currency, (money.get(currency) ?? 0n) + sum);
    },
    totals: () =>
      Object.fromEntries([...sums].map(([name, money]) => [name, decimals(money)])) as Record<
        G,
        Record<string, string>
      >,
  };
}

function decimals(sums: ReadonlyMap<string, bigint>): Record<string, string> {
  return Object.fromEntries(
    [...sums]
      .filter(([, sum]) => sum !== 0n)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, sum]) => [currency, fromHundredths(sum)]),
  );
}

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

/** The rows that may still be sent, and their totals by currency; a row that is only checked is none of them. */
export async function leftToSend(
  rows: AsyncIterable<BatchRow>,
  withUnknown: boolean,
): Promise<{ count: number; totals: Record<string, string> }> {
  const totals = createTotals();
  let count = 0;
  for await (const { outcome, planned, amount, currency } of rows) {
    const isLeft = groupOf(outcome) === 'pending' || (withUnknown && outcome === 'unknown');
    if (!isLeft || planned === PLANNED_CHECK) continue;
    count += 1;
    totals.add(amount, currency);
  }
  return { count, totals: totals.sums() };
}
