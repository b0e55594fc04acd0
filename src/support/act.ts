// Carries out an action that an explanation offers, through the same operations as the commands.

import { systemClock } from '../client/clock.js';
import { PendingError } from '../errors.js';
import type { Desk } from '../payments/desk.js';
import { targetState } from '../payments/follow-payment.js';
import { recordRecheck } from '../payments/move/record.js';
import { type MovesPlan, moveAll, type PlannedMove } from '../payments/move/plan.js';
import { parsePayment, readPayments } from '../payments/named-payments.js';
import { recheckAll, type RecheckResult } from '../payments/recheck.js';
import type { Action } from './action.js';
import type { Alarm } from './alarm.js';
import { recheckUntilChanged } from './recheck-until.js';
import { watchAll, type Watched, type WatchEvent } from './watch.js';

export interface ActOptions {
  reason?: string | undefined;
  ticket?: string | undefined;
  alarm: Alarm;
  /** The action only settles what was sent before: nothing is to come of waiting. */
  settles: boolean;
  /** How long somebody at a prompt waits for something that only takes its time. */
  patienceMs: number;
  /** Throws when it is not to be done. */
  confirm: (plan: MovesPlan) => Promise<void>;
  onEvent: (event: WatchEvent) => Promise<void>;
}

export type Acted =
  | { kind: 'moved'; result: PlannedMove }
  | { kind: 'rechecked'; result: RecheckResult }
  | { kind: 'watched'; result: Watched };

export async function act(
  desk: Desk,
  paymentId: string,
  { operation, flags }: Action,
  options: ActOptions,
): Promise<Acted | undefined> {
  const name = parsePayment(`id:${paymentId}`);
  const limited = AbortSignal.any([desk.signal, AbortSignal.timeout(options.patienceMs)]);
  if (operation === 'recheck') {
    const reads = await readPayments(desk.client, [name]);
    const onAsked: Parameters<typeof recheckAll>[2] = (before, now) => recordRecheck(desk, before, now);
    let [result] = await recheckAll(desk.client, reads, onAsked);
    if (flags.includes('--watch') && result) {
      const { alarm } = options;
      [result] = await recheckUntilChanged(reads, [result], {
        client: desk.client,
        signal: limited,
        alarm,
        onAsked,
      });
    }
    return result && { kind: 'rechecked', result };
  }
  if (operation === 'watch') {
    const [, until] = flags;
    const [result] = await watchAll([name], {
      client: desk.client,
      clock: systemClock,
      signal: limited,
      until: until === undefined ? 'settled' : targetState(desk.client, until),
      intervalMs: 500,
      alarm: options.alarm,
      onEvent: options.onEvent,
      onTrouble: (_, error) => desk.note(error.message),
    });
    return result && { kind: 'watched', result };
  }
  const [result] = await moveAll(
    { ...desk, waitMs: options.patienceMs },
    {
      operation,
      names: [name],
      force: false,
      wait: !options.settles,
      dryRun: false,
      again: flags.includes('--again'),
      resend: flags.includes('--resend'),
      reason: options.reason,
      ticket: options.ticket,
    },
    { confirm: options.confirm },
  );
  return result && { kind: 'moved', result };
}

/** Whether it is only not over yet: that is no failure to somebody who looks on. */
export const isPending = (error: unknown): boolean => error instanceof PendingError;
