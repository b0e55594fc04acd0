// Times are milliseconds of the sandbox's clock, truth values 0 or 1, amounts their decimal text: the same on
// both engines, and nothing is rounded.

import type { Generated, Insertable, Selectable } from 'kysely';
import type { Operation, StateName } from '../contract/states.js';
import type { FaultKind } from './domain/fault-kinds.js';
import type { ProviderInstruction } from './domain/provider-instructions.js';

interface SettingTable {
  key: string;
  value: string;
}

/** One row: the clock showed `at` when the real time was `real`. */
interface ClockTable {
  id: number;
  stopped: number;
  at: number;
  real: number;
}

interface AppTable {
  app_id: string;
  api_key: string;
  friendly_name: string;
  is_sandbox: number;
  is_blocked: number;
  webhook_url: string | null;
  fraud_policy_id: number | null;
  created_time: number;
}

interface ProviderProfileTable {
  payment_profile_id: Generated<number>;
  app_id: string;
  name: string;
  method_type: string;
  is_active: number;
  /** How long an authorisation holds. */
  window_ms: number;
  /** How long the provider takes to answer; 0 is at once. */
  delay_ms: number;
}

interface FraudPolicyTable {
  fraud_policy_id: Generated<number>;
  app_id: string;
  name: string;
  rule: string;
  threshold: string | null;
}

interface CustomerTable {
  id: Generated<number>;
  app_id: string;
  customer_id: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  mobile_number: string | null;
  fraud_policy_id: number | null;
  created_time: number;
}

/** A stored method and its auto-payment registration, which come and go together. */
interface MethodTable {
  payment_method_id: Generated<number>;
  app_id: string;
  customer_id: string;
  method_type: string;
  card: string;
  brand: string | null;
  card_type: string | null;
  expiry_month: number | null;
  expiry_year: number | null;
  payment_profile_id: number;
  currency: string;
  registered_by: number;
  is_stopped: number;
  is_removed: number;
  created_time: number;
  last_payment_id: number | null;
}

interface PaymentTable {
  payment_id: Generated<number>;
  app_id: string;
  reference_id: string;
  state: StateName;
  amount: string;
  captured_amount: string;
  currency: string;
  auto_capture: number;
  flow: string;
  auto_payment: string;
  fraud_status: string;
  customer_id: string;
  return_url: string | null;
  webhook_url: string | null;
  payer_ip: string | null;
  /** What the customer typed of themselves, as JSON of a `Payer`. */
  payer: string | null;
  created_time: number;
  changed_time: number;
  expiration_time: number | null;
  authorised_until: number | null;
  /** The body of the request that created it, as it came. */
  request: string;
  /** How the customer pays: the test card's name, the provider profile and whether to store the method. */
  card: string | null;
  payment_profile_id: number | null;
  save_method: number;
  method_id: number | null;
  pay_info: string | null;
  failure: string | null;
  /** A result that the provider has and the service has not: `done` or `failed`. */
  provider_knows: string | null;
  /** Number of its state changes so far. */
  version: number;
  /** What a read showed before the last change: the changed columns, as JSON of a `ShownBefore`. */
  before_change: string | null;
}

/** A change of state, and the webhook that reports it: written together, so that neither is without the other. */
interface EventTable {
  id: Generated<number>;
  payment_id: number;
  version: number;
  from_state: StateName | null;
  to_state: StateName;
  time: number;
  cause: string;
  /** Where it came from: `api` with the caller's own name, `customer`, `console`, `control`, `clock`. */
  via: string | null;
  url: string | null;
  due_time: number;
  attempts: number;
  lease_until: number | null;
  lease_owner: string | null;
  finished: number;
  /** delivered, failed, dropped, or no-target. */
  outcome: string | null;
}

/** One delivery of a webhook: what was sent, and what came back. */
interface AttemptTable {
  id: Generated<number>;
  event_id: number;
  time: number;
  url: string;
  /** Null when nothing was sent. */
  content_type: string | null;
  body: string | null;
  status: number | null;
  error: string | null;
  ms: number;
  answer: string | null;
}

interface OperationTable {
  id: Generated<number>;
  payment_id: number;
  kind: Operation;
  time: number;
  from_state: StateName;
  /** The payment's own number of changes by then: where it stands among them, even when all have one time. */
  version: number;
  description: string | null;
  /** As for a change of state. */
  via: string | null;
  /** accepted, done or failed. */
  status: string;
  error: string | null;
  finished_time: number | null;
}

/** The provider's own books: one row for each instruction that it was given. */
interface ExchangeTable {
  id: Generated<number>;
  payment_id: number;
  kind: ProviderInstruction;
  time: number;
  /** As for an operation. */
  version: number;
  done: number;
  answer: string;
  /** When the provider decided; the service may not know it yet. */
  answered_time: number | null;
}

export const jobKinds = ['provider-answers', 'expire-authorisation', 'expire-link'] as const;
export type JobKind = (typeof jobKinds)[number];

/** Work that falls due by the clock. */
interface JobTable {
  id: Generated<number>;
  payment_id: number;
  kind: JobKind;
  due_time: number;
}

interface FaultTable {
  id: Generated<number>;
  kind: FaultKind;
  route: string;
  remaining: number | null;
  probability: number | null;
  seen: number;
  /** JSON, read by `readFaultOptions`. */
  options: string;
}

export interface SandboxTables {
  settings: SettingTable;
  clock: ClockTable;
  apps: AppTable;
  provider_profiles: ProviderProfileTable;
  fraud_policies: FraudPolicyTable;
  customers: CustomerTable;
  methods: MethodTable;
  payments: PaymentTable;
  events: EventTable;
  attempts: AttemptTable;
  operations: OperationTable;
  exchanges: ExchangeTable;
  jobs: JobTable;
  faults: FaultTable;
}

export type AppRow = Selectable<AppTable>;
export type ProviderProfileRow = Selectable<ProviderProfileTable>;
export type FraudPolicyRow = Selectable<FraudPolicyTable>;
export type CustomerRow = Selectable<CustomerTable>;
export type MethodRow = Selectable<MethodTable>;
export type PaymentColumn = Exclude<keyof PaymentTable, 'before_change'>;
export type PaymentRow = Pick<Selectable<PaymentTable>, PaymentColumn> & {
  /** What a read showed before this transaction changed details; they belong to the change of state that follows. */
  shownBefore?: ShownBefore;
};
export type ShownBefore = Partial<Pick<PaymentRow, (typeof changingColumns)[number]>>;
export type NewPayment = Insertable<PaymentTable>;
export type EventRow = Selectable<EventTable>;
export type AttemptRow = Selectable<AttemptTable>;
export type OperationRow = Selectable<OperationTable>;
export type ExchangeRow = Selectable<ExchangeTable>;
export type JobRow = Selectable<JobTable>;
export type FaultRow = Selectable<FaultTable>;

/** What a read shows of a payment and a change may alter. */
export const changingColumns = [
  'state',
  'captured_amount',
  'auto_payment',
  'fraud_status',
  'payer_ip',
  'pay_info',
  'failure',
] as const satisfies readonly PaymentColumn[];

/** Every table, parents before children: the order of an export. */
export const tableNames = [
  'settings',
  'clock',
  'apps',
  'provider_profiles',
  'fraud_policies',
  'customers',
  'methods',
  'payments',
  'events',
  'attempts',
  'operations',
  'exchanges',
  'jobs',
  'faults',
] as const satisfies ReadonlyArray<keyof SandboxTables>;
