import type { CompiledQuery, ConnectionProvider, DatabaseConnection, QueryResult } from 'kysely';
import { StoreError } from './errors.js';
import { lockFile, refuseLocked } from './file-lock.js';
import { assertOpen, createGroupCommit } from './group-commit.js';
import type { GroupCommit } from './group-commit.js';
import { APPLIED_MIGRATIONS, pendingMigrations } from './pending-migrations.js';
import { prepareFile, realFile } from './private-file.js';
import { SqliteConnection } from './sqlite-connection.js';
import type { SqliteDatabase } from './sqlite-store.js';
import { isBusy, sqliteUnusable } from './sqlite-failures.js';
import type { LateStore, Migration, OpenOptions, SqlRunner } from './types.js';

const BUSY_MS = 5000;
/** For the writer: its BEGIN is retried without blocking the event loop. */
const NO_WAIT = 'pragma busy_timeout = 0';

/** A database of node:sqlite, in a file or in memory. */
export async function openSqlite<DB>(options: OpenOptions): Promise<LateStore<DB>> {
  const inMemory = options.location === ':memory:';
  let file = options.location;
  const opened: Array<{ close(): void }> = [];
  try {
    if (!inMemory) file = realFile(file);
    const exclusive = options.exclusive === true && !inMemory;
    if (exclusive) opened.push(lockFile(file, options.owner ?? {}));
    else if (!inMemory) refuseLocked(file);
    if (!inMemory) await prepareFile(file);
    const writer = connect(file, 'write');
    opened.push(writer);
    const groups = createGroupCommit(writer);
    if (!inMemory) await migrate(writer, groups, options.migrations, file);
    else if (!writer.loadImage(options.migrations)) {
      await migrate(writer, groups, options.migrations, file);
      writer.keepImage(options.migrations);
    }
    writer.run(NO_WAIT);
    const database = (reads: ConnectionProvider, shared: boolean) =>
      lateStore<DB>(createDatabase(groups, writer, reads, opened, shared));
    if (inMemory) return database(waitingReads(writer, groups), false);
    const openReader = () => {
      if (opened.length === 0) throw closedError();
      const reader = connect(file, 'read');
      opened.push(reader);
      return reader;
    };
    if (exclusive) return database(snapshotReads(groups, openReader), false);
    return database(lateReads(writer, groups, openReader), true);
  } catch (error) {
    closeAll(opened);
    throw sqliteUnusable(error, file);
  }
}

function connect(file: string, access: 'read' | 'write'): SqliteConnection {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(file, { timeout: BUSY_MS, enableForeignKeyConstraints: true });
  try {
    // The cache is in KiB. The reader's is emptied by every commit, so it needs less.
    database.exec(
      `pragma journal_mode = wal; pragma synchronous = full; ${
        access === 'write' ? 'pragma cache_size = -8000' : 'pragma cache_size = -2000; pragma query_only = on'
      }`,
    );
  } catch (error) {
    database.close();
    throw error;
  }
  return new SqliteConnection(database, file, access);
}

async function migrate(
  writer: SqliteConnection,
  groups: GroupCommit,
  migrations: Migration[],
  file: string,
): Promise<void> {
  if (isUpToDate(writer, migrations, file)) return;
  const tables = writer.all<{ name: string }>("select name from sqlite_schema where type = 'table'");
  if (tables.length > 0 && !tables.some(({ name }) => name === 'store_migration')) {
    throw new Error('it belongs to another program');
  }
  const { migrateSqlite } = await import('./sqlite-store.js');
  writer.run(NO_WAIT);
  const provider: ConnectionProvider = { provideConnection: async (consumer) => consumer(writer) };
  await groups.run(() => migrateSqlite(provider, migrations, file));
}

/** Nearly always, so it is asked with one statement. */
function isUpToDate(writer: SqliteConnection, migrations: Migration[], file: string): boolean {
  let applied: Array<{ name: string }>;
  try {
    applied = writer.all(APPLIED_MIGRATIONS);
  } catch {
    // A new file has no such table; whatever else is wrong shows when it is migrated.
    return false;
  }
  const names = applied.map(({ name }) => name);
  return pendingMigrations(names, migrations, file).length === 0;
}

