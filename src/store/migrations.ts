import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { APPLIED_MIGRATIONS, pendingMigrations } from './pending-migrations.js';
import type { Migration } from './types.js';

/** To be called within a transaction that keeps other processes from migrating. */
export async function applyMigrations(db: Kysely<unknown>, known: Migration[], place: string): Promise<void> {
  await sql`create table if not exists store_migration (format integer primary key, name text not null, applied_time bigint not null)`.execute(
    db,
  );
  const applied = await appliedMigrations(db);
  let format = applied.length;
  for (const migration of pendingMigrations(applied, known, place)) {
    format += 1;
    await migration.up(db);
    await sql`insert into store_migration (format, name, applied_time) values (${format}, ${migration.name}, ${Date.now()})`.execute(
      db,
    );
  }
}

/** The names in `store_migration`, which must exist. */
export async function appliedMigrations(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql.raw<{ name: string }>(APPLIED_MIGRATIONS).execute(db);
  return rows.map((row) => row.name);
}
