// What this desk did: an intent is written before anything is sent, and outcomes are added as they become known.
// While an intent is open, nobody on the same ledger sends anything else for that payment. Whatever may have left is
// not sent again before its quiet period has passed.

import type { StatementStore } from '../../store/types.js';
import { createClocks, steadyColumns, type ClockOptions } from '../clocks.js';
import {
  isUnsettled,
  type AskedToSend,
  type Blocked,
  type Entry,
  type NewIntent,
  type NewOutcome,
  type Opening,
  type SendAgain,
} from './entries.js';
import { recordedGeneration, startGeneration } from '../known/generations.js';
import { createIntentLog, findOpen } from './intent-log.js';
import { remember, rememberSeen, type Source } from '../known/remember.js';
import type { SeenPayment } from '../known/seen-payment.js';
import { createOpening } from './opening.js';
import type { IntentOperation } from './operations.js';
import { refColumns, type AppRef, type PaymentNames, type PaymentRef } from '../payment-ref.js';
import { createRecording } from './recording.js';
import type { OutcomeRow } from '../schema.js';
import { newestIntents, outcomesOf, renewHold } from './statements.js';

export interface Ledger {
  /** Resolves when it can be used. Asking early lets it be opened while something else is waited for. */
  ready(): Promise<void>;
  /** By the clock of the database, in milliseconds. */
  now(): Promise<number>;
  /** What blocks an operation on a payment, or undefined when nothing does. */
  findBlocking(
    ref: PaymentRef,
    operation: IntentOperation,
    options: AskedToSend,
  ): Promise<Blocked | undefined>;
  /** The newest intents of a payment that may have left and are not known to be over, one per operation. */
  unsettled(ref: PaymentRef): Promise<Entry[]>;
  /** What is open under an id or a reference: for a payment that cannot be read. */
  findOpen(app: AppRef, names: PaymentNames): Promise<Entry[]>;
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
  /**
   * Adds the outcome of an intent; one that is closed by it no longer holds its payment. False when nothing was added,
   * because the ledger has a newer outcome or a newer intent.
   */
  record(intentId: number, outcome: NewOutcome): Promise<boolean>;
  /**
   * Something that needs no hold, such as a create: what was asked and what came of it. The payment is known from
   * then on by `source`; without one it stays unknown.
   */
  note(intent: NewIntent, outcome: NewOutcome, source: Source | undefined): Promise<void>;
  /**
   * The payment of a create or charge was found: what was unknown of it is known now, and what was told from its
   * answer is corrected by what it shows.
   */
  noteFound(intent: NewIntent, outcome: NewOutcome): Promise<void>;
  /** Records how payments were just seen, where no instruction is written for them. */
  remember(seen: readonly SeenPayment[]): Promise<void>;
}

export interface LedgerOptions extends ClockOptions {
  /** Who works here: user and host, or the CI job. */
  operator: string;
  /** Many moves at once: an outcome waits for the next intent, so that one write to the disk serves both. */
  mayWait?: boolean;
}

export function createLedger(store: StatementStore, options: LedgerOptions): Ledger {
  const { engine } = store;
  const { operator, mayWait = false } = options;
  const clocks = createClocks(store, options);
  const log = createIntentLog(store, clocks, operator);
  const opening = createOpening(store, clocks, log);
  const recording = createRecording(store, clocks, log);

  /** Nearly always there is nothing to start, and then nothing is locked either. */
  async function enterGeneration(ref: PaymentRef): Promise<void> {
    if ((await recordedGeneration(store.db, engine, ref)) === 'same') return;
    await store.transaction((tx) => startGeneration(tx, engine, ref));
  }

  return {
    ready: async () => {},
    now: () => clocks.wall(store.db),

    async findBlocking(ref, operation, options) {
      await enterGeneration(ref);
      return opening.findBlocking(store.db, ref, operation, options);
    },

    async unsettled(ref) {
      await enterGeneration(ref);
      const newest = await newestIntents(store.db, engine, refColumns(ref));
      const entries = await Promise.all(newest.map(({ id }) => log.entry(store.db, id)));
      return entries.filter(isUnsettled).sort((one, other) => other.id - one.id);
    },

    findOpen: (app, names) => findOpen(store, app, names),

    open: (intent, sendAgain = {}) => store.transaction((tx) => opening.open(tx, intent, sendAgain)),

    renew: (intentId) =>
      store.transaction(async (tx) => {
        const steady = steadyColumns(await clocks.steady(tx));
        const [held] = await renewHold(tx, engine, { intent_id: intentId, ...steady });
        return held !== undefined;
      }),

    find: (intentId) => log.entry(store.db, intentId),

    quietLeft: (of, quietMs) => opening.leftOf(store.db, of, quietMs),

    outcomesOf: (intentId) => outcomesOf(store.db, engine, { intent_id: intentId }),

    record: (intentId, outcome) =>
      store.transaction((tx) => recording.record(tx, intentId, outcome), { mayWait }),

    noteFound: (intent, outcome) =>
      store.transaction(async (tx) => {
        const found = await log.takeUnnamed(tx, intent);
        if (!found) return recording.correct(tx, intent, outcome);
        await remember(tx, engine, { seen: intent, source: 'created', now: found.time });
        await log.insertOutcome(tx, found.id, outcome);
      }),

    note: (intent, outcome, source) =>
      store.transaction(async (tx) => {
        await startGeneration(tx, engine, intent);
        const unnamed = await log.takeUnnamed(tx, intent);
        const inserted = unnamed ? undefined : await log.insertIntent(tx, intent);
        const { id, time } = (unnamed ?? inserted) as { id: number; time: number };
        if (source !== undefined) await rememberSeen(tx, engine, { seen: intent, source, now: time });
        await log.insertOutcome(tx, id, outcome, inserted);
      }),

    remember: (payments) =>
      store.transaction(async (tx) => {
        const now = await clocks.wall(tx);
        for (const seen of payments) await remember(tx, engine, { seen, source: 'read', now });
      }),
  };
}
