import { sql, type Generated, type Kysely, type Selectable } from 'kysely';
import type { SettleOperation } from '../../contract/states.js';
import { idColumn, isPostgres } from '../../store/columns.js';
import type { Migration } from '../../store/store.js';

/** A payment that this desk created, changed, read, imported or received webhooks for, as it was last seen. */
interface KnownPaymentTable {
  /** Higher for what became known later. */
  id: Generated<number>;
  app_id: string;
  payment_id: string;
  reference_id: string | null;
  customer_id: string | null;
  amount: string | null;
  /** The same for comparing; the text is the exact one. */
  amount_number: number | null;
  currency: string | null;
  /**
   * What was captured; empty where the service does not show it. Null while the payment was not read since it was
   * captured.
   */
  captured_amount: string | null;
  /** Our name for the state where there is one, otherwise the service's; empty where it showed none. */
  state: string;
  webhook_url: string | null;
  /** By the service's own account. */
  created_time: number | null;
  source: string;
  known_time: number;
  /** When this state was first seen. */
  state_time: number;
  /** The earliest time at which it may have come to be in this state. */
  since_time: number;
  /** The operation that was in progress or done before this state was seen, and is not any more. */
  failed_operation: SettleOperation | null;
  /** When it was last seen at all. */
  seen_time: number;
  /** What the provider said of it: its references, and who paid. */
  provider_reference: string | null;
  authorize_id: string | null;
  capture_id: string | null;
  /** What the provider keeps, and the provider profile that the payment went through. */
  provider_fee: string | null;
  provider_profile: string | null;
  payer_name: string | null;
  payer_email: string | null;
  brand: string | null;
  /** What the merchant's own order says of it. */
  order_id: string | null;
  order_name: string | null;
  order_email: string | null;
  order_note: string | null;
  /** What it is found by, separated by spaces: see `search-words.ts`. */
  words: string;
}

/** How far an import of a file got, so that the next run continues there. */
interface ImportTable {
  app_id: string;
  /** Of the file and of how its columns are read. */
  fingerprint: string;
  /** Rows that were read from the service and made known, from the first one on. */
  rows_done: number;
  created_count: number;
  changed_count: number;
  same_count: number;
  unknown_count: number;
  unreadable_count: number;
  time: number;
}

/** A row of a file that did not become a known payment. */
interface ImportProblemTable {
  app_id: string;
  fingerprint: string;
  line: number;
  payment: string;
  problem: string;
}

/** A customer or a payment whose personal data was removed; what was read before is not imported any more. */
interface ForgottenTable {
  app_id: string;
  /** Of the kind and the ID, in hex. */
  digest: string;
  time: number;
}

export interface KnownTables {
  known_payments: KnownPaymentTable;
  forgotten: ForgottenTable;
  imports: ImportTable;
  import_problems: ImportProblemTable;
}

export type KnownPaymentRow = Selectable<KnownPaymentTable>;

export const createKnownTables: Migration['up'] = async (db) => {
  await createKnownPayments(db);
  await createKnownIndexes(db);
  await createSearchIndex(db);
  await createForgotten(db);
  await createImports(db);
};

export const addCapturedAmount: Migration['up'] = async (db) => {
  await db.schema.alterTable('known_payments').addColumn('captured_amount', 'text').execute();
};

