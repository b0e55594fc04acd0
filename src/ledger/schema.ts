import type { Generated, Selectable } from 'kysely';
import type { Operation } from '../contract/states.js';
import type { InboxTables } from './inbox-schema.js';
import type { KnownTables } from './known/schema.js';
import type { IntentOperation, Outcome } from './moves/operations.js';
import type { PlaceTables } from './place/schema.js';
import type { ResolveTables } from './resolve-schema.js';

/** What was about to be sent. Rows are only ever added. */
interface IntentTable {
  id: Generated<number>;
  app_id: string;
  payment_id: string;
  reference_id: string | null;
  customer_id: string | null;
  operation: IntentOperation;
  amount: string | null;
  currency: string | null;
  /** The payment as it was read before: its state, and a fingerprint of the rest. */
  before_state: string | null;
  before_fingerprint: string | null;
  base_url: string;
  profile: string | null;
  kind: string;
  operator: string;
  reason: string | null;
  ticket: string | null;
  description: string | null;
  /** On the wall clock, for people. */
  time: number;
  /** On the steady clock, for the quiet period. */
  boot: string;
  steady_ms: number;
  /** The quiet period of the desk that wrote it. */
  quiet_ms: number;
  /** The intent whose instruction was sent again after the quiet period. */
  resend_of: number | null;
  batch_id: string | null;
  /** 1 once the sandbox was reset: the payment's id belongs to another payment now. */
  retired: Generated<number>;
}

/** Outcomes of intents. Rows are only ever added; the last one counts. */
interface OutcomeTable {
  id: Generated<number>;
  intent_id: number;
  outcome: Outcome;
  after_state: string | null;
  why: string | null;
  http_status: number | null;
  /** 0 where the request provably never left. */
  may_have_left: number;
  operator: string;
  time: number;
  boot: string;
  steady_ms: number;
}

/** The intent that is open for a payment: there is at most one per payment. */
interface HoldTable {
  app_id: string;
  payment_id: string;
  intent_id: number;
  /** When its process last made sure that it still holds it, on the steady clock. */
  boot: string;
  steady_ms: number;
}

/** Which life of a sandbox the records of an app speak of. */
interface GenerationTable {
  app_id: string;
  generation: string;
}

/** Many money moves from one plan. */
interface BatchTable {
  id: string;
  action: Operation | 'charge';
  base_url: string;
  app_id: string;
  kind: string;
  profile: string | null;
  /** Of the plan file; a plan is applied once. */
  digest: string;
  rows: number;
  operator: string;
  time: number;
  /** Who puts the rows in; null once all of them are there, and nothing is sent before that. */
  loader: string | null;
  loading_time: number | null;
}

/** What the plan of a batch does with a row: `batch_rows.planned`. */
export const LEFT_OUT = 0;
export const PLANNED = 1;
/** It was sent before and failed, and the person who applied the plan wants it sent again. */
export const PLANNED_AGAIN = 2;
/** It was sent before the plan and its outcome is open: that is checked, and nothing is sent. */
export const PLANNED_CHECK = 3;

/** A row of a batch; the process that works on it holds its lease. */
interface BatchRowTable {
  id: Generated<number>;
  batch_id: string;
  line: number;
  /** As the file names the payment, and what it says of it. */
  typed: string;
  file_amount: string | null;
  file_currency: string | null;
  /** 0 where the plan left it out, so that it is finished from the start; 2 where it is sent again after a failure, 3 where it is only checked. */
  planned: number;
  /** What the service showed when the plan was made; empty where it showed nothing. */
  payment_id: string;
  reference_id: string | null;
  amount: string;
  currency: string;
  before_state: string;
  /** Of a charge: who is charged, and which stored method where the file names one. */
  customer_id: string | null;
  method_id: string | null;
  description: string | null;
  reason: string | null;
  ticket: string | null;
  /** `skipped`: nothing was sent for it. `throttled`: the service asked to send it later, so it is tried again. */
  outcome: Outcome | 'skipped' | 'throttled' | null;
  after_state: string | null;
  why: string | null;
  due_time: number;
  /** How often the service asked to send it later. */
  tries: number;
  lease_until: number | null;
  lease_owner: string | null;
  finished: number;
}

/** What tells this database from every other, and the key that its plans are sealed with: one row. */
interface IdentityTable {
  id: string;
  plan_key: string;
  /** When a person last adopted it, on the steady clock: what was sent before that may be missing in it. */
  adopted_boot: string | null;
  adopted_ms: number | null;
}

/** The desk's own database: one format for everything that lives in it. */
export interface DeskTables extends InboxTables, KnownTables, PlaceTables, ResolveTables {
  intents: IntentTable;
  outcomes: OutcomeTable;
  holds: HoldTable;
  generations: GenerationTable;
  batches: BatchTable;
  batch_rows: BatchRowTable;
  identity: IdentityTable;
}

export type { KnownPaymentRow } from './known/schema.js';

export type IntentRow = Selectable<IntentTable>;
export type HoldRow = Selectable<HoldTable>;
export type OutcomeRow = Selectable<OutcomeTable>;
export type BatchRecord = Selectable<BatchTable>;
export type BatchRow = Selectable<BatchRowTable>;