function lateStore<DB>(database: SqliteDatabase): LateStore<DB> {
  const { shared, reads, transaction, beforeCommit, close } = database;
  return {
    engine: 'sqlite',
    shared,
    db: runnerOf(reads),
    transaction: (work, options) => transaction((provider) => work(runnerOf(provider)), options),
    async fullStore() {
      const { sqliteStore } = await import('./sqlite-store.js');
      return sqliteStore<DB>(database);
    },
    beforeCommit,
    close,
  };
}

const runnerOf = (provider: ConnectionProvider): SqlRunner => ({ getExecutor: () => provider });

function createDatabase(
  groups: GroupCommit,
  writer: SqliteConnection,
  reads: ConnectionProvider,
  opened: Array<{ close(): void }>,
  shared: boolean,
): SqliteDatabase {
  let closed = false;
  return {
    shared,
    reads,
    async transaction(work, options) {
      if (closed) throw closedError();
      return groups.run(async () => {
        let ended = false;
        const provider: ConnectionProvider = {
          provideConnection: async (consumer) => {
            if (ended)
              throw new Error('This transaction has ended: await every query before its work returns.');
            assertOpen(writer);
            return consumer(writer);
          },
        };
        try {
          return await work(provider);
        } finally {
          ended = true;
        }
      }, options);
    },
    beforeCommit: shared ? undefined : groups.beforeCommit,
    async close() {
      closed = true;
      await groups.drained();
      closeAll(opened);
    },
  };
}

const closedError = () => new StoreError('store-unavailable', 'The database is closed.');

function closeAll(opened: Array<{ close(): void }>): void {
  for (const each of opened.splice(0).toReversed()) each.close();
}

/**
 * The writer reads between its transactions: in a process that makes one money move, nothing else is needed. The first
 * read that comes during a transaction opens a connection of its own, which serves all reads from then on.
 */
function lateReads(
  writer: SqliteConnection,
  groups: GroupCommit,
  openReader: () => SqliteConnection,
): ConnectionProvider {
  let reader: SqliteConnection | undefined;
  /** Only the reader refuses what is not a read. */
  const writerReads = ({ sql }: CompiledQuery) => !groups.isOpen() && /^\s*select\b/i.test(sql);

  async function readFirst<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (writerReads(query)) {
      try {
        return await writer.executeQuery<R>(query);
      } catch (error) {
        // The writer does not wait for a lock, and the reader does.
        if (!isBusy(error)) throw error;
      }
    }
    reader ??= openReader();
    return reader.executeQuery<R>(query);
  }

  const connection: DatabaseConnection = {
    executeQuery: <R>(query: CompiledQuery) => (reader ? reader.executeQuery<R>(query) : readFirst<R>(query)),
    streamQuery: () => writer.streamQuery(),
  };
  return { provideConnection: (consumer) => consumer(connection) };
}

/**
 * Where only this process can write, what was read stays true until its next commit: one read transaction serves all
 * reads until then, and each of them takes no locks of its own. It is over before the COMMIT, whose checkpoint it would
 * stand in the way of.
 */
function snapshotReads(groups: GroupCommit, openReader: () => SqliteConnection): ConnectionProvider {
  let reader: SqliteConnection | undefined;
  let reading = false;
  groups.beforeCommit(() => {
    if (reading) reader?.run('commit');
    reading = false;
  });
  const connection: DatabaseConnection = {
    executeQuery<R>(query: CompiledQuery) {
      reader ??= openReader();
      if (!reading) reader.run('begin');
      reading = true;
      return reader.executeQuery<R>(query);
    },
    streamQuery() {
      throw new Error('Streaming is not supported: read in pages, by id.');
    },
  };
  return { provideConnection: (consumer) => consumer(connection) };
}

/** The one connection of a database in memory would show a read what a running transaction has not committed. */
function waitingReads(connection: SqliteConnection, groups: GroupCommit): ConnectionProvider {
  return {
    async provideConnection(consumer) {
      if (!groups.isOpen()) return consumer(connection);
      let timer: NodeJS.Timeout | undefined;
      const tooLong = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => {
          reject(
            new Error('A read waited 5 s for a transaction to end. Inside a transaction, read through `tx`.'),
          );
        }, BUSY_MS);
      });
      await Promise.race([groups.betweenGroups(), tooLong]).finally(() => clearTimeout(timer));
      return consumer(connection);
    },
  };
}
