// Batches in the desk's database: a plan becomes one once, and its rows are claimed by the processes that work on them.

import { paydesk } from '../../next-command.js';
import { UsageError } from '../../errors.js';
import type { BatchRecord, BatchRow, DeskTables } from '../../ledger/schema.js';
import type { Store } from '../../store/store.js';
import type { LedgerView } from './ledger-view.js';
import { createLoading, type Loading } from './loading.js';
import { rowPages } from './row-pages.js';

export interface Batches extends Loading {
  identity(): Promise<{ id: string; planKey: string }>;
  find(id: string): Promise<BatchRecord>;
  /** The newest first. */
  list(): Promise<BatchRecord[]>;
  rows(id: string, view?: LedgerView): AsyncGenerator<BatchRow>;
}

export function createBatches(store: Store<DeskTables>): Batches {
  return {
    ...createLoading(store),

    async identity() {
      const row = await store.db.selectFrom('identity').selectAll().executeTakeFirstOrThrow();
      return { id: row.id, planKey: row.plan_key };
    },

    async find(id) {
      const batch = await store.db.selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirst();
      if (batch) return batch;
      throw new UsageError(`There is no batch ${id} in this ledger.`, {
        code: 'no-batch',
        next: [paydesk('batch', 'status')],
      });
    },

    list: () =>
      store.db.selectFrom('batches').selectAll().orderBy('time', 'desc').orderBy('id', 'desc').execute(),

    async *rows(id, view) {
      for await (const page of rowPages(store, id)) yield* view ? await view.of(page) : page;
    },
  };
}
