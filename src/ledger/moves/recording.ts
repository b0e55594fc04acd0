import type { Engine, SqlRunner, StatementStore } from '../../store/types.js';
import { steadyColumns, type Clocks } from '../clocks.js';
import { isOpen, isUnsettled, outcomeOf, type Entry, type NewIntent, type NewOutcome } from './entries.js';
import type { IntentLog } from './intent-log.js';
import type { Outcome } from './operations.js';
import { rememberState } from '../known/remember.js';
import { refColumns, refOf } from '../payment-ref.js';
import { createResend } from './resend.js';
import type { IntentRow } from '../schema.js';
import {
  dropHoldOf,
  finishBatchRow,
  holdOf,
  intentById,
  lastIntentOn,
  lockHoldOf,
  takeHold,
} from './statements.js';

/** Adds the outcome of an intent, and keeps, releases or takes back its hold accordingly. */
export function createRecording(store: StatementStore, clocks: Clocks, log: IntentLog) {
  const { engine } = store;
  const { reopenEarlier } = createResend(store, clocks, log);

  /** Takes the hold back for an intent that was thought to be over; false while another intent has it. */
  async function reopen(tx: SqlRunner, intent: IntentRow): Promise<boolean> {
    const steady = steadyColumns(await clocks.steady(tx));
    await takeHold(tx, engine, { ...refColumns(refOf(intent)), intent_id: intent.id, ...steady });
    const [held] = await holdOf(tx, engine, { intent_id: intent.id });
    return held !== undefined;
  }

  async function isNewest(tx: SqlRunner, { id, operation, ...row }: Entry): Promise<boolean> {
    const [newest] = await lastIntentOn(tx, engine, { ...refColumns(refOf(row)), operation });
    return newest?.id === id;
  }

  async function record(tx: SqlRunner, intentId: number, outcome: NewOutcome): Promise<boolean> {
    // The lock keeps another process from dropping the hold while it records an outcome of its own.
    const [held] = await lockHoldOf(tx, engine, { intent_id: intentId });
    const stays = isOpen(outcome.outcome);
    if (!held) {
      // Only a later proof reopens what was closed; a process that comes late knows less.
      const closed = await log.entry(tx, intentId);
      if (!(await isNewest(tx, closed)) || !mayChange(closed, outcome.outcome)) return false;
      if (stays && !(await reopen(tx, closed))) return false;
    }
    await log.insertOutcome(tx, intentId, outcome);
    if (outcome.outcome === 'done' && !outcome.inBatch) {
      const [intent] = await intentById(tx, engine, { id: intentId });
      if (intent) await correctBatchRow(tx, engine, intent, outcome);
    }
    if (outcome.state !== undefined) {
      const intent = held ?? (await log.entry(tx, intentId));
      await rememberState(tx, engine, { ...refOf(intent), state: outcome.state }, await clocks.wall(tx));
    }
    if (!stays) await dropHoldOf(tx, engine, { intent_id: intentId });
    if (held && outcome.neverLeft) await reopenEarlier(tx, intentId);
    return true;
  }

  /** A create or charge that was not known to be done: what its payment shows counts, and not what its answer said. */
  async function correct(
    tx: SqlRunner,
    { appId, paymentId, operation }: NewIntent,
    outcome: NewOutcome,
  ): Promise<void> {
    const [newest] = await lastIntentOn(tx, engine, { ...refColumns({ appId, paymentId }), operation });
    if (!newest) return;
    const entry = await log.entry(tx, newest.id);
    if (outcomeOf(entry) === 'done' || outcomeOf(entry) === outcome.outcome) return;
    await log.insertOutcome(tx, entry.id, outcome);
    if (outcome.outcome === 'done') await correctBatchRow(tx, engine, entry, outcome);
  }

  return { record, correct };
}

/** The batch that sent it reports it as done too. */
async function correctBatchRow(
  tx: SqlRunner,
  engine: Engine,
  { batch_id, payment_id }: IntentRow,
  { after }: NewOutcome,
): Promise<void> {
  if (batch_id === null) return;
  await finishBatchRow(tx, engine, { batch_id, payment_id, after_state: after ?? null });
}

function mayChange(closed: Entry, outcome: Outcome): boolean {
  return isUnsettled(closed) && outcome !== outcomeOf(closed);
}
