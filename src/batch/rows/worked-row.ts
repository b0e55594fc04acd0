import { firstLine, type PaydeskError } from '../../errors.js';
import type { BatchRow } from '../../ledger/schema.js';
import type { MoveResult } from '../../payments/move/result.js';

export type RowOutcome = NonNullable<BatchRow['outcome']>;

/** What the work on a row can end as. That a row was throttled is written down once it is left for later. */
export type WorkedOutcome = Exclude<RowOutcome, 'throttled'>;

export interface RowResult<Ended extends RowOutcome = RowOutcome> {
  outcome: Ended;
  after?: string | undefined;
  why?: string | undefined;
  /** Of a charge: the payment that it made, and its currency, which only the payment shows. */
  payment?: string | undefined;
  currency?: string | undefined;
}

/** What became of a row, with the error behind it and how long the service took. */
export interface WorkedRow extends RowResult<WorkedOutcome> {
  error?: PaydeskError | undefined;
  tookMs?: number | undefined;
  /** An instruction was sent, and no read went through since. */
  isUnread?: boolean;
  /** Milliseconds until an unsent row may be sent again, because its instruction may have left. */
  heldMs?: number | undefined;
  /** Nothing was sent, because this process was too slow: the row is tried again. */
  isLate?: boolean | undefined;
}

export function rowResult({ outcome, after, error, tookMs, heldMs, isLate }: MoveResult): WorkedRow {
  return {
    outcome,
    after: after ?? undefined,
    why: error && firstLine(error.message),
    error,
    tookMs,
    isUnread: outcome === 'unknown' && after === null,
    heldMs: outcome === 'unsent' ? heldMs : undefined,
    isLate,
  };
}
