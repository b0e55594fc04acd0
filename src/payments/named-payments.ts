import type { Client } from '../client/client.js';
import type { PaymentKey, PaymentRead } from '../client/payment-calls.js';
import { numberText } from '../contract/json.js';
import { type PaydeskError, ServiceError, TemporaryError, UsageError } from '../errors.js';
import { BadValue, parseId } from '../typed-values.js';
import { safeText } from '../output/text.js';

/** A payment as a person named it. */
export interface NamedPayment {
  typed: string;
  key: PaymentKey;
}

/** A `paymentId` when it is all digits, otherwise a `referenceId`; `id:` and `ref:` force it. */
export function parsePayment(typed: string): NamedPayment {
  const [, prefix, rest = typed] = /^(id|ref):(.*)$/su.exec(typed) ?? [];
  const name = parseId(rest);
  const digits = /^\d+$/.test(name);
  if (prefix === 'id' && !digits) throw new BadValue('use digits after id:, for example id:100231');
  const key = digits && prefix !== 'ref' ? { paymentId: name } : { referenceId: name };
  return { typed, key };
}

/** One payment a line; empty lines are passed over, and every bad line is told at once. */
export function parsePaymentLines(text: string): NamedPayment[] {
  const bad: string[] = [];
  const names = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [parsePayment(line.trim())];
    } catch (error) {
      bad.push(`line ${index + 1}: ${(error as Error).message}`);
      return [];
    }
  });
  if (bad.length > 0) throw new BadValue(bad.join('; '));
  if (names.length === 0) throw new BadValue('contains no payment');
  return names;
}

export type NamedRead =
  { name: NamedPayment; read: PaymentRead } | { name: NamedPayment; error: PaydeskError };

const AT_ONCE = 8;

/** Reads them all, in order. What concerns one payment stays with it; what concerns all of them is thrown. */
export async function readPayments(client: Client, names: readonly NamedPayment[]): Promise<NamedRead[]> {
  const results: NamedRead[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < names.length; index = next++) {
      const name = names[index] as NamedPayment;
      results[index] = await readOne(client, name);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, names.length) }, work));
  return results;
}

async function readOne(client: Client, name: NamedPayment): Promise<NamedRead> {
  try {
    return { name, read: await client.getPayment(name.key) };
  } catch (error) {
    if (error instanceof ServiceError || error instanceof TemporaryError) return { name, error };
    throw error;
  }
}

/** Refuses a payment that was named twice, be it once by its id and once by its reference. */
export function refuseTwice(reads: readonly NamedRead[]): void {
  const seen = new Map<string, string>();
  const details = reads.flatMap((entry) => {
    const { typed } = entry.name;
    const same = 'read' in entry ? idOf(entry.read) : typed;
    const first = seen.get(same);
    if (first === undefined) seen.set(same, typed);
    return first === undefined ? [] : [{ input: typed, problem: `is the same payment as ${first}` }];
  });
  if (details.length > 0) {
    throw new UsageError('A payment is listed twice. Nothing was sent.', {
      code: 'named-twice',
      details,
    });
  }
}

/** The id that paths need; without one nothing can be done to a payment. */
export function idOf(read: PaymentRead): string {
  const { paymentId } = read.fields;
  if (paymentId !== undefined) return numberText(paymentId);
  throw new ServiceError('The service returned a payment without a paymentId.', { code: 'odd-answer' });
}

/** `100231 (inv-2041)`. */
export function labelOf(read: PaymentRead): string {
  const { referenceId } = read.fields;
  return referenceId === undefined ? idOf(read) : `${idOf(read)} (${safeText(referenceId)})`;
}

/** The state in a sentence: a name that the service made up cannot break the line. */
export function stateText(read: PaymentRead): string {
  const state = stateOf(read);
  return state === null ? 'in an unknown state' : safeText(state);
}

/** The state as the service names it. */
export function stateOf(read: PaymentRead): string | null {
  return read.fields.paymentState ?? null;
}
