import { join } from 'node:path';
import { openStore, type Store } from '../store/store.js';
import { createLedger, type Ledger } from './ledger.js';
import { deskMigrations, type DeskTables } from './schema.js';

/** The desk's own database: on this machine, or the one that a team shares. */
export interface Desk {
  readonly store: Store<DeskTables>;
  readonly ledger: Ledger;
  close(): Promise<void>;
}

export interface DeskOptions {
  /** A file, `:memory:` or postgres://… */
  location: string;
  operator: string;
  now?: () => number;
}

export async function openDesk({ location, ...options }: DeskOptions): Promise<Desk> {
  const store = await openStore<DeskTables>({ location, schema: 'paydesk_desk', migrations: deskMigrations });
  return { store, ledger: createLedger(store, options), close: () => store.close() };
}

/** `PAYDESK_DATABASE`, or a file in the data folder. */
export function deskLocation(env: Readonly<Record<string, string | undefined>>, dataFolder: string): string {
  return env.PAYDESK_DATABASE || join(dataFolder, 'desk.db');
}
