import type {
  ConnectionProvider,
  Expression,
  Kysely,
  Selectable,
  SelectQueryBuilder,
  SqlBool,
  Transaction,
} from 'kysely';

export type Engine = 'sqlite' | 'postgres';

export interface Migration {
  /** Recorded in the database; never renamed, reordered or taken out once released. */
  name: string;
  /** Plain SQL types only (integer, bigint, text); see `idColumn` and `blobType` for the rest. */
  up(db: Kysely<unknown>): Promise<void>;
}

export interface OpenOptions {
  /** `:memory:`, a file path, or `postgres://…` / `postgresql://…` */
  location: string;
  /** PostgreSQL schema that holds the tables, for example `paydesk_sandbox`; unused on SQLite. */
  schema: string;
  migrations: Migration[];
  /** SQLite files only: this process alone may open the file; a held file is StoreError `store-held`. */
  exclusive?: boolean;
  /** With `exclusive`: what the `store-held` error tells others about the holder, for example pid and URL. */
  owner?: Record<string, unknown>;
}

/** What reading a database through has shown, without changing anything in it. */
export type Inspection =
  | { kind: 'absent' }
  /** `pending` migrations are run when it is next opened. */
  | { kind: 'read'; pending: number };

/** The columns that a table needs for `claimDue`. `finished` is 0 until the work is done. */
interface Claimable {
  id: unknown;
  due_time: unknown;
  lease_until: unknown;
  lease_owner: unknown;
  finished: unknown;
}

export type ClaimableTable<DB> = {
  [T in keyof DB & string]: DB[T] extends Claimable ? T : never;
}[keyof DB & string];

export interface ClaimOptions<DB, T extends keyof DB & string> {
  table: T;
  /** Rows with `due_time` up to this are due: the caller's clock, in milliseconds. */
  now: number;
  /** How long the claim holds, by the real clock (PostgreSQL: the server's). */
  leaseMs: number;
  limit: number;
  /** Written to `lease_owner`; an update that finishes a row should name it, so that a late worker changes nothing. */
  owner: string;
  /** A further condition on the rows, for example sql`due.kind = ${kind}`. */
  where?: Expression<SqlBool>;
  /**
   * Only the lowest unfinished id for each value of this column is claimed, and nothing while that one is leased or not due.
   * The caller must hold a lock for that value (the payment's row), so that ids commit in order.
   */
  onePer?: keyof DB[T] & string;
}

/** What a `statement` runs on: a database, or a transaction of it. */
export interface SqlRunner {
  getExecutor(): ConnectionProvider;
}

/** A database for statements alone: to load kysely takes longer than all that one money move does in its ledger. */
export interface StatementStore {
  readonly engine: Engine;
  /** Whether other processes may write the same data. */
  readonly shared: boolean;
  /**
   * For reads outside a transaction; sees committed data only. On `:memory:` such a read waits for the running
   * transaction, so one that is awaited inside a transaction fails after five seconds: use `tx` there.
   */
  readonly db: SqlRunner;
  /**
   * Runs `work` and resolves once it is durable. On SQLite all transactions of a process share one connection and
   * are committed in groups: no I/O but the database inside, or everyone else waits too. On PostgreSQL `work` may
   * run again after a deadlock or serialisation failure, so it must not change anything but the database. A `mayWait`
   * one waits a few milliseconds for another, so that one fsync serves both: for what nobody waits for.
   */
  transaction<T>(work: (tx: SqlRunner) => Promise<T>, options?: { mayWait?: boolean }): Promise<T>;
  /** Calls this right before each commit. Undefined where other processes commit too. */
  readonly beforeCommit: ((listener: () => void) => void) | undefined;
  close(): Promise<void>;
}

/** A database with the query builder. */
export interface Store<DB> extends StatementStore {
  readonly db: Kysely<DB>;
  transaction<T>(work: (tx: Transaction<DB>) => Promise<T>, options?: { mayWait?: boolean }): Promise<T>;
  /** Locks the selected rows on PostgreSQL; adds nothing on SQLite, where a transaction is alone anyway. */
  forUpdate<D, TB extends keyof D, O>(query: SelectQueryBuilder<D, TB, O>): SelectQueryBuilder<D, TB, O>;
  /**
   * Claims up to `limit` due, unfinished rows without a live lease, in order of due time and id. Rows that are done
   * are deleted or get `finished = 1`. The table needs the index (due_time, id) where finished = 0, and with
   * `onePer` also (that column, id) where finished = 0.
   */
  claimDue<T extends ClaimableTable<DB>>(options: ClaimOptions<DB, T>): Promise<Selectable<DB[T]>[]>;
}

/** An open database, and the same with the query builder, which is loaded when it is first asked for. */
export interface LateStore<DB> extends StatementStore {
  fullStore(): Promise<Store<DB>>;
}
