import { sql, type Transaction } from 'kysely';
import type { Store } from '../store/store.js';
import { remember, type SeenPayment, type Source } from './known-payments.js';
import { placeColumns, placeOf, type PaymentPlace } from './payment-place.js';
import type { DeskTables, IntentRow, OutcomeRow } from './schema.js';
import {
  dropHold,
  dropHoldOf,
  giveHoldTo,
  holdOf,
  holdOn,
  insertIntentRow,
  insertOutcomeRow,
  intentById,
  lastIntentOn,
  lastOutcomeOf,
  outcomesOf,
  takeHold,
} from './statements.js';

// What this desk did: an intent is written before anything is sent, and outcomes are added as they become known.
// While an intent is open, nobody on the same ledger sends anything else for that payment.

export const outcomes = ['done', 'accepted', 'failed', 'refused', 'unsent', 'unknown'] as const;
export type Outcome = (typeof outcomes)[number];

/** The end state is still to come, or nobody knows whether it was carried out. */
export function isOpen(outcome: Outcome | undefined): boolean {
  return outcome === undefined || outcome === 'accepted' || outcome === 'unknown';
}

/** What is about to be done, and the payment as it was read before. */
export interface NewIntent extends SeenPayment {
  operation: string;
  before?: string | undefined;
  profile?: string | undefined;
  kind: 'sandbox' | 'live';
  reason?: string | undefined;
  ticket?: string | undefined;
  description?: string | undefined;
  batchId?: string | undefined;
}

export interface NewOutcome {
  outcome: Outcome;
  /** The state as the service names it, and as we do. */
  after?: string | undefined;
  state?: string | undefined;
  why?: string | undefined;
  httpStatus?: number | undefined;
}

/** An intent with the last that is known of it. */
export interface Entry extends IntentRow {
  last: OutcomeRow | undefined;
}

export function outcomeOf(entry: Entry): Outcome {
  return (entry.last?.outcome as Outcome | undefined) ?? 'unknown';
}

export type Opening =
  /** The way is free, and the intent is on the disk. */
  | { kind: 'opened'; intent: Entry }
  /** An intent is open for this payment, of this operation or another. */
  | { kind: 'held'; intent: Entry }
  /** This ledger has the same operation as done, or as failed and not asked for again. */
  | { kind: 'ended'; intent: Entry };

export interface Ledger {
  /** Resolves when it can be used. Asking early lets it be opened while something else is waited for. */
  ready(): Promise<void>;
  /** By the clock of the database, in milliseconds. */
  now(): Promise<number>;
  /** The intent that stands in the way of an operation, or undefined when the way is free. */
  inTheWay(place: PaymentPlace, operation: string, again: boolean): Promise<Opening | undefined>;
  /** Writes an intent durably, unless something stands in the way. */
  open(intent: NewIntent, options?: { again?: boolean }): Promise<Opening>;
  /** Takes an open intent over with a new one; undefined when it is no longer the open one. */
  reopen(open: Entry, intent: NewIntent): Promise<Entry | undefined>;
  /** Everything that became known of an intent. */
  outcomesOf(intentId: number): Promise<OutcomeRow[]>;
  /** Adds what became of an intent; one that is closed by it no longer holds its payment, and stays closed. */
  record(intentId: number, outcome: NewOutcome): Promise<void>;
  /**
   * Something that needs no hold, such as a create: what was asked and what came of it. The payment is known from
   * then on by `source`; without one it stays unknown.
   */
  note(intent: NewIntent, outcome: NewOutcome, source: Source | undefined): Promise<void>;
  /** The payment of a create or charge whose answer was lost was found: what was unknown of it is known now. */
  noteFound(intent: NewIntent, outcome: NewOutcome): Promise<void>;
}

export interface LedgerOptions {
  /** Whose hand it is: user and host, or the CI job. */
  operator: string;
  /** In place of the database's clock; a simulation has its own. */
  now?: () => number;
  /** Many moves at once: an outcome waits for the next intent, so that one write to the disk serves both. */
  patient?: boolean;
}

type Tx = Transaction<DeskTables>;

