// Carries out an action that an explanation offers, through the same functions as the commands.

import { systemClock } from '../client/clock.js';
import { InterruptedError, PendingError } from '../errors.js';
import type { Desk } from '../payments/desk.js';
import type { StateName } from '../contract/states.js';
import { type CheckResult, checkPayments } from '../payments/check-payments.js';
import { recordRecheck } from '../payments/record-created.js';
import { type MovesPlan, moveAll } from '../payments/move/move-all.js';
import type { MoveResult } from '../payments/move/result.js';
import { type NamedPayment, parsePayment, readPayments } from '../payments/named-payments.js';
import { type OnAsked, recheckAll, type RecheckResult } from '../payments/recheck.js';
import type { Action } from './action.js';
import { recheckUntilChanged } from './recheck-until.js';
import type { Situation } from './situation.js';
import type { Wakeups } from '../webhooks/inbox/wakeups.js';
import { watchAll, type Watched, type WatchEvent } from './watch.js';

interface ActOptions {
  reason: string | undefined;
  ticket: string | undefined;
  wakeups: Wakeups;
  /** How long a move may take to get to its end before the person is asked what to do next. */
  waitMs: number;
  /** Fires when the person stops following the payment. */
  stopped: AbortSignal;
  /** Throws when nothing is to be sent. */
  confirm: (plan: MovesPlan) => Promise<void>;
  onEvent: (event: WatchEvent) => Promise<void>;
}

export type Acted =
  | { kind: 'moved'; result: MoveResult }
  | { kind: 'checked'; result: CheckResult }
  | { kind: 'rechecked'; result: RecheckResult }
  | { kind: 'watched'; result: Watched };

export async function act(
  desk: Desk,
  { paymentId }: Situation,
  action: Action,
  options: ActOptions,
): Promise<Acted | undefined> {
  const { operation, how } = action;
  const name = parsePayment(`id:${paymentId}`);
  switch (operation) {
    case 'recheck': {
      const result = await recheck(desk, name, how.keepsChecking === true, options);
      return result && { kind: 'rechecked', result };
    }
    case 'watch': {
      const result = await watch(desk, name, how.until, options);
      return result && { kind: 'watched', result };
    }
    case 'check': {
      const [result] = await checkPayments(desk, [name], { wait: false });
      return result && { kind: 'checked', result };
    }
    default: {
      const [result] = await moveAll(
        { ...desk, waitMs: options.waitMs },
        {
          operation,
          names: [name],
          force: false,
          wait: true,
          dryRun: false,
          again: how.again === true,
          resend: how.resend === true,
          reason: options.reason,
          ticket: options.ticket,
        },
        { confirm: options.confirm },
      );
      return result && { kind: 'moved', result };
    }
  }
}

async function recheck(
  desk: Desk,
  name: NamedPayment,
  keepsChecking: boolean,
  { reason, ticket, wakeups, stopped }: ActOptions,
): Promise<RecheckResult | undefined> {
  const { client } = desk;
  const reads = await readPayments(client, [name]);
  const [first] = reads;
  if (first && 'error' in first) throw first.error;
  const onAsked: OnAsked = (before, now) => recordRecheck(desk, before, now, { reason, ticket });
  const results = await recheckAll(client, reads, onAsked);
  if (!keepsChecking) return results[0];
  const signal = AbortSignal.any([desk.signal, stopped]);
  return (await recheckUntilChanged(reads, results, { client, signal, wakeups, onAsked }))[0];
}

const FIRST_PAUSE_MS = 500;

async function watch(
  desk: Desk,
  name: NamedPayment,
  until: StateName | undefined,
  { wakeups, stopped, onEvent }: ActOptions,
): Promise<Watched | undefined> {
  const [result] = await watchAll([name], {
    client: desk.client,
    clock: systemClock,
    signal: AbortSignal.any([desk.signal, stopped]),
    until: until ?? 'settled',
    intervalMs: FIRST_PAUSE_MS,
    wakeups,
    onEvent,
    onTrouble: (_, error) => desk.note(error.message),
  });
  return result;
}

/** Whether it is only not over yet, or the person stopped following it: no failure to somebody who looks on. */
export const isPending = (error: unknown): boolean =>
  error instanceof PendingError || (error instanceof InterruptedError && error.code === 'stopped-waiting');
