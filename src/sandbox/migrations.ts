import { sql, type Kysely } from 'kysely';
import { idColumn, isPostgres, startIdsAt } from '../store/columns.js';
import type { Migration } from '../store/store.js';

/** The first id that each table gives out, so that ids of different kinds are not mistaken for each other. */
export const firstIds = {
  payments: ['payment_id', 100001],
  customers: ['id', 1],
  methods: ['payment_method_id', 3001],
  provider_profiles: ['payment_profile_id', 1],
  fraud_policies: ['fraud_policy_id', 1],
  events: ['id', 1],
  attempts: ['id', 1],
  operations: ['id', 1],
  exchanges: ['id', 1],
  jobs: ['id', 1],
  faults: ['id', 1],
} as const satisfies Record<string, readonly [string, number]>;

export async function restartIds<DB>(db: Kysely<DB>): Promise<void> {
  for (const [table, [column, first]] of Object.entries(firstIds)) await startIdsAt(db, table, column, first);
}

/** Where a webhook stands, as the index has it: one without an outcome is queued, or retried once it has failed. */
export const webhookStanding = `coalesce(outcome, case when attempts > 0 then 'retrying' else 'queued' end)`;

/** What a search compares, as the indexes have it: without capitals. A name is found by its beginning or by the last name. */
export const customerTexts = {
  email: `lower(coalesce(email, ''))`,
  name: `lower(coalesce(first_name, '') || ' ' || coalesce(last_name, ''))`,
  surname: `lower(coalesce(last_name, ''))`,
} as const;

export const migrations: Migration[] = [
  {
    name: 'service',
    async up(db) {
      await createSettings(db);
      await createApps(db);
      await createCustomers(db);
      await createPayments(db);
      await createWebhooks(db);
      await createOperations(db);
      await createWork(db);
      await restartIds(db);
    },
  },
  {
    name: 'console',
    async up(db) {
      const { schema } = db;
      await schema.alterTable('events').addColumn('via', 'text').execute();
      await schema.alterTable('operations').addColumn('via', 'text').execute();
      for (const table of ['operations', 'exchanges']) {
        await schema
          .alterTable(table)
          .addColumn('version', 'integer', (column) => column.notNull().defaultTo(0))
          .execute();
      }
      await schema.alterTable('exchanges').addColumn('answered_time', 'bigint').execute();
      await schema.alterTable('attempts').addColumn('content_type', 'text').execute();
      await schema.alterTable('attempts').addColumn('body', 'text').execute();
      // Two for all lists of payments: each page is merged from ranges of one of them. See `newestOf` for the order.
      const newest = (column: string) => (isPostgres(db) ? sql`(-${sql.ref(column)})` : sql.ref(column));
      await sql`create index payments_by_state on payments (app_id, state, ${newest('payment_id')})`.execute(
        db,
      );
      await sql`create index payments_of_customer on payments (app_id, customer_id, ${newest('payment_id')})`.execute(
        db,
      );
      // Changes of payments without a webhook address have no place in it, and cost nothing.
      await sql`create index events_outbox on events (${sql.raw(webhookStanding)}, ${newest('id')}) where url is not null`.execute(
        db,
      );
      // For searches by amount, by day, and by what a customer is called.
      await sql`create index payments_by_amount on payments (app_id, amount, ${newest('payment_id')})`.execute(
        db,
      );
      await sql`create index payments_by_time on payments (app_id, created_time, payment_id)`.execute(db);
      for (const [name, text] of Object.entries(customerTexts)) {
        const bytes = isPostgres(db) ? sql`(${sql.raw(text)} collate "C")` : sql`${sql.raw(text)}`;
        await sql`create index ${sql.ref(`customers_by_${name}`)} on customers (app_id, ${bytes}, id)`.execute(
          db,
        );
      }
      if (!isPostgres(db)) return;
      await sql`create index customers_newest on customers (app_id, ${newest('id')})`.execute(db);
      // SQLite compares bytes anyway; here the unique indexes follow the language of the database.
      await sql`create index payments_by_reference on payments (app_id, reference_id collate "C")`.execute(
        db,
      );
      await sql`create index customers_by_own_id on customers (app_id, customer_id collate "C")`.execute(db);
    },
  },
  {
    name: 'stale reads',
    async up(db) {
      await db.schema.alterTable('payments').addColumn('before_change', 'text').execute();
      // Of changes that were made before this column was there, only the state is known.
      await sql`
        update payments set before_change = (
          select '{"state":"' || from_state || '"' ||
            case when to_state = 'Captured' and from_state = 'Capturing' then ',"captured_amount":"0"' else '' end ||
            '}'
          from events
          where events.payment_id = payments.payment_id and events.version = payments.version
        )`.execute(db);
    },
  },
];

