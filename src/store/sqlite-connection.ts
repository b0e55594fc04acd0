import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { storableParameters } from './parameters.js';
import { isReadOnly, sqliteFailure } from './sqlite-failures.js';

const MAX_STATEMENTS = 300;

interface CachedStatement {
  statement: StatementSync;
  returnsRows: boolean;
  /** Makes a row of its values, where the statement itself returns them without their names. */
  toRow: ((values: unknown) => object) | undefined;
}

/** Not in every version of Node that we run on. */
interface Images {
  serialize?(): Uint8Array;
  deserialize?(image: Uint8Array): void;
}

const images = new WeakMap<object, Uint8Array>();

/** One node:sqlite connection as kysely sees it. Every call is synchronous underneath. */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #access: 'read' | 'write';
  readonly #statements = new Map<string, CachedStatement>();
  /** Those that have run once, without a look at their columns. */
  readonly #untouched = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, file: string, access: 'read' | 'write') {
    this.#database = database;
    this.#file = file;
    this.#access = access;
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs a statement without parameters or rows. */
  run(sql: string): void {
    try {
      this.#prepare(sql).statement.run();
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** The rows of a statement without parameters. */
  all<Row>(sql: string): Row[] {
    try {
      return this.#database.prepare(sql).all() as Row[];
    } catch (error) {
      throw this.#explain(error);
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const parameters = storableParameters(query.sql, query.parameters) as SQLInputValue[];
    try {
      const { statement, returnsRows, toRow } = this.#prepareFor(query);
      if (returnsRows) {
        const rows = statement.all(...parameters);
        return { rows: (toRow ? rows.map(toRow) : rows) as R[] };
      }
      const { changes, lastInsertRowid } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    } catch (error) {
      throw this.#explain(error);
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported: read in pages, by id.');
  }

  /** Takes the contents that a database with the same migrations began with; false where none is kept. */
  loadImage(migrations: object): boolean {
    const image = images.get(migrations);
    if (!image) return false;
    (this.#database as DatabaseSync & Images).deserialize?.(image);
    return true;
  }

  /** Migrating takes longer than everything else that a database in memory needs. */
  keepImage(migrations: object): void {
    const image = (this.#database as DatabaseSync & Images).serialize?.();
    if (image) images.set(migrations, image);
  }

  close(): void {
    this.#statements.clear();
    this.#untouched.clear();
    const letGo = this.#access === 'write' ? holdLog(this.#file) : undefined;
    this.#database.close();
    letGo?.();
  }

  #explain(error: unknown): unknown {
    if (this.#access === 'read' && isReadOnly(error)) {
      return new Error('store.db is for reads: write inside store.transaction().', { cause: error });
    }
    return sqliteFailure(error, this.#file);
  }

  /**
   * To look at the columns of a statement takes as long as to run it once. Who brings SQL text alone asks for its rows
   * and for nothing else, so that is left to the second run.
   */
  #prepareFor({ sql, query }: CompiledQuery): CachedStatement {
    if (query !== undefined || this.#statements.has(sql)) return this.#prepare(sql);
    const known = this.#untouched.get(sql);
    if (known) {
      this.#untouched.delete(sql);
      return this.#keep(sql, known);
    }
    const statement = this.#database.prepare(sql);
    this.#untouched.set(sql, statement);
    return { statement, returnsRows: true, toRow: undefined };
  }

  #prepare(sql: string): CachedStatement {
    return this.#statements.get(sql) ?? this.#keep(sql, this.#database.prepare(sql));
  }

  #keep(sql: string, statement: StatementSync): CachedStatement {
    const names = statement.columns().map(({ name }) => name);
    const fresh: CachedStatement = { statement, returnsRows: names.length > 0, toRow: undefined };
    // The columns of a `*` may become others while the statement is kept.
    if (fresh.returnsRows && !sql.includes('*')) {
      statement.setReturnArrays(true);
      fresh.toRow = rowMaker(names);
    }
    if (this.#statements.size >= MAX_STATEMENTS) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    this.#statements.set(sql, fresh);
    return fresh;
  }
}

/** node:sqlite would make the names of the columns again for each row, which takes longer than to read it. */
function rowMaker(names: readonly string[]): (values: unknown) => object {
  const empty: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, null]));
  return (values) => {
    const row = { ...empty };
    for (let index = 0; index < names.length; index += 1) {
      row[names[index] as string] = (values as unknown[])[index];
    }
    return row;
  };
}

/**
 * SQLite removes its log when the last connection closes. Where the file system tells the disk of each block that it
 * frees, that takes longer than everything else in closing: with a second handle, another thread does it.
 */
function holdLog(file: string): (() => void) | undefined {
  // Windows keeps the name of a removed file until the last handle is closed.
  if (process.platform === 'win32') return undefined;
  const { close, openSync } = process.getBuiltinModule('node:fs');
  try {
    const log = openSync(`${file}-wal`, 'r');
    return () => close(log, () => {});
  } catch {
    return undefined;
  }
}
