// Everything that is known of one payment, put together: the service, the ledger and the webhook inbox.

import type { SettleOperation } from '../client/outcome.js';
import type { StateName } from '../contract/states.js';
import type { Outcome } from '../ledger/ledger.js';

/** How long a payment has been in its state, and how well that is known. */
export interface Age {
  ms: number;
  /** `at-least`: first seen in it then. `up-to`: only the creation is known. */
  certainty: 'exact' | 'at-least' | 'up-to';
}

/** An instruction of this desk that is not settled. */
export interface OpenInstruction {
  operation: SettleOperation;
  outcome: 'accepted' | 'unknown';
  time: number;
  operator: string;
  ticket: string | undefined;
  before: StateName | undefined;
  /** The quiet period is over: a person may send it anew. */
  quietOver: boolean;
}

export interface Facts {
  paymentId: string;
  referenceId: string | undefined;
  /** Our name of the state; undefined for one that we do not know. */
  state: StateName | undefined;
  /** As the service names it; empty where it shows none. */
  shown: string;
  /** `EUR 49.90`. */
  amount: string;
  autoCapture: boolean | undefined;
  /** A charge of a stored method: no customer can try it again. */
  isCharge: boolean | undefined;
  /** Why it failed, in the service's words. */
  reason: string;
  /** The provider has authorised it at some time. */
  wasAuthorised: boolean | undefined;
  createdTime: number | undefined;
  age: Age | undefined;
  open: OpenInstruction | undefined;
  /** The instruction that was under way before and came back, whoever sent it. */
  bounced: SettleOperation | undefined;
  /** The same as webhooks told it, which nobody has read: to be looked at, and not to be acted on. */
  saidToBounce: SettleOperation | undefined;
  /** What the ledger has of each instruction, where that is over. */
  ended: Partial<Record<SettleOperation, Outcome>>;
  /** When the provider was last asked while the payment was in this state, and left it there. */
  recheckedTime: number | undefined;
  /** What the last webhook said, in our words where we have one. */
  lastWebhook: { time: number; said: string } | undefined;
  now: number;
}
