import { isPostgresUrl } from './location.js';
import type { Inspection, LateStore, OpenOptions, Store } from './types.js';

export { StoreError } from './errors.js';
export type { StoreErrorCode } from './errors.js';
export { statement } from './statement.js';
export type * from './types.js';

/** Opens a database and brings its tables up to date. Only the engine that is used is loaded. */
export async function openStore<DB>(options: OpenOptions): Promise<Store<DB>> {
  const late = await openLateStore<DB>(options);
  return late.fullStore();
}

/** The same, where statements may be all that is needed. */
export async function openLateStore<DB>(options: OpenOptions): Promise<LateStore<DB>> {
  if (isPostgresUrl(options.location)) {
    const { openPostgresStore } = await import('./postgres-store.js');
    const store = await openPostgresStore<DB>(options);
    return { ...store, fullStore: async () => store };
  }
  const { openSqlite } = await import('./open-sqlite.js');
  return openSqlite<DB>(options);
}

/** Whether a database can be read and is whole. Throws what opening it would throw. */
export async function inspectStore(options: OpenOptions): Promise<Inspection> {
  if (isPostgresUrl(options.location)) {
    const { inspectPostgres } = await import('./postgres-store.js');
    return inspectPostgres(options);
  }
  const { inspectSqlite } = await import('./sqlite-inspect.js');
  return inspectSqlite(options);
}
