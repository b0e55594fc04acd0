import type { Client } from '../client/client.js';
import type { SettleOperation } from '../client/outcome.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { numberText } from '../contract/json.js';
import type { Outcome } from '../ledger/ledger.js';
import type { PaymentRecord, RecordedIntent } from '../ledger/payment-record.js';
import type { IntentRow } from '../ledger/schema.js';
import { failureReason } from '../payments/failure-reason.js';
import { idOf } from '../payments/named-payments.js';
import { formatAmount } from '../output/amount.js';
import { safeText } from '../output/text.js';
import { textAt } from '../output/values.js';
import type { Facts, OpenInstruction } from './facts.js';
import type { Heard } from './heard.js';
import { bouncedBy, judgeSightings } from './sightings.js';

/** What is known of a payment besides what the service shows. */
export interface Sources {
  record: PaymentRecord | undefined;
  /** The oldest first. */
  heard: readonly Heard[];
}

export function gatherFacts(
  client: Pick<Client, 'canonicalState'>,
  read: PaymentRead,
  { record, heard }: Sources,
  { now, quietMs }: { now: number; quietMs: number },
): Facts {
  const { fields } = read;
  const canonical = (name: string) => client.canonicalState(name) ?? name;
  const shown = fields.paymentState ?? '';
  const created = fields.createdTime === undefined ? NaN : Date.parse(fields.createdTime);
  const createdTime = Number.isNaN(created) ? undefined : created;
  const current = canonical(shown);
  const seen = judgeSightings(current, { createdTime, record, heard, canonical }, now);
  const last = heard.findLast(({ said, late }) => said !== undefined && !late);
  const saidBefore = heard.findLast(({ said }) => said !== undefined && canonical(said) !== current)?.said;
  const sinceTime = seen.age === undefined ? 0 : now - seen.age.ms;
  const intents = record?.intents ?? [];
  return {
    paymentId: idOf(read),
    referenceId: fields.referenceId,
    state: read.state,
    shown,
    amount:
      fields.amount === undefined
        ? 'the amount'
        : safeText(formatAmount(numberText(fields.amount), fields.currency)),
    autoCapture: fields.autoCapture,
    isCharge: fields.paymentFlow === 'AutoPayment',
    reason: failureReason(read),
    wasAuthorised: textAt(read.object, 'payInfo', 'authorizeId') !== '',
    createdTime,
    age: seen.age,
    bounced: seen.bounced ?? failedOf(intents, current, canonical),
    saidToBounce: saidBefore === undefined ? undefined : bouncedBy(canonical(saidBefore), current),
    open: openOf(record, { now, quietMs, canonicalState: client.canonicalState }),
    ended: endedOf(intents),
    recheckedTime: recheckedIn(intents, current, canonical, sinceTime),
    lastWebhook: last && { time: last.time, said: canonical(last.said as string) },
    now,
  };
}

const settling: readonly string[] = ['capture', 'cancel', 'refund', 'unhold'];
const isSettling = (operation: string): operation is SettleOperation => settling.includes(operation);

function openOf(
  record: PaymentRecord | undefined,
  options: Parameters<typeof openInstruction>[2],
): OpenInstruction | undefined {
  const intent = record?.intents.find(({ id }) => id === record.openId);
  return intent && openInstruction(intent, intent.outcomes.at(-1)?.outcome, options);
}

export function openInstruction(
  intent: IntentRow,
  outcome: string | null | undefined,
  { now, quietMs, canonicalState }: { now: number; quietMs: number } & Pick<Client, 'canonicalState'>,
): OpenInstruction | undefined {
  if (!isSettling(intent.operation)) return undefined;
  return {
    operation: intent.operation,
    outcome: outcome === 'accepted' ? 'accepted' : 'unknown',
    time: intent.time,
    operator: intent.operator,
    ticket: intent.ticket ?? undefined,
    before: canonicalState(intent.before_state ?? undefined),
    quietOver: intent.time + quietMs <= now,
  };
}

/** The last outcome of each instruction that is over. */
function endedOf(intents: readonly RecordedIntent[]): Facts['ended'] {
  const ended: Facts['ended'] = {};
  for (const { operation, outcomes } of intents) {
    if (isSettling(operation)) ended[operation] = outcomes.at(-1)?.outcome as Outcome | undefined;
  }
  return ended;
}

/** The instruction of ours that failed last and left the payment where it is. */
function failedOf(
  intents: readonly RecordedIntent[],
  current: string,
  canonical: (name: string) => string,
): SettleOperation | undefined {
  const last = intents.findLast(({ operation }) => isSettling(operation));
  const outcome = last?.outcomes.at(-1);
  if (!last || !isSettling(last.operation) || outcome?.outcome !== 'failed') return undefined;
  return canonical(outcome.after_state ?? '') === current ? last.operation : undefined;
}

function recheckedIn(
  intents: readonly RecordedIntent[],
  current: string,
  canonical: (name: string) => string,
  sinceTime: number,
): number | undefined {
  const last = intents.findLast(
    ({ operation, before_state, outcomes, time }) =>
      operation === 'recheck' &&
      time >= sinceTime &&
      canonical(before_state ?? '') === current &&
      canonical(outcomes.at(-1)?.after_state ?? '') === current,
  );
  return last?.time;
}
