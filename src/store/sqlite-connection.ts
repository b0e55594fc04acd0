import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { checkParameters } from './parameters.js';
import { sqliteFailure } from './sqlite-failures.js';

const maxStatements = 300;

interface CachedStatement {
  statement: StatementSync;
  returnsRows: boolean;
}

/** One node:sqlite connection as kysely sees it. Every call is synchronous underneath. */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #statements = new Map<string, CachedStatement>();

  constructor(database: DatabaseSync, file: string) {
    this.#database = database;
    this.#file = file;
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs a statement without parameters or rows. */
  run(sql: string): void {
    try {
      this.#prepare(sql).statement.run();
    } catch (error) {
      throw sqliteFailure(error, this.#file);
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    checkParameters(query.sql, query.parameters);
    const parameters = query.parameters as SQLInputValue[];
    try {
      const { statement, returnsRows } = this.#prepare(query.sql);
      if (returnsRows) return { rows: statement.all(...parameters) as R[] };
      const { changes, lastInsertRowid } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    } catch (error) {
      throw sqliteFailure(error, this.#file);
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported: read in pages, by id.');
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(sql: string): CachedStatement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    const fresh = { statement, returnsRows: statement.columns().length > 0 };
    if (this.#statements.size >= maxStatements) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    this.#statements.set(sql, fresh);
    return fresh;
  }
}
