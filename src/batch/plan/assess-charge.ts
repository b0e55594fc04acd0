import { paydesk } from '../../next-command.js';
import type { Decoded } from '../../client/answers.js';
import type { Client } from '../../client/client.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import type { PaymentMethod } from '../../contract/customer.js';
import { numberText } from '../../contract/json.js';
import { ServiceError } from '../../errors.js';
import { chargeOutcome, wasRefunded } from '../../payments/charge-outcome.js';
import { findByReference } from '../../payments/send-create.js';
import { failureReason } from '../../payments/failure-reason.js';
import { idOf, stateOf } from '../../payments/named-payments.js';
import { type AskedCharge, chargeDifferences, chargedEarlier } from '../attempts.js';
import { chargeBody } from './charge-rows.js';
import type { SourceRow } from './csv-rows.js';
import type { Assessment } from './plan-row.js';

/** What is to become of a charge: its reference is looked for first, and then a stored method of its customer. */
export async function assessCharge(
  client: Client,
  row: SourceRow,
  { now, onRead }: { now: number; onRead: (read: PaymentRead) => void },
): Promise<Assessment> {
  const seen = await findByReference(client, row.typed);
  if (seen) {
    onRead(seen);
    return assessSeen(row, seen);
  }
  const { line, typed, amount, currency, customer = '' } = row;
  const facts = { line, reference: typed, amount, currency };
  const earlier = await chargedEarlier(client, askedBy(row));
  if (earlier) {
    const { isCharged, read, why } = earlier;
    if (read) onRead(read);
    const state = (read && stateOf(read)) ?? undefined;
    return { ...facts, state, verdict: isCharged ? 'done' : 'conflict', why };
  }
  const methods = await methodsOf(client, customer);
  if (!methods) return { ...facts, verdict: 'not-found', why: `there is no customer ${customer}` };
  const why = notChargeable(methods, row, now);
  if (why === undefined) return { ...facts, verdict: 'act' };
  return { ...facts, verdict: 'not-possible', why, next: paydesk('customers', 'methods', customer) };
}

const askedBy = (row: SourceRow): AskedCharge => ({ body: chargeBody(row), currency: row.currency });

/** The reference has made a payment before: the same charge is not made again, and another one cannot be. */
function assessSeen(row: SourceRow, read: PaymentRead): Assessment {
  const { amount, currency } = read.fields;
  const facts = {
    line: row.line,
    payment: idOf(read),
    reference: row.typed,
    state: stateOf(read) ?? undefined,
    amount: amount === undefined ? row.amount : numberText(amount),
    currency: currency ?? row.currency,
  };
  const fields = chargeDifferences(askedBy(row), read).map(({ field }) => field);
  const standing = assessStanding(facts, read);
  if (fields.length === 0) return standing;
  const why = `payment ${facts.payment} has this reference, with another ${fields.join(' and ')}`;
  // A service may call the flow of a charge as it likes.
  const ifSent = fields.every((field) => field === 'flow') ? standing : undefined;
  return { ...facts, verdict: 'conflict', why, ifSent };
}

/** How the charge of a row stands that has made a payment before. */
function assessStanding(facts: Omit<Assessment, 'verdict'>, read: PaymentRead): Assessment {
  if (read.state === undefined) {
    return {
      ...facts,
      verdict: 'conflict',
      why: `paydesk does not know the state ${facts.state ?? '(none)'}`,
    };
  }
  const outcome = chargeOutcome(read, true);
  if (outcome === 'failed' && !wasRefunded(read)) {
    const reason = failureReason(read);
    const state = reason === '' ? facts.state : `${facts.state} (${reason})`;
    return { ...facts, verdict: 'failed-before', why: `${state}: a new attempt needs a new reference` };
  }
  const isOver = outcome === 'done' || wasRefunded(read);
  return {
    ...facts,
    verdict: 'done',
    why: `${facts.state ?? '?'}${isOver ? ' before' : ': accepted before, not final yet'}`,
  };
}

/** The stored methods of a customer; undefined when the service does not know the customer. */
async function methodsOf(client: Client, customer: string): Promise<Decoded<PaymentMethod>[] | undefined> {
  try {
    return (await client.paymentMethods(customer)).methods;
  } catch (error) {
    if (error instanceof ServiceError && error.httpStatus === 404) return undefined;
    throw error;
  }
}

/** Why none of the methods can be charged. What the service does not say of a method is not held against it. */
function notChargeable(
  methods: ReadonlyArray<Decoded<PaymentMethod>>,
  { customer, method }: SourceRow,
  now: number,
): string | undefined {
  const named = methods.filter(
    ({ fields }) => method === undefined || String(fields.paymentMethodId) === method,
  );
  const which = method === undefined ? 'stored method' : `stored method ${method}`;
  if (named.length === 0) return `customer ${customer} has no ${which}`;
  const active = named.filter(({ fields }) => fields.isActive !== false);
  if (active.length === 0) return `customer ${customer} has no active ${which}: auto-payment was stopped`;
  const expired = active.filter(({ fields }) => hasExpired(fields, now));
  if (expired.length < active.length) return undefined;
  const { cardExpiryMonth: month, cardExpiryYear: year } = expired.at(-1)?.fields.card ?? {};
  return `the card of customer ${customer} expired ${String(month).padStart(2, '0')}/${year}`;
}

/** A card is good until its month is over. */
function hasExpired({ card }: PaymentMethod, now: number): boolean {
  const { cardExpiryMonth: month, cardExpiryYear: year } = card ?? {};
  return month !== undefined && year !== undefined && now >= Date.UTC(year, month, 1);
}
