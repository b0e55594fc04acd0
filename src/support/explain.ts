import type { Client } from '../client/client.js';
import type { PaymentRead } from '../client/payment-calls.js';
import type { JsonObject } from '../contract/json.js';
import type { Action } from './action.js';
import { commandsFor } from './action.js';
import { actionsFor } from './actions.js';
import type { Age, Facts } from './facts.js';
import { gatherFacts, type Sources } from './gather.js';
import { replyOf } from './reply.js';
import type { Severity } from './severity.js';
import { timelineOf, type TimelineEntry } from './timeline.js';
import { verdictOf } from './verdict.js';
import { mustNotFor, type MustNot, type NotPossible, notPossibleFor } from './warnings.js';

/** Where a payment stands, why, what happened so far and what can be done now. */
export interface Explanation {
  facts: Facts;
  payment: JsonObject;
  verdict: string;
  severity: Severity;
  stuck: boolean;
  /** How long it has been in its state. */
  age: Age | undefined;
  timeline: TimelineEntry[];
  /** The recommended one first. */
  actions: Action[];
  notPossible: NotPossible[];
  mustNot: MustNot[];
  /** What may be told to the customer. */
  reply: string;
}

export interface ExplainOptions {
  now: number;
  quietMs: number;
  /** `--profile` as given, for the commands. */
  profile: string | undefined;
}

/** From what was read and what is on record; nothing is asked here. */
export function explain(
  client: Pick<Client, 'canonicalState'>,
  read: PaymentRead,
  sources: Sources,
  options: ExplainOptions,
): Explanation {
  const facts = gatherFacts(client, read, sources, options);
  const { text, severity, stuck } = verdictOf(facts);
  const commandOf = commandsFor(facts.paymentId, options.profile);
  return {
    facts,
    payment: read.object,
    verdict: text,
    severity,
    stuck,
    age: facts.age,
    timeline: timelineOf(read, sources, facts),
    actions: actionsFor(facts, commandOf),
    notPossible: notPossibleFor(facts, commandOf),
    mustNot: mustNotFor(facts),
    reply: replyOf(facts),
  };
}
