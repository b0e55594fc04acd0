import type { Client } from '../client/client.js';
import type { PaymentRead } from '../client/payment-calls.js';
import type { JsonObject } from '../contract/json.js';
import type { PaydeskError } from '../errors.js';
import type { OrderDetails } from '../ledger/known/seen-payment.js';
import type { KnownPaymentRow } from '../ledger/schema.js';
import { findOpenOfUnread } from '../payments/move/check.js';
import { openUnread } from '../payments/move/errors.js';
import {
  type NamedPayment,
  type NotRead,
  type ReadOptions,
  readPayments,
} from '../payments/named-payments.js';
import { type Action, commandsFor, onlyReads } from './action.js';
import { actionsFor } from './actions.js';
import { type AlsoPaid, alsoPaidOf } from './also-paid.js';
import { type GatherOptions, gatherSituation } from './gather.js';
import type { Records, Sources } from './records.js';
import { refreshKnown } from './refresh.js';
import { type Language, otherPaid, replyOf, replyPayment } from './reply.js';
import type { Age, Situation } from './situation.js';
import { timelineOf, type TimelineEntry } from './timeline.js';
import { type PlannedInBatch, plannedInBatches } from './planned-in-batches.js';
import { type Severity, verdictOf } from './verdict.js';
import {
  riskWarningsFor,
  type RiskWarning,
  type NotPossible,
  notPossibleFor,
  notPossibleReadOnly,
} from './warnings.js';

/** Where a payment stands, why, what happened so far and what can be done now. */
export interface Explanation {
  situation: Situation;
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
  mustNot: RiskWarning[];
  /** What the merchant's own order says of it, as far as this desk knows. */
  order: OrderDetails | undefined;
  /** The customer may have paid twice. */
  alsoPaid: AlsoPaid[];
  /** Batches that are going to send an instruction for it. */
  batches: PlannedInBatch[];
  /** What may be told to the customer. */
  reply: string;
}

export interface ExplainOptions extends ReadOptions, GatherOptions {
  /** `--profile` as given, for the commands. */
  profile: string | undefined;
  /** Nothing may be changed at the service, so that only reads are offered. */
  readOnly?: boolean;
  /** Of the reply. */
  language?: Language;
}

/** From a read and the records; nothing is read or sent here. */
export function explain(
  client: Pick<Client, 'canonicalState'>,
  read: PaymentRead,
  sources: Sources,
  options: ExplainOptions,
): Explanation {
  const situation = gatherSituation(client, read, sources, options);
  const { text, severity, stuck } = verdictOf(situation);
  const commandOf = commandsFor(situation.paymentId, options.profile);
  const actions = actionsFor(situation, commandOf);
  const notPossible = notPossibleFor(situation, commandOf);
  const { readOnly = false } = options;
  return {
    situation,
    payment: read.object,
    verdict: text,
    severity,
    stuck,
    age: situation.age,
    timeline: timelineOf(read, sources, situation),
    actions: readOnly ? actions.filter(onlyReads) : actions,
    notPossible: readOnly ? notPossibleReadOnly(notPossible, actions) : notPossible,
    mustNot: riskWarningsFor(situation),
    order: sources.record?.known && orderOf(sources.record.known),
    alsoPaid: sources.record?.known ? alsoPaidOf(sources.record.known, sources, options) : [],
    batches: plannedInBatches(sources.record?.waitingBatches ?? [], situation),
    reply: replyOf(situation, replyPayment(read), sources.alsoPaid.map(otherPaid), options.language ?? 'en'),
  };
}

function orderOf(known: KnownPaymentRow): OrderDetails | undefined {
  const { order_id, order_name, order_email, order_note } = known;
  if ([order_id, order_name, order_email, order_note].every((value) => value === null)) return undefined;
  return {
    orderId: order_id ?? undefined,
    name: order_name ?? undefined,
    email: order_email ?? undefined,
    note: order_note ?? undefined,
  };
}

const MAX_READ_AGAIN = 20;

export type Explained = { typed: string; explanation: Explanation } | { typed: string; error: PaydeskError };

/** What is read becomes known. `records` is undefined where they cannot be opened. */
export async function explainAll(
  client: Client,
  names: readonly NamedPayment[],
  records: Promise<Records | undefined>,
  options: ExplainOptions,
): Promise<Explained[]> {
  const [entries, kept] = await Promise.all([readPayments(client, names, options), records]);
  const reads = entries.flatMap((entry) => ('read' in entry ? [entry.read] : []));
  await kept?.remember(reads);
  // The answer to "I paid twice" must not be an old one: the other payment may have changed since it was seen.
  const others = (await kept?.sameAmount(reads)) ?? [];
  const { payments } = await refreshKnown(others.slice(0, MAX_READ_AGAIN), { client, records: kept });
  const unread = new Set(others.map(({ payment_id }) => payment_id));
  for (const { typed, error } of payments) if (error === undefined) unread.delete(typed);
  const found = (await kept?.find(reads)) ?? [];
  return Promise.all(
    entries.map(async (entry): Promise<Explained> => {
      const { typed } = entry.name;
      if ('error' in entry) return { typed, error: await unexplained(entry, kept) };
      const sources = found[reads.indexOf(entry.read)] ?? nothingKnown;
      const uncertain = unread.union(sources.uncertain);
      return { typed, explanation: explain(client, entry.read, { ...sources, uncertain }, options) };
    }),
  );
}

const nothingKnown: Sources = { record: undefined, webhooks: [], alsoPaid: [], uncertain: new Set() };

/** What was sent and is open is told also where the payment cannot be read. */
async function unexplained(entry: NotRead, records: Records | undefined): Promise<PaydeskError> {
  const open = records && (await findOpenOfUnread(entry, records.findOpen));
  return open ? openUnread(open, entry.error) : entry.error;
}
