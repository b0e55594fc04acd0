import {
  DefaultQueryExecutor,
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  SqliteQueryCompiler,
  Transaction,
  type ConnectionProvider,
  type Driver,
  type KyselyProps,
} from 'kysely';
import { claimDue } from './claim.js';
import { applyMigrations } from './migrations.js';
import type { Migration, Store } from './types.js';

/** An open database, by its connections. */
export interface SqliteDatabase {
  readonly shared: boolean;
  readonly reads: ConnectionProvider;
  transaction<T>(
    work: (provider: ConnectionProvider) => Promise<T>,
    options?: { mayWait?: boolean },
  ): Promise<T>;
  readonly beforeCommit: ((listener: () => void) => void) | undefined;
  close(): Promise<void>;
}

/** The same with kysely's query builder. */
export function sqliteStore<DB>({
  shared,
  reads,
  transaction,
  beforeCommit,
  close,
}: SqliteDatabase): Store<DB> {
  const store: Store<DB> = {
    engine: 'sqlite',
    shared,
    db: new Kysely<DB>(kyselyProps(reads)),
    transaction: (work, options) =>
      transaction((provider) => work(new Transaction<DB>(kyselyProps(provider))), options),
    forUpdate: (query) => query,
    claimDue: (options) => store.transaction((tx) => claimDue(tx, 'sqlite', options)),
    beforeCommit,
    close,
  };
  return store;
}

/** To be called within a transaction of the connection that `provider` gives. */
export const migrateSqlite = (
  provider: ConnectionProvider,
  migrations: Migration[],
  file: string,
): Promise<void> => applyMigrations(new Kysely<unknown>(kyselyProps(provider)), migrations, file);

const dialect = new SqliteDialect({
  database: () => Promise.reject(new Error('Connections are opened by the store.')),
});
const compiler = new SqliteQueryCompiler();
const adapter = new SqliteAdapter();

const refuse = () => Promise.reject(new Error('Use store.transaction().'));
const driver: Driver = {
  init: () => Promise.resolve(),
  acquireConnection: refuse,
  releaseConnection: () => Promise.resolve(),
  beginTransaction: refuse,
  commitTransaction: refuse,
  rollbackTransaction: refuse,
  destroy: () => Promise.resolve(),
};

function kyselyProps(connectionProvider: ConnectionProvider): KyselyProps {
  const executor = new DefaultQueryExecutor(compiler, adapter, connectionProvider);
  return { config: { dialect }, driver, executor, dialect };
}
