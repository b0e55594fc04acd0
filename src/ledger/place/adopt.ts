import { randomBytes, randomUUID } from 'node:crypto';
import { statement } from '../../store/statement.js';
import type { Engine, SqlRunner, StatementStore } from '../../store/types.js';
import { steadyColumns, type Clocks } from '../clocks.js';
import type { IntentMark } from './place-note.js';

/**
 * A new id and a new key for plans: a plan that was made with the other copy cannot be applied with this one. What is
 * not known to be done may have been sent by the other copy just now, so its quiet period begins again. Unless the ledger
 * is complete, so may have been what is not in it at all: then nothing is sent before a quiet period has passed.
 */
export async function giveNewId(
  store: StatementStore,
  clocks: Clocks,
  { complete }: { complete: boolean },
): Promise<{ id: string; formerId: string; newest: IntentMark | undefined }> {
  const { engine } = store;
  const id = randomUUID();
  return store.transaction(async (tx) => {
    const now = steadyColumns(await clocks.steady(tx));
    const formerId = await readId(tx, engine);
    await replaceIdentity(tx, engine, { id, plan_key: randomBytes(32).toString('hex') });
    if (!complete) await noteAdoption(tx, engine, now);
    for (const restart of quietPeriods) await restart(tx, engine, now);
    const [newest] = await newestIntent(tx, engine, {});
    return { id, formerId, newest };
  });
}

/** What tells this ledger from every other. */
export async function readId(db: SqlRunner, engine: Engine): Promise<string> {
  const [identity] = await identities(db, engine, {});
  if (!identity) throw new Error('The ledger has lost its identity.');
  return identity.id;
}

const identities = statement<{ id: string }, never>('select id from identity');
const replaceIdentity = statement<unknown, 'id' | 'plan_key'>(
  'update identity set id = :id, plan_key = :plan_key',
);
const noteAdoption = statement<unknown, 'boot' | 'steady_ms'>(
  'update identity set adopted_boot = :boot, adopted_ms = :steady_ms',
);
const newestIntent = statement<IntentMark, never>('select id, time from intents order by id desc limit 1');

/** Nobody knows when an instruction of another copy left, so every quiet period begins again. */
const RESTART = 'set boot = :boot, steady_ms = :steady_ms';
const quietPeriods = [
  `update holds ${RESTART}`,
  `update intents ${RESTART}`,
  `update outcomes ${RESTART} where outcome != 'done'`,
].map((text) => statement<unknown, 'boot' | 'steady_ms'>(text));