async function createKnownPayments(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('known_payments')
    .addColumn('id', ...idColumn(db))
    .addColumn('app_id', 'text', (column) => column.notNull())
    .addColumn('payment_id', 'text', (column) => column.notNull())
    .addColumn('reference_id', 'text')
    .addColumn('customer_id', 'text')
    .addColumn('amount', 'text')
    .addColumn('amount_number', 'double precision')
    .addColumn('currency', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('webhook_url', 'text')
    .addColumn('created_time', 'bigint')
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('known_time', 'bigint', (column) => column.notNull())
    .addColumn('state_time', 'bigint', (column) => column.notNull())
    .addColumn('since_time', 'bigint', (column) => column.notNull())
    .addColumn('failed_operation', 'text')
    .addColumn('seen_time', 'bigint', (column) => column.notNull())
    .addColumn('provider_reference', 'text')
    .addColumn('authorize_id', 'text')
    .addColumn('capture_id', 'text')
    .addColumn('provider_fee', 'text')
    .addColumn('provider_profile', 'text')
    .addColumn('payer_name', 'text')
    .addColumn('payer_email', 'text')
    .addColumn('brand', 'text')
    .addColumn('order_id', 'text')
    .addColumn('order_name', 'text')
    .addColumn('order_email', 'text')
    .addColumn('order_note', 'text')
    .addColumn('words', 'text', (column) => column.notNull().defaultTo(''))
    .addUniqueConstraint('known_once', ['app_id', 'payment_id'])
    .execute();
}

async function createKnownIndexes(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`create index known_failed on known_payments (app_id, payment_id) where failed_operation is not null`,
    sql`create index known_by_reference on known_payments (app_id, reference_id)`,
    sql`create index known_in_state on known_payments (app_id, state, since_time, payment_id)`,
    sql`create index known_of_customer on known_payments (app_id, customer_id, state, since_time, payment_id)`,
    sql`create index known_by_amount on known_payments (app_id, amount_number)`,
    sql`create index known_by_time on known_payments (app_id, coalesce(created_time, known_time))`,
    sql`create index known_by_provider on known_payments (app_id, provider_reference) where provider_reference is not null`,
    sql`create index known_by_capture on known_payments (app_id, capture_id) where capture_id is not null`,
    sql`create index known_by_authorisation on known_payments (app_id, authorize_id) where authorize_id is not null`,
    sql`create index known_since on known_payments (known_time)`,
    sql`create index known_of_payer on known_payments (app_id, lower(payer_email)) where payer_email is not null`,
    sql`create index known_of_buyer on known_payments (app_id, lower(order_email)) where order_email is not null`,
  ]) {
    await statement.execute(db);
  }
  if (isPostgres(db)) return;
  await sql`create index known_by_number on known_payments (app_id) where reference_id not glob '*[^0-9]*'`.execute(
    db,
  );
}

/**
 * The words are plain already, so both engines split them at spaces and nowhere else. On SQLite triggers keep the
 * index in step; on PostgreSQL it is an index of the table itself.
 */
async function createSearchIndex(db: Kysely<unknown>): Promise<void> {
  if (isPostgres(db)) {
    await sql`create index known_by_words on known_payments using gin (array_to_tsvector(string_to_array(words, ' ')))`.execute(
      db,
    );
    return;
  }
  for (const statement of [
    sql`create virtual table payment_words
        using fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii', detail = none)`,
    sql`create virtual table payment_terms using fts5vocab (payment_words, instance)`,
    sql`create trigger known_words_added after insert on known_payments begin
          insert into payment_words (rowid, words) values (new.id, new.words);
        end`,
    sql`create trigger known_words_changed after update of words on known_payments begin
          delete from payment_words where rowid = old.id;
          insert into payment_words (rowid, words) values (new.id, new.words);
        end`,
    sql`create trigger known_words_gone after delete on known_payments begin
          delete from payment_words where rowid = old.id;
        end`,
  ]) {
    await statement.execute(db);
  }
}

async function createForgotten(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('forgotten')
    .addColumn('app_id', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('forgotten_once', ['app_id', 'digest'])
    .execute();
}

async function createImports(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('imports')
    .addColumn('app_id', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('rows_done', 'integer', (column) => column.notNull())
    .addColumn('created_count', 'integer', (column) => column.notNull())
    .addColumn('changed_count', 'integer', (column) => column.notNull())
    .addColumn('same_count', 'integer', (column) => column.notNull())
    .addColumn('unknown_count', 'integer', (column) => column.notNull())
    .addColumn('unreadable_count', 'integer', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('imported_once', ['app_id', 'fingerprint'])
    .execute();
  await db.schema
    .createTable('import_problems')
    .addColumn('app_id', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('line', 'integer', (column) => column.notNull())
    .addColumn('payment', 'text', (column) => column.notNull())
    .addColumn('problem', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('problem_once', ['app_id', 'fingerprint', 'line'])
    .execute();
}
