import type { PaymentRead } from '../../client/payment-calls.js';
import type { ServiceProblem } from '../../client/problems.js';
import type { JsonObject } from '../../contract/json.js';
import type { SettleOperation } from '../../contract/states.js';
import type { PaydeskError } from '../../errors.js';
import { isOpen, outcomeOf, type Entry } from '../../ledger/moves/entries.js';
import type { Outcome } from '../../ledger/moves/operations.js';
import { stateOf } from '../named-payments.js';
import type { PlannedRequest } from '../planned-request.js';
import type { Before, Since, Standing } from './proof.js';

/** A payment as the ledger has it beside an instruction. */
export interface PaymentOnRecord {
  paymentId: string;
  referenceId: string | null;
  amount: string | null;
  currency: string | null;
}

/** The result for one payment. States are named as the service names them. */
export interface MoveResult {
  typed: string;
  operation: SettleOperation;
  /** As last read. */
  payment: JsonObject | null;
  /** Where it was not read: for people, who are told what is open. */
  recorded?: PaymentOnRecord;
  before: string | null;
  after: string | null;
  outcome: Outcome;
  error?: PaydeskError;
  /** What the service said, or why it said nothing; the error makes a sentence of it. */
  why?: string;
  /** From sending to the answer, or to the end where a person waited for that. */
  tookMs?: number;
  /** Milliseconds until the same instruction may be sent again, where it may have left and is not done. */
  heldMs?: number;
  /** Left out before anything was sent: not found, or not allowed. The service was not asked, so it refused nothing. */
  neverSent?: boolean;
  /** Nothing was sent, because this process was too slow to send it while its intent was fresh. */
  isLate?: boolean;
  /** Accepted, and the payment shows the state before again: if that stays so, it has failed. */
  isBack?: boolean;
  /** What a 429 asked us to wait before anything else is sent. */
  retryAfterMs?: number;
  /** What a dry run would have sent. */
  request?: PlannedRequest;
}

/** A payment that was read, checked and confirmed. */
export interface Move {
  typed: string;
  operation: SettleOperation;
  read: PaymentRead;
  /** When it was read, by the desk's steady clock, where it was confirmed before that; a read of just now is the last one. */
  readTime?: number | undefined;
  description?: string | undefined;
  /** Leaves the check of the state to the service. */
  force: boolean;
  /** Follows to the end state. */
  wait: boolean;
  /** Not even a recheck is sent. */
  dryRun?: boolean | undefined;
  /** Sends again what this ledger has as failed. */
  again?: boolean | undefined;
  /** An earlier intent of the same operation that the rule for sending again has cleared. */
  cleared?: Entry | undefined;
  /** The same for an instruction of somebody else that was seen on the payment: when it was first seen without it. */
  clearedSeen?: number | undefined;
  /** Why, for the ledger alone. */
  reason?: string | undefined;
  ticket?: string | undefined;
  batchId?: string | undefined;
}

/** What the answer said, from memory or from the ledger. Only the payment proves anything. */
export type Evidence =
  | { kind: 'taken' }
  | { kind: 'not-taken'; why: string; problem?: ServiceProblem; retryAfterMs?: number }
  | { kind: 'refused'; problem: ServiceProblem }
  | { kind: 'unknown'; why: string };

/** An instruction that was carried out, as far as one read shows. */
export interface CarriedOut {
  result: MoveResult;
  /** Where that was asked for: on to its end. */
  follow(): Promise<MoveResult>;
}

/** There is nothing to follow. */
export const over = (result: MoveResult): CarriedOut => ({ result, follow: async () => result });

/** An instruction that may have left. */
export interface Sent {
  move: Move;
  before: Before;
  /** Grows as reads show more. */
  since: Since;
  beforeRead: PaymentRead;
  intent: Entry;
  tookMs?: number;
}

/** Whether it was sent in the place of one whose outcome is unknown, or whose end is still to come. */
export function isResendOfOpen({ move: { cleared }, intent }: Sent): boolean {
  return cleared !== undefined && intent.resend_of === cleared.id && isOpen(outcomeOf(cleared));
}

/** What reading since then has shown. */
export interface PaymentLook {
  standing: Standing;
  last: PaymentRead | undefined;
  /** The states seen, as the service names them. */
  states: string[];
  /** A recheck went through before the last read. */
  rechecked: boolean;
}

/** How a payment stood when a wait ended. */
export interface LastSeen {
  last: PaymentRead | undefined;
  standing: Standing;
  /** Why it could not be read any more after that. */
  failure: PaydeskError | undefined;
}

export function resultOf(
  sent: Sent,
  read: PaymentRead | undefined,
  outcome: Outcome,
  error?: PaydeskError,
): MoveResult {
  const { typed, operation } = sent.move;
  return {
    typed,
    operation,
    payment: (read ?? sent.beforeRead).object,
    before: sent.before.stateName,
    after: read === undefined ? null : stateOf(read),
    outcome,
    ...(sent.tookMs === undefined ? {} : { tookMs: sent.tookMs }),
    ...(error === undefined ? {} : { error }),
  };
}
