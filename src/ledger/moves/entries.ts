// The words of the ledger: intents, their outcomes, and what keeps an instruction from being sent.

import type { SeenPayment } from '../known/seen-payment.js';
import { isSettleOperation, type SettleOperation } from '../../contract/states.js';
import type { IntentOperation, Outcome } from './operations.js';
import type { IntentRow, OutcomeRow } from '../schema.js';
import type { SteadyTime } from '../steady-clock.js';

/** The end state is still to come, or nobody knows whether it was carried out. */
export function isOpen(outcome: Outcome | undefined): boolean {
  return outcome === undefined || outcome === 'accepted' || outcome === 'unknown';
}

/** What is about to be done, and the payment as it was read before. */
export interface NewIntent extends SeenPayment {
  operation: IntentOperation;
  before?: string | undefined;
  /** Tells whether the payment is still exactly as it was. */
  beforeFingerprint?: string | undefined;
  baseUrl: string;
  profile?: string | undefined;
  kind: 'sandbox' | 'live';
  quietMs?: number | undefined;
  notShown?: NotShown | undefined;
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
  /** A batch found it out, and writes its row itself. */
  inBatch?: boolean | undefined;
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
  return entry.last?.outcome ?? 'unknown';
}

/** Whether an intent moves money. */
export const isMove = <Intent extends Pick<Entry, 'operation'>>(
  intent: Intent,
): intent is Intent & { operation: SettleOperation } => isSettleOperation(intent.operation);

/** What keeps an instruction from being sent: an earlier one, or that the ledger may not know the earlier ones. */
export type Blocked = BlockedByEarlier | { kind: 'adopted'; leftMs: number };

export type BlockedByEarlier =
  /** An intent is open for this payment, of this operation or another. */
  | { kind: 'held'; intent: Entry }
  /** This ledger has the same operation as done, or as failed and not asked for again. */
  | { kind: 'ended'; intent: Entry }
  /** The same operation may have left and was refused, not taken or failed: it may still show an effect. */
  | { kind: 'quiet'; intent: Entry }
  /** This ledger has another operation as done, and the payment does not show it: what was read may be old. */
  | { kind: 'contradicted'; intent: Entry };

/** The intent is on the disk and may be sent, or something blocks it. */
export type Opening =
  | { kind: 'opened'; intent: Entry }
  | Blocked
  /** The payment showed the same operation of somebody else, and no longer does: one of the two reads may be behind. */
  | SeenElsewhere;

export interface SeenElsewhere {
  kind: 'seen';
  /** Of its quiet period. */
  leftMs: number;
  /** When it was first seen without that operation. */
  time: number;
}

export interface SendAgain {
  /** Sends again what this ledger has as failed. */
  again?: boolean | undefined;
  /**
   * The earlier intent whose quiet period had passed when the payment was found exactly as it was before. Whatever
   * became known of it since, or a renewed hold, makes that worthless.
   */
  cleared?: Entry | undefined;
  /** The `time` of a `seen` whose quiet period had passed when a recheck found the payment as it was. */
  clearedSeen?: number | undefined;
}

export interface AskedToSend extends SendAgain {
  /** How long the service may take to show what it did. */
  quietMs?: number | undefined;
  notShown?: NotShown | undefined;
}

/** Other operations that cannot have been done to the payment as it was just read. */
type NotShown = readonly SettleOperation[];

/** The payment id of an intent whose payment nobody has seen so far, or that concerns no payment. */
export const UNNAMED = '';

/** Why the outcome of a charge is unknown that is on record before it leaves. */
export const NO_ANSWER_YET = 'No answer so far.';

/** Refused, not taken and failed are told from what was shown then; what may have left may still turn out done. */
export function isUnsettled(entry: Entry): boolean {
  if (isOpen(outcomeOf(entry))) return true;
  return outcomeOf(entry) !== 'done' && entry.last?.may_have_left !== 0;
}

/** Whether nothing has become known of an intent, and nobody has renewed it, since it was looked at. */
export function isSame(seen: Entry | undefined, now: Entry): boolean {
  return (
    seen?.id === now.id &&
    seen.last?.id === now.last?.id &&
    seen.renewed?.boot === now.renewed?.boot &&
    seen.renewed?.ms === now.renewed?.ms
  );
}
