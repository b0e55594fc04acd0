import { sql, type Transaction } from 'kysely';
import type { Store } from '../store/store.js';
import { startGeneration } from './generations.js';
import { remember, type SeenPayment, type Source } from './known-payments.js';
import { refColumns, refOf, type PaymentRef } from './payment-ref.js';
import { quietLeft } from './quiet-period.js';
import type { DeskTables, IntentRow, OutcomeRow } from './schema.js';
import {
  claimHold,
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
  renewHold,
  TAKING,
  takeHold,
} from './statements.js';
import { DATABASE_CLOCK, steadyNow, type SteadyTime } from './steady-clock.js';

// What this desk did: an intent is written before anything is sent, and outcomes are added as they become known.
// While an intent is open, nobody on the same ledger sends anything else for that payment. Whatever may have left is
// not sent again before its quiet period has passed.

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
  /** Tells whether the payment is still exactly as it was. */
  beforePrint?: string | undefined;
  baseUrl: string;
  profile?: string | undefined;
  kind: 'sandbox' | 'live';
  quietMs?: number | undefined;
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
  /** The request provably never left, so the same instruction may be sent at once. */
  neverLeft?: boolean | undefined;
}

/** An intent with the last that is known of it. */
export interface Entry extends IntentRow {
  last: OutcomeRow | undefined;
  /** When its process last made sure of its hold; undefined once it holds nothing. */
  renewed?: SteadyTime | undefined;
}

export function outcomeOf(entry: { last: Pick<OutcomeRow, 'outcome'> | undefined }): Outcome {
  return (entry.last?.outcome as Outcome | undefined) ?? 'unknown';
}

/** An earlier instruction that keeps this one from being sent. */
export type Blocked =
  /** An intent is open for this payment, of this operation or another. */
  | { kind: 'held'; intent: Entry }
  /** This ledger has the same operation as done, or as failed and not asked for again. */
  | { kind: 'ended'; intent: Entry }
  /** The same operation may have left and was refused, not taken or failed: it may still show an effect. */
  | { kind: 'quiet'; intent: Entry };

/** The intent is on the disk and may be sent, or another one blocks it. */
export type Opening = { kind: 'opened'; intent: Entry } | Blocked;

export interface SendAgain {
  /** Sends again what this ledger has as failed. */
  again?: boolean | undefined;
  /**
   * The earlier intent whose quiet period had passed when the payment was found exactly as it was before. Whatever
   * became known of it since, or a renewed hold, makes that worthless.
   */
  cleared?: Entry | undefined;
}

export interface Ledger {
  /** Resolves when it can be used. Asking early lets it be opened while something else is waited for. */
  ready(): Promise<void>;
  /** By the clock of the database, in milliseconds. */
  now(): Promise<number>;
  /** The intent that blocks an operation on a payment, or undefined when none does. */
  findBlocking(ref: PaymentRef, operation: string, options: SendAgain): Promise<Blocked | undefined>;
  /** The newest intents of a payment that are not known to be over, one per operation. */
  unsettled(ref: PaymentRef): Promise<Entry[]>;
  /** Writes an intent durably, unless something blocks it. A cleared one is taken over if it is still open. */
  open(intent: NewIntent, options?: SendAgain): Promise<Opening>;
  /** Makes sure that the intent still holds its payment, and notes when. */
  renew(intentId: number): Promise<boolean>;
  /** An intent as the ledger has it now. */
  find(intentId: number): Promise<Entry>;
  /** Milliseconds until the same instruction may be sent again. */
  quietLeft(entry: Entry, quietMs: number): Promise<number>;
  /** Everything that became known of an intent. */
  outcomesOf(intentId: number): Promise<OutcomeRow[]>;
  /** Adds what became of an intent; one that is closed by it no longer holds its payment. */
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
  /** Who works here: user and host, or the CI job. */
  operator: string;
  /** In place of the database's clock; a simulation has its own. */
  now?: () => number;
  /** In place of the steady clock of the machine or the database. */
  steady?: () => SteadyTime;
  /** Many moves at once: an outcome waits for the next intent, so that one write to the disk serves both. */
  patient?: boolean;
}

type Tx = Transaction<DeskTables>;
type Db = Tx | Store<DeskTables>['db'];

