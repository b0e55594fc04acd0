import type { Engine, SqlRunner, StatementStore } from '../../store/types.js';
import { steadyColumns, type Clocks } from '../clocks.js';
import type { Entry, NewIntent, NewOutcome } from './entries.js';
import { refColumns, type AppRef, type PaymentNames } from '../payment-ref.js';
import {
  holdOf,
  insertIntentRow,
  insertOutcomeRow,
  intentById,
  lastOutcomeOf,
  nameIntent,
  openIntents,
  unnamedIntent,
  unseenCharges,
} from './statements.js';

type Moment = Pick<Entry, 'time' | 'boot' | 'steady_ms'>;

export type IntentLog = ReturnType<typeof createIntentLog>;

/** Reads and writes the intents and outcomes themselves, regardless of holds. */
export function createIntentLog({ engine }: StatementStore, clocks: Clocks, operator: string) {
  async function insertIntent(tx: SqlRunner, intent: NewIntent, resendOf?: number): Promise<Entry> {
    const steady = await clocks.steady(tx);
    const row = {
      ...refColumns(intent),
      reference_id: intent.referenceId ?? null,
      customer_id: intent.customerId ?? null,
      operation: intent.operation,
      amount: intent.amount ?? null,
      currency: intent.currency ?? null,
      before_state: intent.before ?? null,
      before_fingerprint: intent.beforeFingerprint ?? null,
      base_url: intent.baseUrl,
      profile: intent.profile ?? null,
      kind: intent.kind,
      operator,
      reason: intent.reason ?? null,
      ticket: intent.ticket ?? null,
      description: intent.description ?? null,
      time: await clocks.wall(tx),
      ...steadyColumns(steady),
      quiet_ms: intent.quietMs ?? 0,
      resend_of: resendOf ?? null,
      batch_id: intent.batchId ?? null,
    };
    const [inserted] = await insertIntentRow(tx, engine, row);
    const { id } = inserted as { id: number };
    return { ...row, id, retired: 0, last: undefined };
  }

  /** `at` is the moment of an intent that was written together with its outcome. */
  async function insertOutcome(
    tx: SqlRunner,
    intentId: number,
    outcome: NewOutcome,
    at?: Moment,
  ): Promise<void> {
    // A failure is recorded only after the quiet period, so it does not start a new one.
    const [last] =
      outcome.outcome === 'failed' ? await lastOutcomeOf(tx, engine, { intent_id: intentId }) : [];
    const { boot, steady_ms } = last ?? at ?? steadyColumns(await clocks.steady(tx));
    await insertOutcomeRow(tx, engine, {
      intent_id: intentId,
      outcome: outcome.outcome,
      after_state: outcome.after ?? null,
      why: outcome.why ?? null,
      http_status: outcome.httpStatus ?? null,
      may_have_left: outcome.neverLeft ? 0 : 1,
      operator,
      time: at?.time ?? (await clocks.wall(tx)),
      boot,
      steady_ms,
    });
  }

  /** A create whose answer was lost has no payment id yet. The same create under the same reference is that one. */
  async function takeUnnamed(
    tx: SqlRunner,
    intent: NewIntent,
  ): Promise<{ id: number; time: number } | undefined> {
    const { appId, paymentId, referenceId, operation, customerId = null, currency = null } = intent;
    if (referenceId === undefined || !['create', 'charge'].includes(operation)) return undefined;
    const sought = { app_id: appId, operation, reference_id: referenceId };
    const [unnamed] = await unnamedIntent(tx, engine, sought);
    if (unnamed) {
      const named = { payment_id: paymentId, customer_id: customerId, currency };
      await nameIntent(tx, engine, { id: unnamed.id, ...named });
    }
    return unnamed;
  }

  return {
    insertIntent,
    insertOutcome,
    entry: (db: SqlRunner, id: number) => readEntry(db, engine, id),
    takeUnnamed,
  };
}

async function readEntry(db: SqlRunner, engine: Engine, id: number): Promise<Entry> {
  const [intent] = await intentById(db, engine, { id });
  if (!intent) throw new Error(`The ledger has no intent ${id}.`);
  const [last] = await lastOutcomeOf(db, engine, { intent_id: id });
  const [hold] = await holdOf(db, engine, { intent_id: id });
  return { ...intent, last, renewed: hold && { boot: hold.boot, ms: hold.steady_ms } };
}

/** What is open under an id or a reference: for a payment that cannot be read. */
export async function findOpen(
  { db, engine }: StatementStore,
  { appId }: AppRef,
  { paymentId, referenceId }: PaymentNames,
): Promise<Entry[]> {
  const names = { payment_id: paymentId ?? null, reference_id: referenceId ?? null };
  const open = await openIntents(db, engine, { app_id: appId, ...names });
  return Promise.all(open.map(({ intent_id }) => readEntry(db, engine, intent_id)));
}

/** The references of charges with an unknown outcome that are not among the known payments, newest first. */
export async function readUnseenCharges(
  { db, engine }: StatementStore,
  { appId }: AppRef,
): Promise<string[]> {
  const charges = await unseenCharges(db, engine, { app_id: appId });
  return charges.map(({ reference_id }) => reference_id);
}
