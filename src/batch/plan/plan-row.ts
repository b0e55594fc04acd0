import type { NextStep } from '../../next-command.js';
import type { SourceRow } from './csv-rows.js';

export const batchActions = ['refund', 'capture', 'cancel', 'unhold', 'recheck', 'charge'] as const;
export type BatchAction = (typeof batchActions)[number];
/** What is done to payments that exist; a charge makes its own. */
export type PaymentAction = Exclude<BatchAction, 'charge'>;

export const verdicts = [
  'act',
  'check',
  'failed-before',
  'done',
  'changed',
  'conflict',
  'not-possible',
  'not-found',
  'unreadable',
] as const;
/**
 * What is to become of a row: it is acted on, also after a failure when that is asked for, its earlier instruction is only
 * checked, it is done already, or it is left out.
 */
export type RowVerdict = (typeof verdicts)[number];

/** What a look at the payment gave. */
export interface Assessment {
  line: number;
  verdict: RowVerdict;
  /** Why it is not acted on, or what to know although it is. */
  why?: string | undefined;
  /** A command that would be right instead. */
  next?: NextStep | undefined;
  payment?: string | undefined;
  reference?: string | undefined;
  state?: string | undefined;
  amount?: string | undefined;
  currency?: string | undefined;
  /** What counts instead where this ledger has the charge that made the payment. */
  ifSent?: Assessment | undefined;
}

/** One row of a plan: what the file says, and what the service showed when the plan was made. */
export interface PlanRow
  extends Assessment, Pick<SourceRow, 'typed' | 'customer' | 'method' | 'description' | 'reason' | 'ticket'> {
  file?: { amount?: string; currency?: string };
}

type VerdictCounts = Record<RowVerdict, number>;

/** What a plan comes to. */
export interface PlanSummary {
  rows: number;
  counts: VerdictCounts;
  /** Of the rows that are acted on, by currency, as exact decimals. */
  totals: Record<string, string>;
  /** Of the rows that were sent before and failed. */
  failedTotals: Record<string, string>;
}

/** What is about to be sent. */
export interface ToSend {
  rows: number;
  /** By currency, as exact decimals; empty for a recheck, which moves no money. */
  totals: Record<string, string>;
  /** How many of the rows have no amount that can be added, so that the totals do not include them. */
  withoutAmount: number;
}

/** Whether a plan sends a row: one that failed before only where that is asked for. */
export const isSent = ({ verdict }: Pick<Assessment, 'verdict'>, again: boolean): boolean =>
  verdict === 'act' || (again && verdict === 'failed-before');
