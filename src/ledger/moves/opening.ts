import type { Engine, SqlRunner, StatementStore } from '../../store/types.js';
import { steadyColumns, type Clocks } from '../clocks.js';
import {
  isOpen,
  isSame,
  outcomeOf,
  type Blocked,
  type Entry,
  type NewIntent,
  type Opening,
  type AskedToSend,
  type SeenElsewhere,
  type SendAgain,
} from './entries.js';
import { startGeneration } from '../known/generations.js';
import type { IntentLog } from './intent-log.js';
import { rememberSeen } from '../known/remember.js';
import type { IntentOperation } from './operations.js';
import { refColumns, type PaymentRef } from '../payment-ref.js';
import { createResend } from './resend.js';
import { fenceOf, quietLeft } from './quiet-period.js';
import { elapsedSince, type SteadyTime } from '../steady-clock.js';
import {
  adoption,
  claimHold,
  dropHold,
  giveHoldTo,
  lastIntentOn,
  standingOn,
  NO_INTENT_YET,
  takeHold,
} from './statements.js';

/** Whether an instruction may be sent, and the hold that it gets when it may. */
export function createOpening(store: StatementStore, clocks: Clocks, log: IntentLog) {
  const { engine } = store;
  const { entry, insertIntent } = log;
  const { closeEarlier } = createResend(store, clocks, log);
  const adoptedNow = (db: SqlRunner, quietMs: number) => findAdoption(db, engine, clocks, quietMs);

  /** `db` sees its own hold: it is taken before this is asked, so that nobody can come in between. */
  async function findBlocking(
    db: SqlRunner,
    ref: PaymentRef,
    operation: IntentOperation,
    { again = false, cleared, quietMs = 0, notShown = [] }: AskedToSend,
  ): Promise<Blocked | undefined> {
    const [found] = await standingOn(db, engine, { ...refColumns(ref), operation });
    if (!found) throw new Error('The ledger has lost its identity.');
    const { held, last: lastId, other, boot, ms } = found;
    if (held !== null && held !== NO_INTENT_YET) return { kind: 'held', intent: await entry(db, held) };
    const contradicted = other === null ? undefined : contradiction(await entry(db, other), notShown);
    if (lastId === null) {
      const adopted = boot === null || ms === null ? undefined : { boot, ms };
      return contradicted ?? (adopted && quietAfterAdoption(db, clocks, adopted, quietMs));
    }
    const last = await entry(db, lastId);
    const outcome = outcomeOf(last);
    if (outcome === 'done' || (outcome === 'failed' && !again)) return { kind: 'ended', intent: last };
    if (contradicted) return contradicted;
    const isClear = isSame(cleared, last) && (await leftOf(db, last, quietMs)) === 0;
    if (isClear) return adoptedNow(db, quietMs);
    return { kind: isOpen(outcome) ? 'held' : 'quiet', intent: last };
  }

  async function leftOf(db: SqlRunner, { id }: Entry, quietMs: number): Promise<number> {
    return quietLeft(await entry(db, id), quietMs, await clocks.steady(db));
  }

  /**
   * Takes the hold of an open intent over, unless its quiet period is not over or its process has just renewed it:
   * then nobody else may send.
   */
  async function claimCleared(tx: SqlRunner, cleared: Entry, quietMs: number): Promise<Blocked | undefined> {
    const { id } = cleared;
    const earlier = await entry(tx, id);
    const { renewed } = earlier;
    if (!renewed) return undefined;
    const isClear = isSame(cleared, earlier) && (await leftOf(tx, earlier, quietMs)) === 0;
    const hold = { intent_id: id, ...steadyColumns(renewed) };
    const [claimed] = isClear ? await claimHold(tx, engine, hold) : [];
    return claimed ? undefined : { kind: 'held', intent: await entry(tx, id) };
  }

  async function open(tx: SqlRunner, intent: NewIntent, sendAgain: SendAgain): Promise<Opening> {
    await startGeneration(tx, engine, intent);
    const ref = refColumns(intent);
    const { cleared } = sendAgain;
    const { operation, quietMs = 0, notShown } = intent;
    const early = cleared && ((await adoptedNow(tx, quietMs)) ?? (await claimCleared(tx, cleared, quietMs)));
    if (early) return early;
    // It gets its time together with its intent.
    await takeHold(tx, engine, { ...ref, intent_id: NO_INTENT_YET, boot: '', steady_ms: 0 });
    // Its hold is ours by now.
    const asked = { ...sendAgain, cleared: cleared && { ...cleared, renewed: undefined }, quietMs, notShown };
    const blocked = await findBlocking(tx, intent, operation, asked);
    if (blocked) {
      if (blocked.kind !== 'held' || !blocked.intent.renewed) await dropHold(tx, engine, ref);
      return blocked;
    }
    const seen = await rememberBefore(tx, engine, clocks, intent);
    if (seen && (seen.leftMs > 0 || sendAgain.clearedSeen !== seen.time)) {
      await dropHold(tx, engine, ref);
      return seen;
    }
    const opened = await insertIntent(tx, intent, cleared?.id);
    const { id, boot, steady_ms } = opened;
    if (cleared !== undefined) await closeEarlier(tx, cleared.id, id);
    await giveHoldTo(tx, engine, { ...ref, intent_id: id, boot, steady_ms });
    return { kind: 'opened', intent: opened };
  }

  return { findBlocking, leftOf, open };
}

function contradiction(done: Entry, notShown: readonly IntentOperation[]): Blocked | undefined {
  return notShown.includes(done.operation) ? { kind: 'contradicted', intent: done } : undefined;
}

/** Records the payment as it was read before. Tells where it showed the same operation of somebody else, and no longer does. */
async function rememberBefore(
  tx: SqlRunner,
  engine: Engine,
  clocks: Clocks,
  intent: NewIntent,
): Promise<SeenElsewhere | undefined> {
  const { operation, quietMs = 0 } = intent;
  const now = await clocks.wall(tx);
  const known = await rememberSeen(tx, engine, { seen: intent, source: 'changed', now, isChange: false });
  if (known?.failed_operation !== operation) return undefined;
  const [own] = await lastIntentOn(tx, engine, { ...refColumns(intent), operation });
  if (own !== undefined) return undefined;
  const time = known.state_time;
  return { kind: 'seen', leftMs: Math.max(0, time + quietMs - now), time };
}

async function findAdoption(
  db: SqlRunner,
  engine: Engine,
  clocks: Clocks,
  quietMs: number,
): Promise<Blocked | undefined> {
  const [adopted] = await adoption(db, engine, {});
  return adopted && quietAfterAdoption(db, clocks, adopted, quietMs);
}

/**
 * A ledger that was adopted just now may lack an instruction that was sent just before, or is being sent by a process
 * that had the other copy open.
 */
async function quietAfterAdoption(
  db: SqlRunner,
  clocks: Clocks,
  adopted: SteadyTime,
  quietMs: number,
): Promise<Blocked | undefined> {
  const leftMs = quietMs + fenceOf(quietMs) - elapsedSince(adopted, await clocks.steady(db));
  return leftMs > 0 ? { kind: 'adopted', leftMs } : undefined;
}
