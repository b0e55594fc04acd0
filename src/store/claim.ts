import { sql } from 'kysely';
import type { Kysely, RawBuilder, Selectable } from 'kysely';
import type { ClaimOptions, Engine } from './types.js';

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

/** Leases are compared among machines, so on PostgreSQL the server's clock decides. */
export function leaseClock(engine: Engine): RawBuilder<number> {
  return engine === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`${Date.now()}`;
}
