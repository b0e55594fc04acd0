import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { StoreError } from './errors.js';
import type { Migration } from './types.js';

/** Which migrations a database still lacks. `applied` is in the order in which they were run. */
export function pendingMigrations(applied: string[], known: Migration[], place: string): Migration[] {
  const strange = applied.find((name, index) => known[index]?.name !== name);
  if (strange !== undefined) {
    throw new StoreError(
      'store-newer',
      `The database ${place} has format ${applied.length} with "${strange}", which this paydesk does not know (it knows format ${known.length}). ` +
        'It was written by a newer paydesk: update this one, or use another database.',
    );
  }
  return known.slice(applied.length);
}

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

export const APPLIED_MIGRATIONS = 'select name from store_migration order by format';

/** The names in `store_migration`, which must exist. */
export async function appliedMigrations(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql.raw<{ name: string }>(APPLIED_MIGRATIONS).execute(db);
  return rows.map((row) => row.name);
}
