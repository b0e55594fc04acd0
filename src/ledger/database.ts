import { isPostgresUrl } from '../store/location.js';
import { openLateStore, type LateStore, type StatementStore, type Store } from '../store/store.js';
import { deskMigrations } from './migrations.js';
import { createLedger, type Ledger, type LedgerOptions } from './moves/ledger.js';
import type { DeskTables } from './schema.js';

/** The desk's own database, on this machine or the one that a team shares, as far as money moves need it. */
export interface LedgerDatabase {
  readonly store: StatementStore;
  readonly ledger: Ledger;
  close(): Promise<void>;
}

/** The same with the query builder. */
export interface DeskDatabase extends LedgerDatabase {
  readonly store: Store<DeskTables>;
}

/** The same, where it is loaded when somebody asks for it. */
export interface LateDatabase extends LedgerDatabase {
  readonly store: LateStore<DeskTables>;
}

interface DeskDatabaseOptions extends LedgerOptions {
  /** A file, `:memory:` or postgres://… */
  location: string;
}

export async function openDeskDatabase(options: DeskDatabaseOptions): Promise<DeskDatabase> {
  const { store, ...database } = await openLedgerDatabase(options);
  return { ...database, store: await store.fullStore() };
}

export async function openLedgerDatabase({
  location,
  ...options
}: DeskDatabaseOptions): Promise<LateDatabase> {
  const store = await openLateStore<DeskTables>({
    location,
    schema: 'paydesk_desk',
    migrations: deskMigrations,
  });
  return { store, ledger: createLedger(store, options), close: () => store.close() };
}

/** Whether only this machine sees it. */
export function isEmbedded(location: string): boolean {
  return !isPostgresUrl(location);
}
