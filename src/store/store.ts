import { isPostgresUrl } from './location.js';
import type { Inspection, OpenOptions, Store } from './types.js';

export { StoreError } from './errors.js';
export type { StoreErrorCode } from './errors.js';
export { blobType, idColumn, isPostgres, startIdsAt } from './columns.js';
export { prepared } from './prepared.js';
export { statement } from './statement.js';
export type * from './types.js';

/** Opens a database and brings its tables up to date. Only the engine that is used is loaded. */
export async function openStore<DB>(options: OpenOptions): Promise<Store<DB>> {
  if (isPostgresUrl(options.location)) {
    const { openPostgresStore } = await import('./postgres-store.js');
    return openPostgresStore<DB>(options);
  }
  const { openSqliteStore } = await import('./sqlite-store.js');
  return openSqliteStore<DB>(options);
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
