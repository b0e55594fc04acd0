// A line that needs attention, or a payment that the file lacks, with what to do about it.

import type { Command } from '../next-command.js';
import type { ActionOperation } from '../support/action.js';
import type { Severity } from '../support/verdict.js';
import type { MatchedBy } from './match.js';
import type { ExceptionName } from './verdict.js';

/** The command that is best run next. */
interface NextStep {
  operation: ActionOperation;
  command: Command;
  movesMoney: boolean;
}

/** A payment of the same amount around the same time. */
interface Suggestion {
  payment: string;
  reference: string | null;
  state: string;
}

export interface Exception {
  /** Null for a payment that the file lacks. */
  line: number | null;
  exception: ExceptionName;
  /** What is wrong, in a sentence. */
  text: string;
  kind: string;
  amount: string;
  currency: string;
  fee: string | null;
  at: string | null;
  providerReference: string | null;
  operationId: string | null;
  reference: string | null;
  /** As the service shows the payment, where it does; of a payment that the file lacks, always. */
  payment: string | null;
  matchedBy: MatchedBy | null;
  state: string | null;
  serviceAmount: string | null;
  serviceCurrency: string | null;
  serviceFee: string | null;
  /** An earlier line of the same kind and payment. */
  firstLine: number | null;
  /** Where the payment stands, as `payments explain` says it. */
  verdict: string | null;
  severity: Severity | null;
  next: NextStep | null;
  suggestion: Suggestion | null;
}
