// What `import { startSandbox } from 'paydesk/sandbox'` offers. Nothing is imported here, so that the declaration file
// of the package is this file alone; `test/library/types.test.ts` compares it with the control API.

/** `500ms`, `30s`, `5m`, `24h`, `7d`, or a number of milliseconds. */
export type Duration = string | number;
/** An ISO time such as `2026-01-01T00:00:00Z`, or a Date. */
export type Instant = string | Date;
/** A payment by its ID or by its reference; `id:` or `ref:` in front decides where both could be meant. */
export type PaymentKey = string | number;

export interface StartOptions {
  /** Makes IDs, keys and outcomes repeatable. */
  seed?: number;
  /** Starts with the clock stopped at this time. */
  clock?: Instant;
  /** An export of a sandbox to start with, as `sandbox.export()` returns it. */
  contents?: string;
  /** Other answers where the API specification is unclear: `{ errors: 'html' }`. */
  answers?: Readonly<Record<string, string>>;
  /** A file or `postgres://…`; everything is kept in memory without it. */
  database?: string;
  /** A free one without it. */
  port?: number;
  /** Where it listens: `127.0.0.1` without it, which only this machine can reach. */
  host?: string;
  /** Needed for `host: '0.0.0.0'`: other machines can then use the sandbox, without encryption. Not with a seed. */
  allowRemote?: boolean;
  /** Answers faster requests with 429: requests per second. */
  rateLimit?: number;
  /** Other hosts than this machine that webhooks may be sent to. */
  webhookHosts?: readonly string[];
}

/** A payment as the service answers with it. */
export interface Payment {
  paymentId: number;
  referenceId: string;
  paymentState: string;
  amount: number;
  currency: string;
  [field: string]: unknown;
}

/** A test card, by what happens to a payment with it. */
export type CardName =
  | 'approved'
  | 'declined'
  | 'insufficient-funds'
  | 'expired'
  | 'three-d-secure'
  | 'held'
  | 'blocked'
  | 'slow-approved'
  | 'slow-declined'
  | 'unknown-charged'
  | 'unknown-not-charged'
  | 'capture-fails'
  | 'refund-fails'
  | 'expires-later';

export interface PayOptions {
  /** `approved` without one. */
  card?: CardName;
  /** A kind of method other than a card. */
  method?: string;
  paymentProfileId?: number;
  saveMethod?: boolean;
  /** How the customer's confirmation ends. */
  challenge?: 'passed' | 'failed';
}

/** How many times the provider was told an instruction, and how many times it did it. */
export interface Told {
  told: number;
  done: number;
}

/** The provider's record of a payment. */
export interface Books {
  paymentId: number;
  authorize: Told;
  capture: Told;
  refund: Told;
  void: Told;
}

export interface ClockTime {
  now: string;
  stopped: boolean;
}

export interface Clock {
  read(): Promise<ClockTime>;
  stop(): Promise<ClockTime>;
  resume(): Promise<ClockTime>;
  set(instant: Instant): Promise<ClockTime>;
  /** Everything that becomes due has happened when it resolves, webhooks included. */
  advance(duration: Duration): Promise<ClockTime>;
}

export interface NewFault {
  /** For example `drop-after-commit`. */
  kind: string;
  /** For example `refund`; every route without one. */
  route?: string;
  /** Only for this many calls. */
  next?: number;
  /** The share of the calls that it meets: 0.2. */
  probability?: number;
  status?: number;
  delayMs?: number;
  retryAfterS?: number;
  afterCommit?: boolean;
}

export interface Fault {
  id: number;
  kind: string;
  route: string;
  /** How many calls it will still hit; null for all of them. */
  remaining: number | null;
  probability: number | null;
  /** How many calls it has met, hit or not. */
  seen: number;
  status?: number | undefined;
  delayMs?: number | undefined;
  retryAfterS?: number | undefined;
  afterCommit?: boolean | undefined;
}

export interface Faults {
  list(): Promise<Fault[]>;
  add(fault: NewFault): Promise<Fault>;
  /** One, or all of them. Resolves with how many there were. */
  clear(id?: number): Promise<number>;
}

