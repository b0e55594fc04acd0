import type { SettleBefore, SettleOperation } from '../../client/outcome.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import type { JsonObject } from '../../contract/json.js';
import type { PaydeskError } from '../../errors.js';
import type { Entry, Outcome } from '../../ledger/ledger.js';
import { stateOf } from '../named-payments.js';

export type { Outcome };

/** What became of one payment. States are named as the service names them. */
export interface MoveResult {
  typed: string;
  operation: SettleOperation;
  /** As last read. */
  payment: JsonObject | null;
  before: string | null;
  after: string | null;
  outcome: Outcome;
  error?: PaydeskError;
  /** From sending to the answer. */
  tookMs?: number;
}

/** A payment that was read, checked and confirmed. */
export interface Move {
  typed: string;
  operation: SettleOperation;
  read: PaymentRead;
  /** When it was read, where it was confirmed before that; a read of just now is the last one. */
  readTime?: number | undefined;
  description?: string | undefined;
  /** Leaves the check of the state to the service. */
  force: boolean;
  /** Follows to the end state. */
  wait: boolean;
  /** Sends anew what this ledger has as failed. */
  again?: boolean | undefined;
  /** An intent that may have left long ago, which a person decided to send anew. */
  resend?: Entry | undefined;
  /** Why, for the ledger alone. */
  reason?: string | undefined;
  ticket?: string | undefined;
  batchId?: string | undefined;
}

/** What is known of a move that was sent. */
export interface Sent {
  move: Move;
  before: PaymentRead;
  /** Grows as reads show more. */
  proof: SettleBefore;
  tookMs: number;
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
    payment: (read ?? sent.before).object,
    before: stateOf(sent.before),
    after: read === undefined ? null : stateOf(read),
    outcome,
    tookMs: sent.tookMs,
    ...(error === undefined ? {} : { error }),
  };
}

/** What to say of a state that is not ours: it is shown and never guessed at. */
export function unknownState(read: PaymentRead): string {
  return `paydesk does not know the state ${stateOf(read) ?? '(none)'}. If it means one of ours: paydesk profiles alias`;
}
