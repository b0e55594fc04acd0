// A sandbox that was reset gives ids that were used before to other payments. Each life of it has a name of its own,
// its generation; a service that names none has only one.

import { statement } from '../../store/statement.js';
import type { Engine, SqlRunner } from '../../store/types.js';
import type { PaymentRef } from '../payment-ref.js';

/** Whether the ledger's records of the app speak of this payment's generation, of another, or of none yet. */
export async function recordedGeneration(
  db: SqlRunner,
  engine: Engine,
  { appId, generation }: PaymentRef,
): Promise<'same' | 'other' | 'none'> {
  if (generation === undefined) return 'same';
  const [current] = await generationOf(db, engine, { app_id: appId });
  if (current === undefined) return 'none';
  return current.generation === generation ? 'same' : 'other';
}

/** Retires what is on record of the app's earlier generation: it stays in the history and blocks nothing. */
export async function startGeneration(tx: SqlRunner, engine: Engine, ref: PaymentRef): Promise<void> {
  const { appId, generation } = ref;
  const recorded = await recordedGeneration(tx, engine, ref);
  if (generation === undefined || recorded === 'same') return;
  if (recorded === 'other') {
    for (const retire of retiring) await retire(tx, engine, { app_id: appId });
  }
  await writeGeneration(tx, engine, { app_id: appId, generation });
}

const generationOf = statement<{ generation: string }, 'app_id'>(
  'select generation from generations where app_id = :app_id',
);

const writeGeneration = statement<unknown, 'app_id' | 'generation'>(
  `insert into generations (app_id, generation) values (:app_id, :generation)
   on conflict (app_id) do update set generation = excluded.generation`,
);

const retiring = [
  statement<unknown, 'app_id'>('delete from holds where app_id = :app_id'),
  statement<unknown, 'app_id'>('delete from known_payments where app_id = :app_id'),
  statement<unknown, 'app_id'>('update intents set retired = 1 where app_id = :app_id and retired = 0'),
];