/** A change of state, and how its webhook fared. */
export interface Webhook {
  id: number;
  paymentId: number;
  /** Null for the first. */
  from: string | null;
  state: string;
  time: string;
  /** Null when nobody wants to be told. */
  url: string | null;
  /** Whether nothing more will be sent for it: delivered, given up, or nobody to tell. */
  finished: boolean;
  deliveries: Array<{ url: string; status: number | null; error: string | null; answer: string | null }>;
}

export interface Webhooks {
  /** In the order in which they are sent. */
  list(payment: PaymentKey): Promise<Webhook[]>;
  /** Waits for the webhook that a payment has reached a state, until it has been delivered. Ten seconds at most, unless told. */
  waitFor(payment: PaymentKey, state: string, options?: { timeout?: Duration }): Promise<Webhook>;
  /** Sends it again, delivered or not. */
  resend(
    id: number,
  ): Promise<{ url: string; status: number | null; error: string | null; answer: string | null }>;
}

export interface App {
  appId: string;
  apiKey: string;
  friendlyName: string;
  isSandbox: boolean;
  isBlocked: boolean;
  webhookUrl: string | null;
}

/** What is absent stays as it is; null takes it away. */
export interface AppChange {
  webhookUrl?: string | null;
  isBlocked?: boolean;
  fraudPolicyId?: number | null;
}

export interface Apps {
  list(): Promise<App[]>;
  create(app: { friendlyName: string; isSandbox?: boolean }): Promise<App>;
  change(appId: string, change: AppChange): Promise<App>;
}

export interface SettlementOptions {
  /** The name of a provider; all of them without it. */
  provider?: string;
  /** What is to be wrong with the file, for example `['missing', 'amount']`; `all` for one of each kind. */
  defects?: 'all' | readonly string[];
  /** Decides which payments have the defects; 1 unless it is given. */
  seed?: number;
  /** Only what was booked since this time. */
  since?: Instant;
  /** Only what was booked until this time. */
  until?: Instant;
  /** CSV unless it is given; `camt` is camt.053 XML. */
  format?: 'csv' | 'camt';
}

export interface PlantedDefect {
  kind: string;
  /** The line of the CSV or the number of the entry in XML; null for a line that is left out. */
  line: number | null;
  /** Null when the service has no such payment. */
  paymentId: number | null;
  referenceId: string;
  detail: string;
}

/** A provider's settlement file, and what is wrong with it. */
export interface Settlement {
  text: string;
  /** Without the header. */
  lines: number;
  planted: PlantedDefect[];
}

/** A sample payment. */
export interface SeededPayment {
  appId: string;
  paymentId: number;
  referenceId: string;
  state: string;
  amount: number;
  currency: string;
  /** What is interesting about it. */
  about: string;
}

/** A running sandbox. What it refuses is thrown as an `Error` whose message says why. */
export interface Sandbox {
  readonly url: string;
  /** The console, for a look at what a test did. */
  readonly consoleUrl: string;
  readonly controlToken: string;
  /** The app that payments are created with. */
  readonly appId: string;
  readonly apiKey: string;
  /** Environment for a process that is to use this sandbox: the `paydesk` command, or the program that is tested. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly webhooks: Webhooks;
  readonly apps: Apps;
  payment(payment: PaymentKey): Promise<Payment>;
  /** Acts as the customer. */
  pay(payment: PaymentKey, options?: PayOptions): Promise<Payment>;
  /** Acts as the provider that has not answered yet. */
  provider(payment: PaymentKey, answer: 'confirm' | 'decline' | 'hold'): Promise<Payment>;
  books(payment: PaymentKey): Promise<Books>;
  /** Writes a provider's settlement file from its books, with defects to find. */
  settlement(options?: SettlementOptions): Promise<Settlement>;
  /** Adds sample payments in every state. */
  seed(): Promise<SeededPayment[]>;
  /** Deletes everything except the first two apps. The clock is as it was at the start. */
  reset(): Promise<void>;
  export(): Promise<string>;
  /** Replaces the contents. */
  import(contents: string): Promise<void>;
  stop(): Promise<void>;
}

export type StartSandbox = (options?: StartOptions) => Promise<Sandbox>;

/** Starts a payment service in this process. Several can run at once. */
export declare const startSandbox: StartSandbox;
