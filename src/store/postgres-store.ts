import { Kysely, PostgresDialect, sql } from 'kysely';
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult, Transaction } from 'kysely';
import type { ClientConfig, Pool, PoolClient } from 'pg';
import { claimDue } from './claim.js';
import { StoreError } from './errors.js';
import { appliedMigrations, applyMigrations } from './migrations.js';
import { pendingMigrations } from './pending-migrations.js';
import { storableParameters } from './parameters.js';
import { isRetryable, postgresFailure, postgresUnusable } from './postgres-failures.js';
import type { Inspection, OpenOptions, Store } from './types.js';

const MAX_ATTEMPTS = 5;

/** Errors of a driver that could reach the server and did not come to terms with it, for example about TLS. */
const disagreements = new WeakSet<object>();
/** Connections that failed between two queries, or that were ended by the server. Their streams may still be open. */
const lostClients = new WeakSet<object>();

export async function openPostgresStore<DB>(options: OpenOptions): Promise<Store<DB>> {
  const place = describePlace(options.location);
  const pool = await createPool(options, place);
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: reportingPool(pool, place) }) });
  try {
    await migrate(db as unknown as Kysely<unknown>, options, place);
  } catch (error) {
    await pool.end();
    throw postgresUnusable(error, place);
  }

  let closed = false;
  const running = new Set<Promise<unknown>>();

  async function transaction<T>(work: (tx: Transaction<DB>) => Promise<T>): Promise<T> {
    if (closed) throw new StoreError('store-unavailable', 'The database is closed.');
    const result = attempt(work);
    running.add(result);
    try {
      return await result;
    } finally {
      running.delete(result);
    }
  }

  async function attempt<T>(work: (tx: Transaction<DB>) => Promise<T>): Promise<T> {
    for (let count = 1; ; count++) {
      try {
        return await db.transaction().execute(work);
      } catch (error) {
        if (!isRetryable(error) || count >= MAX_ATTEMPTS) throw error;
      }
    }
  }

  return {
    engine: 'postgres',
    shared: true,
    db,
    transaction,
    forUpdate: (query) => query.forUpdate(),
    claimDue: (claim) => transaction((tx) => claimDue(tx, 'postgres', claim)),
    beforeCommit: undefined,
    async close() {
      closed = true;
      // A pool that is ended forgets those who still wait for a connection.
      await Promise.allSettled(running);
      await db.destroy();
    },
  };
}

/** Reads one row of every table and changes nothing. */
export async function inspectPostgres(options: OpenOptions): Promise<Inspection> {
  const { schema, migrations } = options;
  const place = describePlace(options.location);
  const pool = await createPool(options, place);
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: reportingPool(pool, place) }) });
  try {
    const { rows } = await sql<{
      name: string;
    }>`select tablename as name from pg_tables where schemaname = ${schema}`.execute(db);
    if (!rows.some(({ name }) => name === 'store_migration')) return { kind: 'absent' };
    for (const { name } of rows) await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    return {
      kind: 'read',
      pending: pendingMigrations(await appliedMigrations(db), migrations, place).length,
    };
  } catch (error) {
    throw postgresUnusable(error, place);
  } finally {
    await db.destroy();
  }
}

async function createPool(options: OpenOptions, place: string): Promise<Pool> {
  const { schema } = options;
  if (!/^[a-z_][a-z0-9_]*$/.test(schema)) throw new Error(`Not a plain schema name: ${schema}`);
  const { default: pg } = await import('pg');
  let url: URL;
  try {
    url = new URL(options.location);
  } catch {
    // The parser's own error would carry the whole URL, with its password.
    throw new StoreError(
      'store-unusable',
      `The database ${place} cannot be used: its address is not a valid URL.`,
    );
  }
  class WatchedClient extends pg.Client {
    constructor(config?: ClientConfig) {
      super(config);
      this.connection.on('error', (error: object) => {
        if (!this.connection.stream.destroyed) disagreements.add(error);
      });
    }
  }
  const given = url.searchParams.get('options') ?? '';
  url.searchParams.delete('options');
  const pool = new pg.Pool({
    connectionString: url.href,
    // A process that is paused inside a transaction must not keep its locks from everybody else. What was committed is
    // on the disk, whatever the database or the role is set to: an instruction leaves only after its intent.
    options: `-c idle_in_transaction_session_timeout=60s ${given} -c synchronous_commit=on -c search_path=${schema}`,
    max: 10,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    Client: WatchedClient,
    types: {
      getTypeParser: (oid, format) =>
        oid === pg.types.builtins.INT8 ? toSafeInteger : pg.types.getTypeParser(oid, format),
    },
  });
  // A connection that is lost while idle, or between two queries, is reported by the next query.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => void lostClients.add(client)));
  return pool;
}

function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`The integer ${text} is too large to be read exactly.`);
  return value;
}

/** The pool as kysely needs it, with our parameter check and our errors. */
function reportingPool(pool: Pool, place: string): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      try {
        return reportingClient(await pool.connect(), place);
      } catch (error) {
        throw postgresFailure(error, place, !disagreements.has(error as object));
      }
    },
  };
}

function reportingClient(client: PoolClient, place: string): PostgresPoolClient {
  let lost = false;
  async function query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    const values = storableParameters(text, parameters);
    try {
      return (await client.query(text, [...values])) as unknown as PostgresQueryResult<R>;
    } catch (error) {
      const isGone = client.connection.stream.destroyed || lostClients.has(client);
      const failure = postgresFailure(error, place, isGone);
      lost ||= failure instanceof StoreError;
      throw failure;
    }
  }
  return {
    query: query as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy === true || lost),
  };
}

async function migrate(db: Kysely<unknown>, options: OpenOptions, place: string): Promise<void> {
  const { schema, migrations } = options;
  const table = `${schema}.store_migration`;
  const { rows } = await sql<{
    there: number;
  }>`select 1 as there where to_regclass(${table}) is not null`.execute(db);
  if (rows.length > 0 && pendingMigrations(await appliedMigrations(db), migrations, place).length === 0)
    return;
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext(${table}))`.execute(tx);
    const found = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(tx);
    // `if not exists` would still ask for the right to create one.
    if (found.rows.length === 0) await sql`create schema ${sql.id(schema)}`.execute(tx);
    await applyMigrations(tx, migrations, place);
  });
}

/** Host, port and database, never the user or password. */
function describePlace(location: string): string {
  try {
    const url = new URL(location);
    return `${url.host || 'localhost'}${url.pathname}`;
  } catch {
    return 'at the given PostgreSQL address';
  }
}
