import { sql } from 'kysely';
import type { Kysely, SqlBool } from 'kysely';
import type * as columns from '../../src/store/columns.js';
import type { Migration } from '../../src/store/types.js';

/** The helpers are given, because child processes run this file with the compiled store. */
export function createMigrations({ blobType, idColumn, startIdsAt }: typeof columns): Migration[] {
  return [
    {
      name: 'payments',
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('payment')
          .addColumn('id', ...idColumn(db))
          .addColumn('reference', 'text', (column) => column.notNull().unique())
          .addColumn('amount', 'text')
          .addColumn('created_time', 'bigint')
          .addColumn('body', blobType(db))
          .execute();
        await startIdsAt(db, 'payment', 'id', 100_001);
      },
    },
    {
      name: 'jobs',
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('job')
          .addColumn('id', ...idColumn(db))
          .addColumn('payment_id', 'bigint', (column) => column.notNull())
          .addColumn('kind', 'text', (column) => column.notNull())
          .addColumn('due_time', 'bigint', (column) => column.notNull())
          .addColumn('lease_until', 'bigint')
          .addColumn('lease_owner', 'text')
          .addColumn('finished', 'integer', (column) => column.notNull().defaultTo(0))
          .execute();
        const unfinished = (name: string, columns: string[]) =>
          db.schema
            .createIndex(name)
            .on('job')
            .columns(columns)
            .where(sql<SqlBool>`finished = 0`)
            .execute();
        await unfinished('job_due', ['due_time', 'id']);
        await unfinished('job_first', ['payment_id', 'id']);
        await db.schema
          .createTable('counter')
          .addColumn('name', 'text', (column) => column.primaryKey())
          .addColumn('value', 'integer', (column) => column.notNull())
          .execute();
      },
    },
  ];
}
