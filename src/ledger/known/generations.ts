// A sandbox that was reset gives ids that were used before to other payments. Each life of it has a name of its own,
// its generation; a service that names none has only one.

import type { Kysely } from 'kysely';
import { statement } from '../../store/statement.js';
import type { Engine } from '../../store/types.js';
import type { PaymentRef } from '../payment-ref.js';
import type { DeskTables } from '../schema.js';

/** Whether the ledger's records of the app speak of this payment's generation, of another, or of none yet. */
export async function recordedGeneration(
  db: Kysely<DeskTables>,
  engine: Engine,
  { appId, generation }: PaymentRef,
): Promise<'same' | 'other' | 'none'> {
  if (generation === undefined) return 'same';
  const [current] = await generationOf(db, engine, { app_id: appId });
  if (current === undefined) return 'none';
  return current.generation === generation ? 'same' : 'other';
}

/** Retires what is on record of the app's earlier generation: it stays in the history and blocks nothing. */
export async function startGeneration(
  tx: Kysely<DeskTables>,
  engine: Engine,
  ref: PaymentRef,
): Promise<void> {
  const { appId, generation } = ref;
  const recorded = await recordedGeneration(tx, engine, ref);
  if (generation === undefined || recorded === 'same') return;
  if (recorded === 'other') await retire(tx, appId);
  await tx
    .insertInto('generations')
    .values({ app_id: appId, generation })
    .onConflict((conflict) => conflict.column('app_id').doUpdateSet({ generation }))
    .execute();
}

const generationOf = statement<{ generation: string }, 'app_id'>(
  'select generation from generations where app_id = :app_id',
);

async function retire(tx: Kysely<DeskTables>, appId: string): Promise<void> {
  await tx.deleteFrom('holds').where('app_id', '=', appId).execute();
  await tx.deleteFrom('known_payments').where('app_id', '=', appId).execute();
  await tx
    .updateTable('intents')
    .set({ retired: 1 })
    .where('app_id', '=', appId)
    .where('retired', '=', 0)
    .execute();
}
