// With --wait: the rows whose payments are read again and again, and until when.

import type { BatchRow } from '../../ledger/schema.js';
import type { Desk } from '../../payments/desk.js';

/** The row that is waited for longest. */
export interface RowWait {
  line: number;
  typed: string;
  /** `Waiting for the outcome of the refund.` */
  what: string;
  /** When its wait ends at the latest. */
  until: number;
  /** How many more rows are waited for. */
  others: number;
}

export interface RowWaits {
  /** A desk for the work on this row, which notes here what it waits for. */
  deskFor(row: BatchRow): Desk;
  /** The work on the row is over. */
  end(row: BatchRow): void;
  /** Undefined while no row is waited for, or only for a moment. */
  longest(): RowWait | undefined;
}

/** A shorter wait is not worth a word. */
const MIN_WAIT_MS = 5_000;
/** An end that is computed twice differs by a little. */
const JITTER_MS = 2_000;

export function createRowWaits(desk: Desk, onWait: () => void): RowWaits {
  const { clock } = desk;
  const waits = new Map<number, Omit<RowWait, 'others'> & { since: number }>();
  return {
    deskFor: (row) => ({
      ...desk,
      status(what, leftMs) {
        const now = clock.now();
        const { id, line, typed } = row;
        const { since = now, until = Infinity } = waits.get(id) ?? {};
        const isSame = Math.abs(now + leftMs - until) < JITTER_MS;
        waits.set(id, { line, typed, what, since, until: isSame ? until : now + leftMs });
        onWait();
      },
    }),
    end: ({ id }) => void waits.delete(id),
    longest() {
      const before = clock.now() - MIN_WAIT_MS;
      const [first, ...others] = [...waits.values()].filter(({ since }) => since <= before);
      return first && { ...first, others: others.length };
    },
  };
}
