// A charge that failed is tried again under a new reference: `inv-7`, `inv-7-retry-1`, `inv-7-retry-2`.

import type { Client } from '../client/client.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { chargeOutcome, wasRefunded } from '../payments/charge-outcome.js';
import { type CreateRequest, findByReference } from '../payments/send-create.js';
import { exceptFlow, differencesFound, type OtherDetail } from '../payments/differences.js';
import { idOf, stateText } from '../payments/named-payments.js';

/** A number that nobody reaches; without it a reference such as `x-retry-999999` would be a million reads. */
const MAX_ATTEMPTS = 50;

/**
 * The reference of the next attempt. It depends on nothing but the last one, so that two files made from the same report
 * name the same attempt, and it is charged once.
 */
export function nextAttempt(reference: string): string {
  const { base, attempt } = partsOf(reference);
  return `${base}-retry-${attempt + 1}`;
}

function partsOf(reference: string): { base: string; attempt: number } {
  const [, base = reference, last = '0'] = /^(.+)-retry-([1-9]\d{0,5})$/.exec(reference) ?? [];
  return { base, attempt: Number(last) };
}

/** Why a next attempt is not to be charged. */
interface ChargedEarlier {
  /** Otherwise it may have been, or may still be. */
  isCharged: boolean;
  /** Undefined when the attempt before this one cannot be found. */
  read?: PaymentRead;
  why: string;
}

/** A charge as its row asks for it: what is sent, and the currency that the file expects. */
export interface AskedCharge {
  body: CreateRequest['body'];
  currency: string | undefined;
}

/**
 * An earlier attempt that failed was charged after all, or may have been, or may still be. Undefined when all of them
 * failed, or this is the first.
 */
export async function chargedEarlier(
  client: Client,
  asked: AskedCharge,
): Promise<ChargedEarlier | undefined> {
  const reference = asked.body.referenceId;
  const { base, attempt } = partsOf(reference);
  const from = Math.max(0, attempt - MAX_ATTEMPTS);
  for (let each = attempt - 1; each >= from; each -= 1) {
    const earlier = each === 0 ? base : `${base}-retry-${each}`;
    const read = await findByReference(client, earlier);
    // There is a next attempt because that one was made: a service that does not show it may be behind.
    if (!read && each === attempt - 1)
      return { isCharged: false, why: `${earlier} is not found, so it may have been charged` };
    const charged = read && chargedBy(read, earlier, asked);
    if (charged) return charged;
  }
  return undefined;
}

function chargedBy(read: PaymentRead, reference: string, asked: AskedCharge): ChargedEarlier | undefined {
  const outcome = chargeOutcome(read, true);
  const isCharged = outcome === 'done' || wasRefunded(read);
  if (outcome === 'failed' && !isCharged) return undefined;
  // A service may call the flow of a charge as it likes.
  const differs = exceptFlow(chargeDifferences(asked, read)).map(({ field }) => field);
  if (differs.length > 0) {
    const why = `${reference} is another charge, with another ${differs.join(' and ')} (payment ${idOf(read)})`;
    return { isCharged: false, read, why };
  }
  const mayBe = outcome === 'unknown' ? ', so it may have been charged' : ', so it may still be charged';
  const why = `${reference} is ${stateText(read)}${isCharged ? ' after all' : mayBe} (payment ${idOf(read)})`;
  return { isCharged, read, why };
}

/** How a payment is not the charge that a row asks for. */
export function chargeDifferences({ body, currency: asked }: AskedCharge, read: PaymentRead): OtherDetail[] {
  const differs = differencesFound('charge', body, read);
  const { currency: found } = read.fields;
  if (asked === undefined || found === undefined || asked === found) return differs;
  return [...differs, { field: 'currency', asked, found }];
}
