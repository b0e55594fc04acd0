import { paydesk } from '../next-command.js';
import type { Client } from '../client/client.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { canReach, type StateName, stateNames } from '../contract/states.js';
import {
  NotReachedError,
  PaydeskError,
  ServiceError,
  TemporaryError,
  UnknownOutcomeError,
} from '../errors.js';
import { aliasHint } from './alias-hint.js';
import { readerOf, type Desk } from './desk.js';
import { idOf, labelOf, stateOf, stateText } from './named-payments.js';
import { unknownStateName } from './unknown-state-name.js';
import { readUntil, waitEnded, type WaitOptions } from './wait.js';

/** Our name of a state that was typed as ours or as the service's. */
export function targetState(client: Client, typed: string): StateName {
  const plain = typed.toLowerCase();
  const state = client.canonicalState(typed) ?? stateNames.find((name) => name.toLowerCase() === plain);
  if (state === undefined) throw unknownStateName(typed, stateNames);
  return state;
}

export interface FollowedPayment {
  /** The last read that succeeded. */
  read: PaymentRead;
  /** Why the payment could not be read any more after that. */
  failure?: PaydeskError | undefined;
}

/** How a payment that can no longer be read stood before. */
export const lastSeenText = (read: PaymentRead, failure: PaydeskError): string =>
  `was ${stateText(read)} when it was last seen, and cannot be read now: ${failure.message}`;

/** Reads a payment until `isOver` or the time is up, and reports every change of its state. */
export async function followReads(
  desk: Desk,
  start: PaymentRead,
  isOver: (read: PaymentRead) => boolean,
  options: Pick<WaitOptions, 'sleep' | 'isTemporary'> = {},
): Promise<FollowedPayment> {
  if (isOver(start)) return { read: start };
  let last = start;
  let failure: PaydeskError | undefined;
  const look = async () => {
    const read = await readerOf(desk).getPayment({ paymentId: idOf(start) });
    failure = undefined;
    if (stateOf(read) !== stateOf(last)) desk.note(`  ${stateOf(last)} → ${stateOf(read)}`);
    last = read;
    return read;
  };
  const onPause = (leftMs: number) => {
    const next = last.state === 'Declined' ? 'The customer may retry.' : 'Waiting.';
    desk.status?.(`${stateText(last)}. ${next}`, leftMs);
  };
  const { isTemporary = isBehind, sleep } = options;
  await readUntil(look, isOver, {
    ...desk,
    limitMs: desk.waitMs,
    onPause,
    ...(sleep && { sleep }),
    isTemporary(error) {
      if (error instanceof PaydeskError) failure = error;
      return isTemporary(error);
    },
  });
  return { read: last, failure };
}

/** The payment is there: where a read does not find it, that read is behind. */
const isBehind = (error: unknown): boolean =>
  error instanceof TemporaryError || (error instanceof ServiceError && error.httpStatus === 404);

interface FollowOptions extends Pick<WaitOptions, 'sleep'> {
  /** The error that ends it early, as soon as there is one. */
  failure?: () => PaydeskError | undefined;
}

/** Reads a payment until it reaches a state, or can no longer reach it. */
export async function followPayment(
  desk: Desk,
  start: PaymentRead,
  until: StateName,
  { failure = () => undefined, ...options }: FollowOptions = {},
): Promise<{ read: PaymentRead; error?: PaydeskError }> {
  const isOver = (read: PaymentRead) =>
    read.state === until || isHopeless(read, until) || failure() !== undefined;
  const followed = await followReads(desk, start, isOver, options);
  const { read } = followed;
  return read.state === until ? { read } : { read, error: failure() ?? notThere(desk, followed, until) };
}

const isHopeless = ({ state }: PaymentRead, until: StateName): boolean =>
  state !== undefined && !canReach(state, until);

function notThere(desk: Desk, { read, failure }: FollowedPayment, until: StateName): PaydeskError {
  const label = `Payment ${labelOf(read)}`;
  const stands = `${label} is ${stateText(read)}`;
  const options = { next: [paydesk('payments', 'explain', idOf(read))] };
  if (isHopeless(read, until)) {
    return new NotReachedError(`${stands} and can no longer become ${until}.`, {
      ...options,
      code: 'not-reached',
    });
  }
  if (read.state === undefined) {
    const hint = aliasHint(read);
    return new UnknownOutcomeError(`${stands}, a state that paydesk does not know.`, {
      code: 'unknown-state',
      details: hint.details,
      next: [...options.next, ...hint.next],
    });
  }
  const text = failure ? `${label} ${lastSeenText(read, failure)}` : `${stands}, not ${until}.`;
  return waitEnded(desk.signal.reason, text, [paydesk('payments', 'watch', idOf(read), '--until', until)]);
}
