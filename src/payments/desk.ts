import type { Client } from '../client/client.js';
import type { Clock } from '../client/clock.js';
import type { PaymentRead } from '../client/payment-calls.js';
import type { Ledger } from '../ledger/moves/ledger.js';
import type { Line } from '../output/lines.js';

/** Which app of which service, whatever the profile is called. */
export interface DeskApp {
  baseUrl: string;
  appId: string;
  kind: 'sandbox' | 'live';
  profile: string | undefined;
}

/** What an operation on payments works with; tests bring their own clock. */
export interface Desk {
  client: Client;
  /** For reads that must still be made after the signal has fired. */
  settling: Client;
  /** Where intents are written before they are sent. */
  ledger: Ledger;
  app: DeskApp;
  /** How long the service may take to show what it did: nothing is sent again before that. */
  quietMs: number;
  /** Where nobody set the quiet period: that of a paydesk sandbox, which shows at once what it did. */
  sandboxQuietMs?: number | undefined;
  clock: Clock;
  /** Milliseconds on a clock that does not jump and counts while the machine sleeps. */
  steady: () => number;
  /** Fires on Ctrl-C and when the time is up; its reason is the error that this means. */
  signal: AbortSignal;
  /** How long a wait may take when no other limit was given. */
  waitMs: number;
  /** Something that a person should know in the meantime. */
  note: (...lines: Line[]) => void;
  /** What is being waited for, where a person watches, and for how many milliseconds at most. */
  status?: (text: string, leftMs: number) => void;
}

/** How long the service that showed this payment may take to show what it did. */
export function quietOf(
  { quietMs, sandboxQuietMs }: Pick<Desk, 'quietMs' | 'sandboxQuietMs'>,
  { generation }: PaymentRead,
): number {
  return generation === undefined ? quietMs : (sandboxQuietMs ?? quietMs);
}

/** The client that can still be used. */
export function readerOf(desk: Desk): Client {
  return desk.signal.aborted ? desk.settling : desk.client;
}