export function createLedger(store: Store<DeskTables>, options: LedgerOptions): Ledger {
  const { engine } = store;
  const { operator, patient = false } = options;
  const clocks = createClocks(store, options);

  async function insertIntent(tx: Tx, intent: NewIntent, resendOf?: number): Promise<Entry> {
    const steady = await clocks.steady(tx);
    const row = {
      ...refColumns(intent),
      reference_id: intent.referenceId ?? null,
      customer_id: intent.customerId ?? null,
      operation: intent.operation,
      amount: intent.amount ?? null,
      currency: intent.currency ?? null,
      before_state: intent.before ?? null,
      before_print: intent.beforePrint ?? null,
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

  async function insertOutcome(tx: Tx, intentId: number, outcome: NewOutcome): Promise<void> {
    // A failure is told only after the quiet period, which it does not begin again.
    const [last] =
      outcome.outcome === 'failed' ? await lastOutcomeOf(tx, engine, { intent_id: intentId }) : [];
    const steady = last ? { boot: last.boot, ms: last.steady_ms } : await clocks.steady(tx);
    await insertOutcomeRow(tx, engine, {
      intent_id: intentId,
      outcome: outcome.outcome,
      after_state: outcome.after ?? null,
      why: outcome.why ?? null,
      http_status: outcome.httpStatus ?? null,
      may_have_left: outcome.neverLeft ? 0 : 1,
      operator,
      time: await clocks.wall(tx),
      ...steadyColumns(steady),
    });
  }

  /** `db` sees its own hold: it is taken before this is asked, so that nobody can come in between. */
  async function findBlocking(
    db: Db,
    ref: PaymentRef,
    operation: string,
    { again = false, cleared, quietMs = 0 }: SendAgain & { quietMs?: number | undefined },
  ): Promise<Blocked | undefined> {
    const [held] = await holdOn(db, engine, refColumns(ref));
    if (held && held.intent_id !== TAKING) return { kind: 'held', intent: await entry(db, held.intent_id) };
    const [before] = await lastIntentOn(db, engine, { ...refColumns(ref), operation });
    if (!before) return undefined;
    const last = await entry(db, before.id);
    const outcome = outcomeOf(last);
    if (outcome === 'done' || (outcome === 'failed' && !again)) return { kind: 'ended', intent: last };
    if (last.last?.may_have_left === 0) return undefined;
    const isClear = isSame(cleared, last) && (await leftOf(db, last, quietMs)) === 0;
    return isClear ? undefined : { kind: 'quiet', intent: last };
  }

  async function leftOf(db: Db, { id }: Entry, quietMs: number): Promise<number> {
    return quietLeft(await entry(db, id), quietMs, await clocks.steady(db));
  }

  async function entry(db: Db, id: number): Promise<Entry> {
    const [intent] = await intentById(db, engine, { id });
    if (!intent) throw new Error(`The ledger has no intent ${id}.`);
    const [last] = await lastOutcomeOf(db, engine, { intent_id: id });
    const [hold] = await holdOf(db, engine, { intent_id: id });
    return { ...intent, last, renewed: hold && { boot: hold.boot, ms: hold.steady_ms } };
  }

  /**
   * Takes the hold of an open intent over, unless its quiet period is not over or its process has just renewed it:
   * then nobody else may send.
   */
  async function claimCleared(tx: Tx, cleared: Entry, quietMs: number): Promise<Blocked | undefined> {
    const { id } = cleared;
    const earlier = await entry(tx, id);
    const { renewed } = earlier;
    if (!renewed) return undefined;
    const isClear = isSame(cleared, earlier) && (await leftOf(tx, earlier, quietMs)) === 0;
    const [claimed] = isClear
      ? await claimHold(tx, engine, { intent_id: id, ...steadyColumns(renewed) })
      : [];
    return claimed ? undefined : { kind: 'held', intent: await entry(tx, id) };
  }

  /** What was open stays unknown for ever: its instruction was sent again as another one. */
  async function closeCleared(tx: Tx, id: number, sentAs: number): Promise<void> {
    const earlier = await entry(tx, id);
    if (!isOpen(outcomeOf(earlier))) return;
    await insertOutcome(tx, id, { outcome: 'unknown', why: `sent again as ${sentAs}` });
  }

  /** Takes the hold back for an intent that was thought to be over. */
  async function reopen(tx: Tx, intent: IntentRow): Promise<void> {
    const steady = steadyColumns(await clocks.steady(tx));
    await takeHold(tx, engine, { ...refColumns(refOf(intent)), intent_id: intent.id, ...steady });
  }

  return {
    ready: async () => {},
    now: () => clocks.wall(store.db),

    async findBlocking(ref, operation, options) {
      if (ref.generation !== undefined) await store.transaction((tx) => startGeneration(tx, ref));
      return findBlocking(store.db, ref, operation, options);
    },

    async unsettled(ref) {
      if (ref.generation !== undefined) await store.transaction((tx) => startGeneration(tx, ref));
      const newest = await store.db
        .selectFrom('intents')
        .select(({ fn }) => fn.max('id').as('id'))
        .where((eb) => eb.and({ ...refColumns(ref), retired: 0 }))
        .groupBy('operation')
        .execute();
      const entries = await Promise.all(newest.map(({ id }) => entry(store.db, id)));
      return entries.filter(isUnsettled).sort((one, other) => other.id - one.id);
    },

    open: (intent, sendAgain = {}) =>
      store.transaction(async (tx) => {
        await startGeneration(tx, intent);
        const ref = refColumns(intent);
        const { cleared } = sendAgain;
        const held = cleared === undefined ? undefined : await claimCleared(tx, cleared, intent.quietMs ?? 0);
        if (held) return held;
        const steady = steadyColumns(await clocks.steady(tx));
        await takeHold(tx, engine, { ...ref, intent_id: TAKING, ...steady });
        const { operation, quietMs } = intent;
        // Its hold is ours by now.
        const claimed = cleared && { ...cleared, renewed: undefined };
        const blocked = await findBlocking(tx, intent, operation, {
          ...sendAgain,
          cleared: claimed,
          quietMs,
        });
        if (blocked) {
          if (blocked.kind !== 'held') await dropHold(tx, engine, ref);
          return blocked;
        }
        const opened = await insertIntent(tx, intent, cleared?.id);
        if (cleared !== undefined) await closeCleared(tx, cleared.id, opened.id);
        const { boot, steady_ms } = opened;
        await giveHoldTo(tx, engine, { ...ref, intent_id: opened.id, boot, steady_ms });
        await remember(tx, engine, { seen: intent, source: 'changed', now: opened.time, isChange: false });
        return { kind: 'opened', intent: opened };
      }),

    renew: (intentId) =>
      store.transaction(async (tx) => {
        const steady = steadyColumns(await clocks.steady(tx));
        const [held] = await renewHold(tx, engine, { intent_id: intentId, ...steady });
        return held !== undefined;
      }),

    find: (intentId) => entry(store.db, intentId),

    quietLeft: (of, quietMs) => leftOf(store.db, of, quietMs),

    outcomesOf: (intentId) => outcomesOf(store.db, engine, { intent_id: intentId }),

    record: (intentId, outcome) =>
      store.transaction(
        async (tx) => {
          const [held] = await holdOf(tx, engine, { intent_id: intentId });
          const stays = isOpen(outcome.outcome);
          if (!held) {
            // Only a later proof reopens what was closed; a process that comes late knows less.
            const closed = await entry(tx, intentId);
            if (!(await isNewest(tx, closed)) || !mayChange(closed, outcome.outcome)) return;
            if (stays) await reopen(tx, closed);
          }
          await insertOutcome(tx, intentId, outcome);
          if (outcome.state !== undefined) {
            const intent = held ?? (await entry(tx, intentId));
            const seen = { ...refOf(intent), state: outcome.state };
            await remember(tx, engine, { seen, source: 'changed', now: await clocks.wall(tx) });
          }
          if (!stays) await dropHoldOf(tx, engine, { intent_id: intentId });
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
        await startGeneration(tx, intent);
        const { id, time } = (await takeUnnamed(tx, intent)) ?? (await insertIntent(tx, intent));
        if (source !== undefined) await remember(tx, engine, { seen: intent, source, now: time });
        await insertOutcome(tx, id, outcome);
      }),
  };

  async function isNewest(tx: Tx, { id, operation, ...row }: Entry): Promise<boolean> {
    const [newest] = await lastIntentOn(tx, engine, { ...refColumns(refOf(row)), operation });
    return newest?.id === id;
  }
}

/** A create whose answer was lost has no payment id yet. The same create under the same reference is that one. */
async function takeUnnamed(tx: Tx, intent: NewIntent): Promise<{ id: number; time: number } | undefined> {
  const { appId, paymentId, referenceId, operation } = intent;
  if (referenceId === undefined || !['create', 'charge'].includes(operation)) return undefined;
  const unnamed = await tx
    .selectFrom('intents')
    .select(['id', 'time'])
    .where('payment_id', '=', UNNAMED)
    .where('app_id', '=', appId)
    .where('retired', '=', 0)
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

/** Refused, not taken and failed are told from what was shown then; what may have left may still turn out done. */
function isUnsettled(entry: Entry): boolean {
  if (isOpen(outcomeOf(entry))) return true;
  return outcomeOf(entry) !== 'done' && entry.last?.may_have_left !== 0;
}

function mayChange(closed: Entry, outcome: Outcome): boolean {
  return isUnsettled(closed) && outcome !== outcomeOf(closed);
}

/** Whether nothing has become known of an intent, and nobody has renewed it, since it was looked at. */
function isSame(seen: Entry | undefined, now: Entry): boolean {
  return (
    seen?.id === now.id &&
    seen.last?.id === now.last?.id &&
    seen.renewed?.boot === now.renewed?.boot &&
    seen.renewed?.ms === now.renewed?.ms
  );
}

const steadyColumns = ({ boot, ms }: SteadyTime) => ({ boot, steady_ms: ms });

function createClocks(store: Store<DeskTables>, { now, steady }: LedgerOptions) {
  async function wall(db: Db): Promise<number> {
    if (now) return now();
    if (store.engine === 'sqlite') return Date.now();
    const { rows } = await sql<{
      now: number;
    }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db);
    return (rows[0] as { now: number }).now;
  }
  return {
    wall,
    /** Several machines on one database go by its clock. */
    async steady(db: Db): Promise<SteadyTime> {
      if (steady) return steady();
      return store.engine === 'sqlite' ? steadyNow() : { boot: DATABASE_CLOCK, ms: await wall(db) };
    },
  };
}