async function createSettings(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('settings')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('clock')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('stopped', 'integer', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('real', 'bigint', (column) => column.notNull())
    .execute();
}

async function createApps(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('apps')
    .addColumn('app_id', 'text', (column) => column.primaryKey())
    .addColumn('api_key', 'text', (column) => column.notNull().unique())
    .addColumn('friendly_name', 'text', (column) => column.notNull())
    .addColumn('is_sandbox', 'integer', (column) => column.notNull())
    .addColumn('is_blocked', 'integer', (column) => column.notNull())
    .addColumn('webhook_url', 'text')
    .addColumn('fraud_policy_id', 'bigint')
    .addColumn('created_time', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createTable('provider_profiles')
    .addColumn('payment_profile_id', ...idColumn(db))
    .addColumn('app_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('method_type', 'text', (column) => column.notNull())
    .addColumn('is_active', 'integer', (column) => column.notNull())
    .addColumn('window_ms', 'bigint', (column) => column.notNull())
    .addColumn('delay_ms', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createTable('fraud_policies')
    .addColumn('fraud_policy_id', ...idColumn(db))
    .addColumn('app_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('rule', 'text', (column) => column.notNull())
    .addColumn('threshold', 'text')
    .execute();
}

async function createCustomers(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('customers')
    .addColumn('id', ...idColumn(db))
    .addColumn('app_id', 'text', (column) => column.notNull())
    .addColumn('customer_id', 'text', (column) => column.notNull())
    .addColumn('first_name', 'text')
    .addColumn('last_name', 'text')
    .addColumn('email', 'text')
    .addColumn('mobile_number', 'text')
    .addColumn('fraud_policy_id', 'bigint')
    .addColumn('created_time', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('customers_own_id', ['app_id', 'customer_id'])
    .execute();
  await schema.createIndex('customers_in_order').on('customers').columns(['app_id', 'id']).execute();
  await schema
    .createTable('methods')
    .addColumn('payment_method_id', ...idColumn(db))
    .addColumn('app_id', 'text', (column) => column.notNull())
    .addColumn('customer_id', 'text', (column) => column.notNull())
    .addColumn('method_type', 'text', (column) => column.notNull())
    .addColumn('card', 'text', (column) => column.notNull())
    .addColumn('brand', 'text')
    .addColumn('card_type', 'text')
    .addColumn('expiry_month', 'integer')
    .addColumn('expiry_year', 'integer')
    .addColumn('payment_profile_id', 'bigint', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('registered_by', 'bigint', (column) => column.notNull())
    .addColumn('is_stopped', 'integer', (column) => column.notNull())
    .addColumn('is_removed', 'integer', (column) => column.notNull())
    .addColumn('created_time', 'bigint', (column) => column.notNull())
    .addColumn('last_payment_id', 'bigint')
    .execute();
  await schema
    .createIndex('methods_of_customer')
    .on('methods')
    .columns(['app_id', 'customer_id', 'payment_method_id'])
    .execute();
}

async function createPayments(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('payments')
    .addColumn('payment_id', ...idColumn(db))
    .addColumn('app_id', 'text', (column) => column.notNull())
    .addColumn('reference_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('amount', 'text', (column) => column.notNull())
    .addColumn('captured_amount', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('auto_capture', 'integer', (column) => column.notNull())
    .addColumn('flow', 'text', (column) => column.notNull())
    .addColumn('auto_payment', 'text', (column) => column.notNull())
    .addColumn('fraud_status', 'text', (column) => column.notNull())
    .addColumn('customer_id', 'text', (column) => column.notNull())
    .addColumn('return_url', 'text')
    .addColumn('webhook_url', 'text')
    .addColumn('payer_ip', 'text')
    .addColumn('payer', 'text')
    .addColumn('created_time', 'bigint', (column) => column.notNull())
    .addColumn('changed_time', 'bigint', (column) => column.notNull())
    .addColumn('expiration_time', 'bigint')
    .addColumn('authorised_until', 'bigint')
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('card', 'text')
    .addColumn('payment_profile_id', 'bigint')
    .addColumn('save_method', 'integer', (column) => column.notNull())
    .addColumn('method_id', 'bigint')
    .addColumn('pay_info', 'text')
    .addColumn('failure', 'text')
    .addColumn('provider_knows', 'text')
    .addColumn('version', 'integer', (column) => column.notNull())
    .addUniqueConstraint('payments_own_reference', ['app_id', 'reference_id'])
    .execute();
}

async function createWebhooks(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('events')
    .addColumn('id', ...idColumn(db))
    .addColumn('payment_id', 'bigint', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('from_state', 'text')
    .addColumn('to_state', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('cause', 'text', (column) => column.notNull())
    .addColumn('url', 'text')
    .addColumn('due_time', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('lease_until', 'bigint')
    .addColumn('lease_owner', 'text')
    .addColumn('finished', 'integer', (column) => column.notNull())
    .addColumn('outcome', 'text')
    .addUniqueConstraint('events_of_payment', ['payment_id', 'version'])
    .execute();
  await sql`create index events_due on events (due_time, id) where finished = 0`.execute(db);
  await sql`create index events_waiting on events (payment_id, id) where finished = 0`.execute(db);
  await schema
    .createTable('attempts')
    .addColumn('id', ...idColumn(db))
    .addColumn('event_id', 'bigint', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('error', 'text')
    .addColumn('ms', 'integer', (column) => column.notNull())
    .addColumn('answer', 'text')
    .execute();
  await schema.createIndex('attempts_of_event').on('attempts').columns(['event_id', 'id']).execute();
}

async function createOperations(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('operations')
    .addColumn('id', ...idColumn(db))
    .addColumn('payment_id', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('from_state', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('finished_time', 'bigint')
    .execute();
  await schema.createIndex('operations_of_payment').on('operations').columns(['payment_id', 'id']).execute();
  await schema
    .createTable('exchanges')
    .addColumn('id', ...idColumn(db))
    .addColumn('payment_id', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('done', 'integer', (column) => column.notNull())
    .addColumn('answer', 'text', (column) => column.notNull())
    .execute();
  await schema.createIndex('exchanges_of_payment').on('exchanges').columns(['payment_id', 'id']).execute();
}

async function createWork(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('jobs')
    .addColumn('id', ...idColumn(db))
    .addColumn('payment_id', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('due_time', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('jobs_due').on('jobs').columns(['due_time', 'id']).execute();
  await schema.createIndex('jobs_of_payment').on('jobs').columns(['payment_id']).execute();
  await schema
    .createTable('faults')
    .addColumn('id', ...idColumn(db))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('route', 'text', (column) => column.notNull())
    .addColumn('remaining', 'integer')
    .addColumn('probability', 'real')
    .addColumn('seen', 'integer', (column) => column.notNull())
    .addColumn('options', 'text', (column) => column.notNull())
    .execute();
}
