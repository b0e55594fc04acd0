// What the steps of a scenario work on: a desk, and the sandbox behind it as far as it can be steered.

import type { JsonObject } from '../contract/json.js';
import type { DeskDatabase } from '../ledger/database.js';
import type { SteadyTime } from '../ledger/steady-clock.js';
import type { Desk } from '../payments/desk.js';
import type { Inputs } from './schema.js';

export interface World {
  readonly desk: Desk;
  readonly database: Pick<DeskDatabase, 'store'>;
  /** The steady clock of the desk, where it is not the machine's. */
  readonly steady?: () => SteadyTime;
  /** A reference that no payment has; `hint` is what the scenario calls it. */
  newReference(hint: string): string;
  /** Plays the customer and the provider; undefined on a service that is not a paydesk sandbox. */
  readonly actors: Actors | undefined;
  /** What only a sandbox that belongs to the scenario can do. */
  readonly own: OwnSandbox | undefined;
  /** The payment as it stands now, past all faults where the sandbox is our own. */
  look(payment: string): Promise<JsonObject>;
  /** Everything that is due has happened, and its webhooks have left. */
  settle(): Promise<void>;
  /** What happened since this was last asked. */
  changes(): Promise<SandboxChange[]>;
  close(): Promise<void>;
}

export interface Actors {
  pay(payment: string, input: Omit<Inputs['pay'], 'payment'>): Promise<void>;
  provider(payment: string, answer: Inputs['provider']['answer']): Promise<void>;
}

export type ProviderBooks = Record<string, { told: number; done: number }>;

/** A webhook that was sent, in the order of sending. */
interface SentWebhook {
  state: string;
  /** What the receiver answered; null when nobody did. */
  status: number | null;
}

export interface OwnSandbox {
  clock(input: Inputs['clock']): Promise<void>;
  fault(input: Inputs['fault']): Promise<void>;
  app(input: Inputs['app']): Promise<void>;
  sendWebhooksTo(url: string): Promise<void>;
  seed(): Promise<void>;
  books(payment: string): Promise<ProviderBooks>;
  webhooks(payment: string): Promise<SentWebhook[]>;
  /** Its contents, for `sandbox start --import`. */
  contents(): Promise<string>;
}

/** Something that happened behind the desk. */
export interface SandboxChange {
  time: number;
  kind: 'state' | 'provider' | 'webhook';
  payment: string;
  text: string;
}
