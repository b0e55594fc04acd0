import { isPostgresUrl } from '../store/location.js';
import { openStore, type Store } from '../store/store.js';
import { createLedger, type Ledger, type LedgerOptions } from './moves/ledger.js';
import { deskMigrations, type DeskTables } from './schema.js';

/** The desk's own database: on this machine, or the one that a team shares. */
export interface DeskDatabase {
  readonly store: Store<DeskTables>;
  readonly ledger: Ledger;
  close(): Promise<void>;
}

interface DeskDatabaseOptions extends LedgerOptions {
  /** A file, `:memory:` or postgres://… */
  location: string;
}

export async function openDeskDatabase({ location, ...options }: DeskDatabaseOptions): Promise<DeskDatabase> {
  const store = await openStore<DeskTables>({ location, schema: 'paydesk_desk', migrations: deskMigrations });
  return { store, ledger: createLedger(store, options), close: () => store.close() };
}

/** Whether only this machine sees it. */
export function isEmbedded(location: string): boolean {
  return !isPostgresUrl(location);
}
