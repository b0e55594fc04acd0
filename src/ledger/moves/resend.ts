// An instruction that is sent again as another one: its intent is closed, and open as before should the other never leave.

import type { SqlRunner, StatementStore } from '../../store/types.js';
import type { Clocks } from '../clocks.js';
import { refColumns, refOf } from '../payment-ref.js';
import { isOpen, outcomeOf } from './entries.js';
import type { IntentLog } from './intent-log.js';
import { outcomesOf, takeHold } from './statements.js';

export function createResend({ engine }: StatementStore, clocks: Clocks, log: IntentLog) {
  /** What was open stays unknown. That starts no quiet period, since nothing more was sent for it. */
  async function closeEarlier(tx: SqlRunner, id: number, sentAs: number): Promise<void> {
    const earlier = await log.entry(tx, id);
    if (!isOpen(outcomeOf(earlier))) return;
    const { boot, steady_ms } = earlier.last ?? earlier;
    const at = { time: await clocks.wall(tx), boot, steady_ms };
    await log.insertOutcome(tx, id, { outcome: 'unknown', why: `sent again as ${sentAs}` }, at);
  }

  /** The intent that was to be sent again by this one, which never left. */
  async function reopenEarlier(tx: SqlRunner, neverLeftId: number): Promise<void> {
    const { resend_of: id } = await log.entry(tx, neverLeftId);
    if (id === null) return;
    const earlier = await log.entry(tx, id);
    if (!isOpen(outcomeOf(earlier))) return;
    // The last of them says that it was sent again.
    const before = (await outcomesOf(tx, engine, { intent_id: id })).at(-2);
    const { boot, steady_ms } = before ?? earlier;
    const outcome = {
      outcome: before?.outcome ?? 'unknown',
      after: before?.after_state ?? undefined,
      why: before?.why ?? undefined,
      httpStatus: before?.http_status ?? undefined,
    };
    await log.insertOutcome(tx, id, outcome, { time: await clocks.wall(tx), boot, steady_ms });
    await takeHold(tx, engine, { ...refColumns(refOf(earlier)), intent_id: id, boot, steady_ms });
  }

  return { closeEarlier, reopenEarlier };
}
