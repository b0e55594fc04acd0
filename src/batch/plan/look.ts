// A look at what a row is about, for a plan: a service that asks to wait is waited for, and nothing is changed.

import type { Client } from '../../client/client.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import { firstLine, GuardError, ServiceError, TemporaryError } from '../../errors.js';
import { parsePayment, readNamed } from '../../payments/named-payments.js';
import { assess } from './assess.js';
import { assessCharge } from './assess-charge.js';
import type { SourceRow } from './csv-rows.js';
import type { Pace, Slot } from '../../pace/pace.js';
import type { Assessment, BatchAction } from './plan-row.js';
import { type Outage, readWatched, throttleOf } from '../../pace/paced-reads.js';

export type RowLook = (row: SourceRow, slot: Slot) => Promise<Assessment>;

interface Looking {
  client: Client;
  action: BatchAction;
  now: () => number;
  /** Called with every payment that was read. */
  onRead: (read: PaymentRead) => void;
  pace: Pace;
  outage: Outage;
  signal: AbortSignal;
}

export function createLook({ client, action, now, onRead, ...reading }: Looking): RowLook {
  const { pace, outage, signal } = reading;
  async function assessed(row: SourceRow): Promise<Assessment> {
    if (action === 'charge') return assessCharge(client, row, { now: now(), onRead });
    const read = await readNamed(client, parsePayment(row.typed));
    onRead(read);
    return assess(action, row, read);
  }

  return async (row, slot) => {
    const { line } = row;
    for (;;) {
      try {
        const assessment = await readWatched(() => assessed(row), outage);
        pace.answered(slot);
        return assessment;
      } catch (error) {
        const throttle = error instanceof TemporaryError ? throttleOf(error) : undefined;
        if (throttle && error instanceof TemporaryError && !signal.aborted) {
          pace.throttled(slot, throttle.retryAfterMs);
          outage.throttled(pace.throttles, error);
          await pace.pause();
          if (!signal.aborted) continue;
        }
        if (error instanceof GuardError) {
          pace.answered(slot);
          return { line, verdict: 'not-possible', why: firstLine(error.message) };
        }
        if (!(error instanceof ServiceError || error instanceof TemporaryError)) throw error;
        if (error.code === 'not-found') {
          pace.answered(slot);
          return { line, verdict: 'not-found', why: `there is no payment ${row.typed}` };
        }
        if (error instanceof TemporaryError) outage.unreadable(error, row.typed);
        return { line, verdict: 'unreadable', why: firstLine(error.message) };
      }
    }
  };
}
