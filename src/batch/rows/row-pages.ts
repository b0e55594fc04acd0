import { sql } from 'kysely';
import type { BatchRow, DeskTables } from '../../ledger/schema.js';
import type { Store } from '../../store/store.js';

const PAGE_SIZE = 500;

/** The rows of a batch in the order of its plan, a page at a time; `narrow` leaves some of them out. */
export async function* rowPages(
  store: Store<DeskTables>,
  batchId: string,
  narrow: ReturnType<typeof sql<boolean>> = sql<boolean>`1 = 1`,
): AsyncGenerator<BatchRow[]> {
  for (let after = 0; ;) {
    const page = await store.db
      .selectFrom('batch_rows')
      .selectAll()
      .where('batch_id', '=', batchId)
      .where('id', '>', after)
      .where(narrow)
      .orderBy('id')
      .limit(sql.lit(PAGE_SIZE))
      .execute();
    yield page;
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)?.id ?? after;
  }
}
