import type { Transaction } from 'kysely';
import type { DeskTables } from '../../ledger/schema.js';
import type { Store } from '../../store/store.js';

const MAX_GROUP = 64;

/**
 * Writes that come at the same time share one transaction; each resolves once it is durable. When one fails, all that
 * share it do: what is written here fails only with the database.
 */
export function createGroupWriter<Item, Written>(
  store: Store<DeskTables>,
  write: (tx: Transaction<DeskTables>, item: Item) => Promise<Written>,
  before: (tx: Transaction<DeskTables>) => Promise<void> = async () => {},
): (item: Item) => Promise<Written> {
  interface Waiting {
    item: Item;
    resolve: (written: Written) => void;
    reject: (error: unknown) => void;
  }
  const waiting: Waiting[] = [];
  let writing = false;

  async function writeAll(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_GROUP);
      try {
        const written = await store.transaction(async (tx) => {
          await before(tx);
          const all: Written[] = [];
          for (const { item } of batch) all.push(await write(tx, item));
          return all;
        });
        batch.forEach(({ resolve }, index) => resolve(written[index] as Written));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    writing = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!writing) void writeAll();
    });
}
