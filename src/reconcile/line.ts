// One line of a provider's file, whatever its format. Readers of CSV and camt.053 yield the same.

import type { FileProblems } from '../spreadsheet/problems.js';

export interface SettlementLine {
  /** The line of a CSV on which the row begins, or the number of the entry in an XML file; both from 1. */
  line: number;
  /** `capture`, `refund` and `chargeback` are compared with the payment; any other kind is listed by its name. */
  kind: string;
  /**
   * An exact decimal with a point, as the merchant sees it: money that comes in is positive, money that goes out is
   * negative. So a refund is `-49.90`.
   */
  amount: string;
  /** Three capital letters. */
  currency: string;
  /** What the provider keeps for itself, positive, in the same currency; undefined where the file does not say. */
  fee?: string | undefined;
  /** When the provider booked it: `2026-11-14`, or an ISO instant with its offset. */
  at?: string | undefined;
  /** The provider's own reference for the payment. */
  providerReference?: string | undefined;
  /** The provider's ID of the capture or of the authorisation. */
  operationId?: string | undefined;
  /** The merchant's reference. */
  reference?: string | undefined;
  /** What was booked, where the customer paid in another currency. */
  booked?: { amount: string; currency: string } | undefined;
  /** Names of payments in its other texts, where it was read to find them. */
  mentions?: readonly Mention[];
  /** It is pending or announced, or failed: evidence about its payment, and no money yet. */
  isNotBooked?: true;
}

/** A text that may be a name of a payment. */
export interface Mention {
  name: string;
  /** It is all of the text that it was found in. */
  isWhole: boolean;
}

export interface MentionSearch {
  /** Tells quickly that a text has none. */
  mayMention(text: string): boolean;
  /** `own`: what the line itself is called. */
  mentions(texts: readonly string[], own: readonly string[]): Mention[];
}

/**
 * Why money of the file does not count: an entry is pending or announced, a line has another status than those that do, or
 * it adds up the others.
 */
export type LeftOut = 'not-booked' | 'status' | 'total';

export interface FileReading {
  onLeftOut?: (why: LeftOut) => void;
  /** The mapping ignores a column that says which lines succeeded. */
  onIgnoredStatus?: (column: string) => void;
  /** Looks through all texts of the lines. */
  search?: MentionSearch;
}

/** Every ID and reference of a line. */
export const idsOf = ({ providerReference, operationId, reference }: SettlementLine): string[] =>
  [providerReference, operationId, reference].filter((id) => id !== undefined);

/** The day of a line, in UTC: its first ten characters, unless it has an offset. */
export const dayOf = (at: string): string =>
  at.length === 10 || at.endsWith('Z') ? at.slice(0, 10) : new Date(at).toISOString().slice(0, 10);

/**
 * Reads a file in chunks of lines, in order. What is wrong with a line goes to `problems`, and the line is left out: the
 * caller refuses the file at the end with `problems.throwIfAny()`, so that every bad line is named at once.
 */
export type SettlementReader = (
  source: AsyncIterable<Uint8Array>,
  problems: FileProblems,
  options?: FileReading,
) => AsyncIterable<readonly SettlementLine[]>;