export function createLedger(
  store: Store<DeskTables>,
  { operator, now, patient = false }: LedgerOptions,
): Ledger {
  const { engine } = store;

  async function clock(tx: Tx | Store<DeskTables>['db']): Promise<number> {
    if (now) return now();
    if (store.engine === 'sqlite') return Date.now();
    const { rows } = await sql<{
      now: number;
    }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(tx);
    return (rows[0] as { now: number }).now;
  }

  async function insertIntent(tx: Tx, intent: NewIntent, resendOf?: number): Promise<Entry> {
    const row = {
      ...placeColumns(intent),
      reference_id: intent.referenceId ?? null,
      operation: intent.operation,
      amount: intent.amount ?? null,
      currency: intent.currency ?? null,
      before_state: intent.before ?? null,
      profile: intent.profile ?? null,
      kind: intent.kind,
      operator,
      reason: intent.reason ?? null,
      ticket: intent.ticket ?? null,
      description: intent.description ?? null,
      time: await clock(tx),
      resend_of: resendOf ?? null,
      batch_id: intent.batchId ?? null,
    };
    const [inserted] = await insertIntentRow(tx, engine, row);
    const { id } = inserted as { id: number };
    return { ...row, id, last: undefined };
  }

  async function insertOutcome(tx: Tx, intentId: number, outcome: NewOutcome): Promise<void> {
    await insertOutcomeRow(tx, engine, {
      intent_id: intentId,
      outcome: outcome.outcome,
      after_state: outcome.after ?? null,
      why: outcome.why ?? null,
      http_status: outcome.httpStatus ?? null,
      operator,
      time: await clock(tx),
    });
  }

  /** `tx` sees its own hold: it is taken before this is asked, so that nobody can come in between. */
  async function obstacle(
    db: Tx | Store<DeskTables>['db'],
    place: PaymentPlace,
    operation: string,
    again: boolean,
  ): Promise<Opening | undefined> {
    const [held] = await holdOn(db, engine, placeColumns(place));
    if (held && held.intent_id !== TAKING) return { kind: 'held', intent: await entry(db, held.intent_id) };
    const [before] = await lastIntentOn(db, engine, { ...placeColumns(place), operation });
    if (!before) return undefined;
    const last = await entry(db, before.id);
    const outcome = outcomeOf(last);
    const ended = outcome === 'done' || (outcome === 'failed' && !again);
    return ended ? { kind: 'ended', intent: last } : undefined;
  }

  async function entry(db: Tx | Store<DeskTables>['db'], id: number): Promise<Entry> {
    const [intent] = await intentById(db, engine, { id });
    if (!intent) throw new Error(`The ledger has no intent ${id}.`);
    const [last] = await lastOutcomeOf(db, engine, { intent_id: id });
    return { ...intent, last };
  }

  return {
    ready: async () => {},
    now: () => clock(store.db),

    inTheWay: (place, operation, again) => obstacle(store.db, place, operation, again),

    open: (intent, { again = false } = {}) =>
      store.transaction(async (tx) => {
        const place = placeColumns(intent);
        await takeHold(tx, engine, { ...place, intent_id: TAKING });
        const found = await obstacle(tx, intent, intent.operation, again);
        if (found) {
          if (found.kind === 'ended') await dropHold(tx, engine, place);
          return found;
        }
        const opened = await insertIntent(tx, intent);
        await giveHoldTo(tx, engine, { ...place, intent_id: opened.id });
        await remember(tx, engine, { seen: intent, source: 'changed', now: opened.time, isChange: false });
        return { kind: 'opened', intent: opened };
      }),

    reopen: (open, intent) =>
      store.transaction(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('holds')
          .set({ intent_id: TAKING })
          .where('intent_id', '=', open.id)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return undefined;
        const opened = await insertIntent(tx, intent, open.id);
        await insertOutcome(tx, open.id, { outcome: 'unknown', why: `sent anew as ${opened.id}` });
        await giveHoldTo(tx, engine, { ...placeColumns(intent), intent_id: opened.id });
        return opened;
      }),

    outcomesOf: (intentId) => outcomesOf(store.db, engine, { intent_id: intentId }),

    record: (intentId, outcome) =>
      store.transaction(
        async (tx) => {
          // Closed by another process meanwhile, or sent anew: who comes late knows less.
          const [held] = await holdOf(tx, engine, { intent_id: intentId });
          if (!held) return;
          await insertOutcome(tx, intentId, outcome);
          if (outcome.state !== undefined) {
            const seen = { ...placeOf(held), state: outcome.state };
            await remember(tx, engine, { seen, source: 'changed', now: await clock(tx) });
          }
          if (!isOpen(outcome.outcome)) await dropHoldOf(tx, engine, { intent_id: intentId });
        },
        { patient },
      ),

    noteFound: (intent, outcome) =>
      store.transaction(async (tx) => {
        const found = await takeUnnamed(tx, intent);
        if (!found) return;
        await remember(tx, engine, { seen: intent, source: 'created', now: found.time });
        await insertOutcome(tx, found.id, outcome);
      }),

    note: (intent, outcome, source) =>
      store.transaction(async (tx) => {
        const { id, time } = (await takeUnnamed(tx, intent)) ?? (await insertIntent(tx, intent));
        if (source !== undefined) await remember(tx, engine, { seen: intent, source, now: time });
        await insertOutcome(tx, id, outcome);
      }),
  };
}

/** A create whose answer was lost has no payment id yet. The same create under the same reference is that one. */
async function takeUnnamed(tx: Tx, intent: NewIntent): Promise<{ id: number; time: number } | undefined> {
  const { baseUrl, appId, paymentId, referenceId, operation } = intent;
  if (referenceId === undefined || !['create', 'charge'].includes(operation)) return undefined;
  const unnamed = await tx
    .selectFrom('intents')
    .select(['id', 'time'])
    .where('payment_id', '=', UNNAMED)
    .where('app_id', '=', appId)
    .where('base_url', '=', baseUrl)
    .where('operation', '=', operation)
    .where('reference_id', '=', referenceId)
    .executeTakeFirst();
  if (unnamed) {
    await tx.updateTable('intents').set({ payment_id: paymentId }).where('id', '=', unnamed.id).execute();
  }
  return unnamed;
}

/** The payment id of what was created, as far as anybody knows, and not answered. */
export const UNNAMED = '';

/** Stands in a hold between taking it and writing its intent, within one transaction. */
const TAKING = 0;
