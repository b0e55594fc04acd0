import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from './store.js';
import type { Migration, Store } from './types.js';

/** A database file in a new folder whose name begins with `prefix`. Closing the store removes the folder. */
export async function openTemporaryStore<DB>(prefix: string, migrations: Migration[]): Promise<Store<DB>> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  const remove = () => rm(folder, { recursive: true, force: true });
  const location = join(folder, 'rows.db');
  try {
    const store = await openStore<DB>({ location, schema: 'unused', migrations });
    return {
      ...store,
      async close() {
        await store.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
