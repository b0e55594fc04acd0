import { states, statesAwaitingProvider, type StateName } from '../../contract/states.js';
import { changingColumns, type JobKind, type PaymentRow, type ShownBefore } from '../schema.js';
import { insertEventRow } from './statements.js';
import type { Work } from './work.js';

export type PaymentChanges = Partial<
  Pick<
    PaymentRow,
    | 'captured_amount'
    | 'auto_payment'
    | 'fraud_status'
    | 'payer_ip'
    | 'payer'
    | 'authorised_until'
    | 'card'
    | 'payment_profile_id'
    | 'save_method'
    | 'method_id'
    | 'pay_info'
    | 'failure'
    | 'provider_knows'
  >
>;

/** States that have work of their own scheduled; it is void once the payment leaves them. */
const scheduled: readonly StateName[] = [...statesAwaitingProvider, 'Authorised'];

/** The one way a payment changes its state: the row, its history and its webhook in one transaction. */
export async function changeState(
  work: Work,
  payment: PaymentRow,
  to: StateName,
  cause: string,
  changes: PaymentChanges = {},
): Promise<PaymentRow> {
  if (!states[payment.state].next.includes(to)) {
    throw new Error(`payment ${payment.payment_id} cannot go from ${payment.state} to ${to}`);
  }
  const values = {
    provider_knows: null,
    ...changes,
    state: to,
    changed_time: Math.max(work.now, payment.changed_time),
    version: payment.version + 1,
  };
  await work.tx
    .updateTable('payments')
    .set({ ...values, before_change: JSON.stringify(shownBefore(payment, values)) })
    .where('payment_id', '=', payment.payment_id)
    .execute();
  if (scheduled.includes(payment.state)) {
    await work.tx
      .deleteFrom('jobs')
      .where('payment_id', '=', payment.payment_id)
      .where('kind', '!=', 'expire-link')
      .execute();
  }
  const { shownBefore: _, ...row } = payment;
  const moved: PaymentRow = { ...row, ...values };
  await recordEvent(work, moved, payment.state, cause);
  return moved;
}

/** Notes something of a payment that stays in its state: no change of state, no webhook. */
export async function changeDetails(
  work: Work,
  payment: PaymentRow,
  changes: PaymentChanges,
): Promise<PaymentRow> {
  const before = shownBefore(payment, changes);
  const isShown = Object.keys(before).length > 0;
  await work.tx
    .updateTable('payments')
    .set({ ...changes, ...(isShown && { before_change: JSON.stringify(before) }) })
    .where('payment_id', '=', payment.payment_id)
    .execute();
  work.touches(payment.payment_id);
  return { ...payment, ...changes, shownBefore: before };
}

/** What a read shows until these changes, and no longer after them. */
function shownBefore(payment: PaymentRow, changes: ShownBefore): ShownBefore {
  const changed = changingColumns.filter((name) => name in changes && changes[name] !== payment[name]);
  return { ...Object.fromEntries(changed.map((name) => [name, payment[name]])), ...payment.shownBefore };
}

export async function recordEvent(
  work: Work,
  payment: PaymentRow,
  from: StateName | null,
  cause: string,
): Promise<void> {
  const url = payment.webhook_url ?? (await work.apps.byId(payment.app_id, work.tx))?.webhook_url ?? null;
  await insertEventRow(work.tx, work.store.engine, {
    payment_id: payment.payment_id,
    version: payment.version,
    from_state: from,
    to_state: payment.state,
    time: payment.changed_time,
    cause,
    via: work.via,
    url,
    due_time: payment.changed_time,
    attempts: 0,
    lease_until: null,
    lease_owner: null,
    finished: url === null ? 1 : 0,
    outcome: url === null ? 'no-target' : null,
  });
  work.touches(payment.payment_id);
  if (url !== null) work.leavesWork();
}

export async function addJob(work: Work, payment: PaymentRow, kind: JobKind, due: number): Promise<void> {
  await work.tx.insertInto('jobs').values({ payment_id: payment.payment_id, kind, due_time: due }).execute();
  work.leavesWork();
}
