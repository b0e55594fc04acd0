// Everything that is known about one payment, put together from the service, the ledger and the webhook inbox.

import type { SettleOperation } from '../contract/states.js';
import type { StateName } from '../contract/states.js';
import type { Outcome } from '../ledger/moves/operations.js';
import type { Zone } from '../output/time.js';

/** How long a payment has been in its state, and how well that is known. */
export interface Age {
  ms: number;
  /** `up-to`: it may have come to be in it later. `at-least`: only when it was first seen is known. */
  certainty: 'exact' | 'at-least' | 'up-to';
}

/** The last instruction that this desk sent for a payment. */
export interface LastOperation {
  operation: SettleOperation;
  /** `unknown` while nothing is recorded. */
  outcome: Outcome;
  time: number;
  operator: string;
  ticket: string | undefined;
  /** The state of the payment when it was sent. */
  before: StateName | undefined;
  /** What the service said, or why nothing was sent. */
  why: string | undefined;
  /** The payment was seen on the way to its end since. */
  wasInProgress: boolean;
  /** How many times in a row it has failed. */
  failures: number;
  /** It may have reached the service, and the payment shows another difference than its state: it is not sent again. */
  differs: boolean;
  /** It may have reached the service: before it is sent again, paydesk asks for a recheck. */
  mayHaveLeft: boolean;
  /** The quiet period ends then: the same instruction is not sent again before. */
  quietUntil: number;
}

export interface Situation {
  paymentId: string;
  referenceId: string | undefined;
  /** Our name of the state; undefined for one that paydesk does not know. */
  state: StateName | undefined;
  /** As the service names it; empty where it shows none. */
  shown: string;
  /** `EUR 49.90`. */
  amount: string;
  /** What the customer has paid, and gets back with a refund: less than the amount after a capture in part. */
  taken: string;
  /** The amount that the service shows as captured, where it is more than nothing: `EUR 49.90`. */
  captured: string | undefined;
  autoCapture: boolean | undefined;
  /** A charge of a stored method: the customer has no link to try again with. */
  isCharge: boolean | undefined;
  /** Why it failed, in the service's words. */
  reason: string;
  /** The provider has authorised it at some time. */
  wasAuthorised: boolean | undefined;
  createdTime: number | undefined;
  age: Age | undefined;
  last: LastOperation | undefined;
  /** The last outcome of each instruction that this desk sent. */
  outcomes: Partial<Record<SettleOperation, Outcome>>;
  /** Reads showed this operation in progress, and the payment is back where it was. */
  seenFailing: SettleOperation | undefined;
  /** From then on a check with the provider proves that it failed: a read before that may be behind. */
  failedFrom: number | undefined;
  /** Only webhooks reported this operation in progress: a reason to look, and not to act. */
  suspectedFailure: SettleOperation | undefined;
  /** When the provider was last checked while the payment was in this state, without a change. */
  recheckedTime: number | undefined;
  /** When a check with the provider last showed this state, also one that brought the payment there. */
  confirmedTime: number | undefined;
  /** The state in the last webhook, by our name where we have one. */
  lastWebhook: { time: number; state: string } | undefined;
  now: number;
  /** Of the times in sentences. */
  zone: Zone;
}
