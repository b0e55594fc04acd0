import { sql } from 'kysely';
import { outcomeOf } from '../../ledger/moves/entries.js';
import type { Ledger } from '../../ledger/moves/ledger.js';
import { type BatchRecord, type DeskTables, PLANNED_CHECK } from '../../ledger/schema.js';
import type { Store } from '../../store/store.js';
import { intentsOf } from './ledger-view.js';
import { rowPages } from './row-pages.js';

/** What a batch still has to do, beyond its counts. */
export interface Remaining {
  /** Of those pending: their earlier instruction is only checked. */
  onlyChecked: number;
  /** Of those unknown: a person may decide to send them again. */
  resendable: number;
  /** Milliseconds until the quiet period of the last of them is over; 0 once it is, and for charges, which have none. */
  heldMs: number;
}

export const nothingRemains: Remaining = { onlyChecked: 0, resendable: 0, heldMs: 0 };

export async function remainingOf(
  store: Store<DeskTables>,
  ledger: Pick<Ledger, 'quietLeft'>,
  batch: BatchRecord,
): Promise<Remaining> {
  const { count } = await store.db
    .selectFrom('batch_rows')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('batch_id', '=', batch.id)
    .where('finished', '=', sql.lit(0))
    .where('planned', '=', PLANNED_CHECK)
    .where(sql<boolean>`(outcome is null or outcome <> 'unknown')`)
    .executeTakeFirstOrThrow();
  const remaining = { ...nothingRemains, onlyChecked: Number(count) };
  // A charge whose payment was seen is not sent again, whatever the payment shows.
  const unseen = batch.action === 'charge' ? sql` and payment_id = ''` : sql``;
  const isUnknown = sql<boolean>`finished = 0 and outcome = 'unknown' and planned <> ${sql.lit(PLANNED_CHECK)}${unseen}`;
  for await (const page of rowPages(store, batch.id, isUnknown)) {
    remaining.resendable += page.length;
    for (const intent of (await intentsOf(store, batch, page)).values()) {
      if (outcomeOf(intent) !== 'unknown') continue;
      remaining.heldMs = Math.max(remaining.heldMs, await ledger.quietLeft(intent, 0));
    }
  }
  return remaining;
}
