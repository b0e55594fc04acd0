import { sql } from 'kysely';
import type { Expression, Kysely, RawBuilder, Selectable, SqlBool } from 'kysely';
import type { Owner } from './owner.js';
import type { ClaimableTable, ClaimOptions, Engine, Store } from './types.js';

/** One statement that leases due rows; see `Store.claimDue`. On SQLite it must run in an immediate transaction. */
export async function claimDue<DB, T extends keyof DB & string>(
  db: Kysely<DB>,
  engine: Engine,
  options: ClaimOptions<DB, T>,
): Promise<Selectable<DB[T]>[]> {
  const { rows } = await claimStatement(engine, options).execute(db);
  return rows.sort((a, b) => a.due_time - b.due_time || a.id - b.id);
}

/** Apart from running it, so that a test can ask how the database would go about it. */
export function claimStatement<DB, T extends keyof DB & string>(
  engine: Engine,
  options: ClaimOptions<DB, T>,
): RawBuilder<Selectable<DB[T]> & { id: number; due_time: number }> {
  const { now, leaseMs, limit, owner, where, onePer } = options;
  const table = sql.table(options.table);
  const clock = leaseClock(engine);
  const column = onePer === undefined ? undefined : sql.ref(onePer);
  const isFirst =
    column === undefined
      ? sql``
      : sql`and not exists (
          select 1 from ${table} as earlier
          where earlier.finished = 0 and earlier.${column} = due.${column} and earlier.id < due.id
        )`;
  return sql<Selectable<DB[T]> & { id: number; due_time: number }>`
    with claimed as (
      select due.id from ${table} as due
      where due.finished = 0 and due.due_time <= ${now}
        and (due.lease_until is null or due.lease_until <= ${clock})
        ${where === undefined ? sql`` : sql`and (${where})`}
        ${isFirst}
      order by due.due_time, due.id
      limit ${sql.lit(limit)}
      ${engine === 'postgres' ? sql`for update skip locked` : sql``}
    )
    update ${table} set lease_until = ${clock} + ${sql.lit(leaseMs)}, lease_owner = ${owner}
    where id in (select id from claimed)
    returning *`;
}

interface AbandonedOptions<DB> {
  table: ClaimableTable<DB>;
  /** Decides which processes are gone. */
  owner: Owner;
  /** A condition on the rows, as for `claimDue`. */
  where: Expression<SqlBool>;
  /** When the released rows are due; unchanged where it is absent. */
  dueTime?: number;
}

/** Ends the leases of processes that are known to have ended, so that their rows can be claimed at once. */
export async function releaseAbandoned<DB>(store: Store<DB>, options: AbandonedOptions<DB>): Promise<void> {
  const { owner, where, dueTime } = options;
  const table = sql.table(options.table);
  const due = dueTime === undefined ? sql`` : sql`, due_time = ${dueTime}`;
  const { rows } = await sql<{ name: string | null }>`
    select distinct due.lease_owner as name from ${table} as due
    where due.finished = 0 and due.lease_until is not null and (${where})`.execute(store.db);
  for (const { name } of rows) {
    if (name === null || !owner.isGone(name)) continue;
    await store.transaction((tx) =>
      sql`update ${table} as due set lease_until = null, lease_owner = null${due}
        where due.finished = 0 and due.lease_owner = ${name} and (${where})`.execute(tx),
    );
  }
}

/** Leases are compared among machines, so on PostgreSQL the server's clock decides. */
export function leaseClock(engine: Engine): RawBuilder<number> {
  return engine === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`${Date.now()}`;
}
