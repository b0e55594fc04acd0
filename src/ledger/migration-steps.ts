// How the tables of the desk's database are made. Apart from their names: a database is nearly always up to date.

import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { idColumn } from '../store/columns.js';
import type { Migration } from '../store/types.js';
import { createInboxTables } from './inbox-schema.js';
import { addCapturedAmount, createKnownTables } from './known/schema.js';
import { createPlaceTable } from './place/schema.js';
import { createResolveTables } from './resolve-schema.js';

export const steps = {
  async ledger(db) {
    await db.schema
      .createTable('intents')
      .addColumn('id', ...idColumn(db))
      .addColumn('app_id', 'text', (column) => column.notNull())
      .addColumn('payment_id', 'text', (column) => column.notNull())
      .addColumn('reference_id', 'text')
      .addColumn('customer_id', 'text')
      .addColumn('operation', 'text', (column) => column.notNull())
      .addColumn('amount', 'text')
      .addColumn('currency', 'text')
      .addColumn('before_state', 'text')
      .addColumn('before_fingerprint', 'text')
      .addColumn('base_url', 'text', (column) => column.notNull())
      .addColumn('profile', 'text')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('operator', 'text', (column) => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('ticket', 'text')
      .addColumn('description', 'text')
      .addColumn('time', 'bigint', (column) => column.notNull())
      .addColumn('boot', 'text', (column) => column.notNull())
      .addColumn('steady_ms', 'bigint', (column) => column.notNull())
      .addColumn('quiet_ms', 'bigint', (column) => column.notNull())
      .addColumn('resend_of', 'bigint')
      .addColumn('batch_id', 'text')
      .addColumn('retired', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`create index intents_of_payment on intents (payment_id, app_id, operation, id)`.execute(db);
    await sql`create index intents_in_time on intents (time, id)`.execute(db);
    await db.schema
      .createTable('outcomes')
      .addColumn('id', ...idColumn(db))
      .addColumn('intent_id', 'bigint', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('after_state', 'text')
      .addColumn('why', 'text')
      .addColumn('http_status', 'integer')
      .addColumn('may_have_left', 'integer', (column) => column.notNull())
      .addColumn('operator', 'text', (column) => column.notNull())
      .addColumn('time', 'bigint', (column) => column.notNull())
      .addColumn('boot', 'text', (column) => column.notNull())
      .addColumn('steady_ms', 'bigint', (column) => column.notNull())
      .execute();
    await sql`create index outcomes_of_intent on outcomes (intent_id, id)`.execute(db);
    await sql`create index outcomes_not_done on outcomes (outcome, intent_id) where outcome in ('failed', 'refused', 'unsent')`.execute(
      db,
    );
    await db.schema
      .createTable('holds')
      .addColumn('app_id', 'text', (column) => column.notNull())
      .addColumn('payment_id', 'text', (column) => column.notNull())
      .addColumn('intent_id', 'bigint', (column) => column.notNull())
      .addColumn('boot', 'text', (column) => column.notNull())
      .addColumn('steady_ms', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('holds_one_per_payment', ['app_id', 'payment_id'])
      .execute();
    await db.schema.createIndex('holds_of_intent').on('holds').column('intent_id').execute();
    await db.schema
      .createTable('generations')
      .addColumn('app_id', 'text', (column) => column.primaryKey())
      .addColumn('generation', 'text', (column) => column.notNull())
      .execute();
  },
  async batches(db) {
    await db.schema
      .createTable('batches')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('base_url', 'text', (column) => column.notNull())
      .addColumn('app_id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('profile', 'text')
      .addColumn('digest', 'text', (column) => column.notNull().unique())
      .addColumn('rows', 'integer', (column) => column.notNull())
      .addColumn('operator', 'text', (column) => column.notNull())
      .addColumn('time', 'bigint', (column) => column.notNull())
      .addColumn('loader', 'text')
      .addColumn('loading_time', 'bigint')
      .execute();
    await db.schema
      .createTable('batch_rows')
      .addColumn('id', ...idColumn(db))
      .addColumn('batch_id', 'text', (column) => column.notNull())
      .addColumn('line', 'integer', (column) => column.notNull())
      .addColumn('typed', 'text', (column) => column.notNull())
      .addColumn('file_amount', 'text')
      .addColumn('file_currency', 'text')
      .addColumn('planned', 'integer', (column) => column.notNull())
      .addColumn('payment_id', 'text', (column) => column.notNull())
      .addColumn('reference_id', 'text')
      .addColumn('amount', 'text', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('before_state', 'text', (column) => column.notNull())
      .addColumn('customer_id', 'text')
      .addColumn('method_id', 'text')
      .addColumn('description', 'text')
      .addColumn('reason', 'text')
      .addColumn('ticket', 'text')
      .addColumn('outcome', 'text')
      .addColumn('after_state', 'text')
      .addColumn('why', 'text')
      .addColumn('due_time', 'bigint', (column) => column.notNull())
      .addColumn('tries', 'integer', (column) => column.notNull())
      .addColumn('lease_until', 'bigint')
      .addColumn('lease_owner', 'text')
      .addColumn('finished', 'integer', (column) => column.notNull())
      .execute();
    await sql`create index batch_rows_due on batch_rows (batch_id, due_time, id) where finished = 0`.execute(
      db,
    );
    await sql`create index batch_rows_of_batch on batch_rows (batch_id, id)`.execute(db);
  },
  async identity(db) {
    await db.schema
      .createTable('identity')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('plan_key', 'text', (column) => column.notNull())
      .addColumn('adopted_boot', 'text')
      .addColumn('adopted_ms', 'bigint')
      .execute();
    const [id, key] = [randomUUID(), randomBytes(32).toString('hex')];
    await sql`insert into identity (id, plan_key) values (${id}, ${key})`.execute(db);
  },
  'known-payments': createKnownTables,
  inbox: createInboxTables,
  'resolve-sessions': createResolveTables,
  'ledger-place': createPlaceTable,
  'captured-amount': addCapturedAmount,
  async 'waiting-batch-rows'(db) {
    await sql`create index batch_rows_waiting on batch_rows (payment_id) where finished = 0`.execute(db);
  },
} satisfies Record<string, Migration['up']>;
