import { randomBytes, randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Store } from '../../store/store.js';
import type { DeskTables } from '../schema.js';
import type { Clocks } from '../clocks.js';
import type { SteadyTime } from '../steady-clock.js';
import type { IntentMark } from './place-note.js';

/**
 * A new id and a new key for plans: a plan that was made with the other copy cannot be applied with this one. What is
 * not known to be done may have been sent by the other copy just now, so its quiet period begins again. Unless the ledger
 * is complete, so may have been what is not in it at all: then nothing is sent before a quiet period has passed.
 */
export async function giveNewId(
  store: Store<DeskTables>,
  clocks: Clocks,
  { complete }: { complete: boolean },
): Promise<{ id: string; formerId: string; newest: IntentMark | undefined }> {
  const id = randomUUID();
  return store.transaction(async (tx) => {
    const { id: formerId } = await tx.selectFrom('identity').select('id').executeTakeFirstOrThrow();
    const now = await clocks.steady(tx);
    await tx
      .updateTable('identity')
      .set({
        id,
        plan_key: randomBytes(32).toString('hex'),
        ...(complete ? {} : { adopted_boot: now.boot, adopted_ms: now.ms }),
      })
      .execute();
    await restartQuietPeriods(tx, now);
    const newest = await tx
      .selectFrom('intents')
      .select(['id', 'time'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return { id, formerId, newest };
  });
}

/** Nobody knows when an instruction of another copy left, so every quiet period begins again. */
async function restartQuietPeriods(tx: Transaction<DeskTables>, { boot, ms }: SteadyTime): Promise<void> {
  const now = { boot, steady_ms: ms };
  await tx.updateTable('holds').set(now).execute();
  await tx.updateTable('intents').set(now).execute();
  await tx.updateTable('outcomes').set(now).where('outcome', '!=', 'done').execute();
}
