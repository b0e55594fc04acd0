// Checks with the provider repeatedly until something about a payment changes.

import { paydesk } from '../next-command.js';
import { systemClock } from '../client/clock.js';
import type { Client } from '../client/client.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { states } from '../contract/states.js';
import { NotReachedError, TemporaryError, UnknownOutcomeError } from '../errors.js';
import { differsFromRead } from '../payments/move/fingerprint.js';
import { idOf, labelOf, type NamedRead, stateOf, stateText } from '../payments/named-payments.js';
import type { OnAsked, RecheckResult } from '../payments/recheck.js';
import { readUntil, waitEnded } from '../payments/wait.js';
import type { Wakeups } from '../webhooks/inbox/wakeups.js';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

interface RecheckUntilOptions {
  client: Client;
  signal: AbortSignal;
  wakeups: Wakeups;
  onAsked: OnAsked;
}

/** Continues with the payments that a first recheck did not change. */
export async function recheckUntilChanged(
  reads: readonly NamedRead[],
  results: readonly RecheckResult[],
  options: RecheckUntilOptions,
): Promise<RecheckResult[]> {
  return Promise.all(
    results.map(async (result, index) => {
      const entry = reads[index];
      const continues = ['done', 'accepted'].includes(result.outcome) && !result.changed;
      return entry && 'read' in entry && continues ? keepChecking(entry.read, result, options) : result;
    }),
  );
}

async function keepChecking(
  before: PaymentRead,
  first: RecheckResult,
  { client, signal, wakeups, onAsked }: RecheckUntilOptions,
): Promise<RecheckResult> {
  const paymentId = idOf(before);
  if (before.state !== undefined && states[before.state].final) return { ...first, error: isFinal(before) };
  const names = { paymentId, referenceId: before.fields.referenceId };
  const look = () => {
    signal.throwIfAborted();
    return client.recheckedPayment(paymentId);
  };
  const { reached, last: now } = await readUntil(look, ({ read }) => differsFromRead(read, before), {
    clock: systemClock,
    signal,
    firstMs: FIRST_PAUSE_MS,
    maxMs: MAX_PAUSE_MS,
    pauseFirst: true,
    sleep: (ms, stop) => wakeups.sleep(names, ms, stop),
    // A recheck may be sent any number of times.
    isTemporary: (error) => error instanceof TemporaryError || error instanceof UnknownOutcomeError,
  });
  if (!reached || now === undefined) {
    const stands = `Payment ${labelOf(before)} is still ${stateText(before)}.`;
    return { ...first, error: waitEnded(signal.reason, stands, explaining(before)) };
  }
  await onAsked(before, now);
  const { read } = now;
  return { ...first, payment: read.object, after: stateOf(read), outcome: 'done', changed: true };
}

const explaining = (read: PaymentRead) => [paydesk('payments', 'explain', idOf(read))];

function isFinal(read: PaymentRead): NotReachedError {
  return new NotReachedError(`Payment ${labelOf(read)} is ${stateText(read)}, and that no longer changes.`, {
    code: 'not-reached',
    next: explaining(read),
  });
}
