import {
  firstLine,
  exitCodeOf,
  GuardError,
  ServiceError,
  TemporaryError,
  UnknownOutcomeError,
} from '../../errors.js';
import type { BatchRow } from '../../ledger/schema.js';
import type { WorkedRow } from '../rows/worked-row.js';

/**
 * What became of a row that ended with an error: nothing was sent, but for what may be sent any number of times (a
 * recheck, a charge by its reference). Throws again what concerns more than this row.
 */
export function notDone(error: unknown, row: BatchRow): WorkedRow {
  const state = row.before_state || undefined;
  if (error instanceof GuardError) {
    const outcome = hasMoved.includes(error.code) ? 'skipped' : 'refused';
    return { outcome, after: state, why: firstLine(error.message), error };
  }
  if (error instanceof ServiceError) {
    return { outcome: 'refused', after: state, why: firstLine(error.message), error };
  }
  if (error instanceof UnknownOutcomeError) {
    return { outcome: 'unknown', why: firstLine(error.message), error };
  }
  if (error instanceof TemporaryError && error.code !== LEDGER_LOST) {
    return { outcome: 'unsent', after: state, why: firstLine(error.message), error };
  }
  throw error;
}

/** Somebody else has acted on the payment. */
const hasMoved: readonly string[] = ['changed-meanwhile', 'seen-elsewhere'];

/** Whether the database of the ledger is away, which concerns every row. */
export const isLedgerLost = (error: unknown): error is TemporaryError =>
  error instanceof TemporaryError && error.code === LEDGER_LOST;
const LEDGER_LOST = 'ledger-unavailable';

/** Whether the error is not about this row alone: the service does not accept the key, or the app is another one. */
export const concernsEveryRow = ({ error }: WorkedRow): boolean =>
  error !== undefined && (exitCodeOf(error) === 4 || error.code === 'wrong-app');
