import { PostgresAdapter, sql } from 'kysely';
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';

export function isPostgres(db: Kysely<unknown>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** Type and constraints of a primary key that the database counts up: `.addColumn('id', ...idColumn(db))`. */
export function idColumn(
  db: Kysely<unknown>,
): ['integer' | 'bigint', (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder] {
  return isPostgres(db)
    ? ['bigint', (column) => column.generatedByDefaultAsIdentity().primaryKey()]
    : ['integer', (column) => column.primaryKey().autoIncrement()];
}

/** Makes `first` the next id that the database gives out, for an empty table with an `idColumn`. */
export async function startIdsAt<DB>(
  db: Kysely<DB>,
  table: string,
  column: string,
  first: number,
): Promise<void> {
  if (isPostgres(db as unknown as Kysely<unknown>)) {
    await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} restart with ${sql.lit(first)}`.execute(
      db,
    );
    return;
  }
  await sql`delete from sqlite_sequence where name = ${table}`.execute(db);
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${first - 1})`.execute(db);
}

/** The column type for bytes. */
export function blobType(db: Kysely<unknown>): 'blob' | 'bytea' {
  return isPostgres(db) ? 'bytea' : 'blob';
}
