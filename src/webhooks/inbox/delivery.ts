// A delivery as the rest of the desk sees it.

import type { DeliveryRow, DeliveryVerdict, ForwardRow } from '../../ledger/inbox-schema.js';
import { targetPlace } from './target-place.js';

export interface ForwardRecord {
  id: number;
  to: string;
  /** The address, after the machine where it is a loopback address. */
  place: string;
  /** Of the last attempt; null where no answer came, or nothing was sent yet. */
  status: number | null;
  ms: number | null;
  error: string | null;
  attempts: number;
  outcome: NonNullable<ForwardRow['outcome']> | 'waiting';
  replay: boolean;
  /** What `--chaos` did to it. */
  chaos: string | null;
}

/** Whether a target has not accepted it: no forward to that place was delivered, and one of them failed. */
export function hasFailed(forwards: readonly Pick<ForwardRecord, 'place' | 'outcome'>[]): boolean {
  const accepted = forwards.filter(({ outcome }) => outcome === 'delivered').map(({ place }) => place);
  return forwards.some(({ place, outcome }) => outcome === 'failed' && !accepted.includes(place));
}

export interface Delivery {
  id: number;
  /** When it arrived, in milliseconds. */
  time: number;
  kind: DeliveryRow['kind'];
  paymentId: string | null;
  referenceId: string | null;
  /** Where the payment was named: `path`, `query`, `json`, `form`. */
  namedBy: string | null;
  /** What the webhook itself claims, in its own words. */
  saidState: string | null;
  /** What the service showed; null before the read, or without one. */
  state: string | null;
  previousState: string | null;
  verdict: DeliveryVerdict | null;
  /** Why there is no state. */
  why: string | null;
  readTime: number | null;
  forwards: ForwardRecord[];
}

/** The columns of a delivery without its request, which may be large. */
export const summaryColumns = [
  'id',
  'time',
  'kind',
  'payment_id',
  'reference_id',
  'named_by',
  'said_state',
  'read_state',
  'previous_state',
  'verdict',
  'why',
  'read_time',
] as const satisfies ReadonlyArray<keyof DeliveryRow>;

export type SummaryRow = Pick<DeliveryRow, (typeof summaryColumns)[number]>;

export function deliveryOf(row: SummaryRow, forwards: readonly ForwardRow[]): Delivery {
  return {
    id: row.id,
    time: row.time,
    kind: row.kind,
    paymentId: row.payment_id,
    referenceId: row.reference_id,
    namedBy: row.named_by,
    saidState: row.said_state,
    state: row.read_state,
    previousState: row.previous_state,
    verdict: row.verdict,
    why: row.why,
    readTime: row.read_time,
    forwards: forwards.filter(({ delivery_id }) => delivery_id === row.id).map(forwardOf),
  };
}

export function forwardOf(row: ForwardRow): ForwardRecord {
  return {
    id: row.id,
    to: row.target,
    place: targetPlace(row),
    status: row.status,
    ms: row.ms,
    error: row.error,
    attempts: row.attempts,
    outcome: row.outcome ?? 'waiting',
    replay: row.replay === 1,
    chaos: row.chaos,
  };
}
