import { ServiceError, TemporaryError, UnknownOutcomeError, type PaydeskError } from '../errors.js';
import type { JsonObject } from '../contract/json.js';
import type { Client } from '../client/client.js';
import type { PaymentRead, Rechecked } from '../client/payment-calls.js';
import { differsFromRead } from './move/fingerprint.js';
import { idOf, type NamedRead, stateOf } from './named-payments.js';

/** Before and after a recheck. It may be sent as often as one likes, so its outcome is never unknown for long. */
export interface RecheckResult {
  typed: string;
  operation: 'recheck';
  payment: JsonObject | null;
  before: string | null;
  after: string | null;
  /** `accepted`: the service will ask the provider later, and shows no change so far. */
  outcome: 'done' | 'accepted' | 'refused' | 'unsent' | 'unknown';
  /** Whether anything about the payment is not as it was. */
  changed: boolean;
  error?: PaydeskError;
}

/** Called with each payment as it was before and is now. */
export type OnAsked = (before: PaymentRead, now: Rechecked) => Promise<void>;

export async function recheckAll(
  client: Client,
  reads: readonly NamedRead[],
  onAsked: OnAsked,
): Promise<RecheckResult[]> {
  const results: RecheckResult[] = [];
  for (const entry of reads)
    results.push(await recheck(client, entry, { alone: reads.length === 1, onAsked }));
  return results;
}

async function recheck(
  client: Client,
  entry: NamedRead,
  { alone, onAsked }: { alone: boolean; onAsked: OnAsked },
): Promise<RecheckResult> {
  const common = { typed: entry.name.typed, operation: 'recheck', changed: false } as const;
  if ('error' in entry) {
    return { ...common, payment: null, before: null, after: null, ...failure(entry.error) };
  }
  const { read } = entry;
  const before = stateOf(read);
  try {
    const rechecked = await client.recheckedPayment(idOf(read));
    await onAsked(read, rechecked);
    const { read: now, isQueued } = rechecked;
    const changed = differsFromRead(now, read);
    const outcome = isQueued && !changed ? 'accepted' : 'done';
    return { ...common, payment: now.object, before, after: stateOf(now), outcome, changed };
  } catch (error) {
    const ofThisOne =
      error instanceof ServiceError ||
      error instanceof TemporaryError ||
      error instanceof UnknownOutcomeError;
    if (alone || !ofThisOne) throw error;
    return { ...common, payment: read.object, before, after: before, ...failure(error) };
  }
}

function failure(error: PaydeskError): Pick<RecheckResult, 'outcome' | 'error'> {
  if (error instanceof ServiceError) return { outcome: 'refused', error };
  return { outcome: error instanceof UnknownOutcomeError ? 'unknown' : 'unsent', error };
}
