// Asks the provider again and again, until something about a payment is not as it was.

import type { Client } from '../client/client.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { states } from '../contract/states.js';
import {
  InterruptedError,
  NotReachedError,
  PendingError,
  TemporaryError,
  UnknownOutcomeError,
} from '../errors.js';
import { idOf, labelOf, type NamedRead, stateOf, stateText } from '../payments/named-payments.js';
import type { OnAsked, RecheckResult } from '../payments/recheck.js';
import type { Alarm } from './alarm.js';

const FIRST_MS = 1_000;
const GROWTH = 1.5;
const LONGEST_MS = 30_000;

export interface RecheckUntilOptions {
  client: Client;

  signal: AbortSignal;
  alarm: Alarm;
  onAsked: OnAsked;
}

/** Goes on with those that a first recheck left as they were. */
export async function recheckUntilChanged(
  reads: readonly NamedRead[],
  results: readonly RecheckResult[],
  options: RecheckUntilOptions,
): Promise<RecheckResult[]> {
  return Promise.all(
    results.map(async (result, index) => {
      const entry = reads[index];
      const goesOn = result.outcome === 'done' && !result.changed;
      return entry && 'read' in entry && goesOn ? askOn(entry.read, result, options) : result;
    }),
  );
}

async function askOn(
  before: PaymentRead,
  first: RecheckResult,
  { client, signal, alarm, onAsked }: RecheckUntilOptions,
): Promise<RecheckResult> {
  const paymentId = idOf(before);
  if (before.state !== undefined && states[before.state].final) return { ...first, error: isFinal(before) };
  const names = { paymentId, referenceId: before.fields.referenceId };
  for (let pause = FIRST_MS; ; pause = Math.min(LONGEST_MS, pause * GROWTH)) {
    await alarm.sleep(names, pause, signal);
    if (signal.aborted) return { ...first, error: stopped(before, signal.reason) };
    try {
      const { value } = await client.recheck(paymentId);
      const now = await client.readBackPayment(value, { paymentId });
      if (JSON.stringify(now.fields) === JSON.stringify(before.fields)) continue;
      await onAsked(before, now);
      return { ...first, payment: now.object, after: stateOf(now), changed: true };
    } catch (error) {
      // It may be sent as often as one likes: what failed for now is tried again.
      const forNow = error instanceof TemporaryError || error instanceof UnknownOutcomeError;
      if (!forNow && !signal.aborted) throw error;
    }
  }
}

const next = (read: PaymentRead) => ({ next: [`paydesk payments explain ${idOf(read)}`] });

function isFinal(read: PaymentRead): NotReachedError {
  return new NotReachedError(
    `Payment ${labelOf(read)} is ${stateText(read)}, and nothing changes that any more.`,
    {
      code: 'not-reached',
      ...next(read),
    },
  );
}

function stopped(read: PaymentRead, reason: unknown): InterruptedError | PendingError {
  const stands = `Payment ${labelOf(read)} is still ${stateText(read)}`;
  return reason instanceof InterruptedError
    ? new InterruptedError(`${stands}.`, { code: 'stopped-waiting', ...next(read) })
    : new PendingError(`${stands} now that the time is up: nothing changed.`, {
        code: 'time-up',
        ...next(read),
      });
}
