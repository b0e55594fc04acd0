// Reads that tell where an instruction stands that was sent. Nothing here sends one.

import type { PaymentRead } from '../../client/payment-calls.js';
import { PaydeskError } from '../../errors.js';
import { readerOf, type Desk } from '../desk.js';
import { failed, pendingOf } from './errors.js';
import { type MoveResult, resultOf, type Sent } from './result.js';
import { idOf, stateOf } from '../named-payments.js';
import { isDuring, type Standing, standingOf } from './standing.js';
import { readUntil } from '../wait.js';

/** One read after sending, whatever has happened to the command since. It never throws: the move was made. */
export async function readSettling(
  desk: Desk,
  sent: Sent,
): Promise<{ read?: PaymentRead; failure?: PaydeskError }> {
  const key = { paymentId: idOf(sent.before) };
  try {
    return { read: await readerOf(desk).getPayment(key) };
  } catch (error) {
    if (!(error instanceof PaydeskError)) throw error;
    // Ctrl-C in the middle of the read: it is made again by the client that heeds nothing.
    if (desk.signal.aborted && readerOf(desk) !== desk.settling) return readSettling(desk, sent);
    return { failure: error };
  }
}

/**
 * What a read makes of an instruction. A replica that lags behind shows a state from before it, so whatever speaks
 * against it is believed only when the provider, asked anew, leaves the payment there. So is a state on the way, which
 * may be that of an earlier attempt, unless the service is known to have `taken` this one.
 */
export async function judgeRead(
  desk: Desk,
  sent: Sent,
  read: PaymentRead,
  { taken }: { taken: boolean },
): Promise<{ standing: Standing; read: PaymentRead }> {
  const { operation } = sent.move;
  if (taken) sent.proof.duringSeen ||= isDuring(operation, read);
  const standing = standingOf(operation, sent.proof, read);
  if (standing === 'open' || standing === 'done' || (taken && standing === 'on-its-way')) {
    return { standing, read };
  }
  const confirmed = await askAnew(desk, sent);
  if (confirmed === undefined) return { standing: 'open', read };
  sent.proof.duringSeen ||= isDuring(operation, confirmed);
  return { standing: standingOf(operation, sent.proof, confirmed), read: confirmed };
}

const ALIKE_READS = 3;
const BETWEEN_MS = 500;

/** The payment as a recheck answers; where that shows none, as several reads in a row show it. */
async function askAnew(desk: Desk, sent: Sent): Promise<PaymentRead | undefined> {
  try {
    const { value, answer } = await readerOf(desk).recheck(idOf(sent.before));
    if (value) return value;
    // It showed the payment, and cannot be read: reads in its place may be as far behind as the first.
    if (!answer.readable) return undefined;
  } catch (error) {
    if (!(error instanceof PaydeskError)) throw error;
    return undefined;
  }
  let last: PaymentRead | undefined;
  for (let count = 0; count < ALIKE_READS; count += 1) {
    if (count > 0) await desk.clock.sleep(BETWEEN_MS, desk.signal);
    const { read } = await readSettling(desk, sent);
    if (read === undefined || (last && stateOf(last) !== stateOf(read))) return undefined;
    last = read;
  }
  return last;
}

/** How long the first reads after a lost answer go on when nobody asked to wait. */
const SETTLE_MS = 1_500;

/** Reads until the instruction is settled, or time is up; `shown` are the states seen, as the service names them. */
export async function readsToSettle(
  desk: Desk,
  sent: Sent,
  first?: PaymentRead,
): Promise<{ standing: Standing; last: PaymentRead | undefined; shown: string[] }> {
  const shown: string[] = first === undefined ? [] : [stateOf(first) ?? '?'];
  let last = first;
  let standing = 'open' as Standing;
  const look = async () => {
    const { read } = await readSettling(desk, sent);
    if (read === undefined) return;
    ({ standing, read: last } = await judgeRead(desk, sent, read, { taken: false }));
    shown.push(stateOf(last) ?? '?');
  };
  const limitMs = sent.move.wait ? desk.waitMs : SETTLE_MS;
  await readUntil(look, () => standing !== 'open', { ...desk, limitMs, firstMs: 500 });
  return { standing, last, shown };
}

/** Follows a move that was taken until it is at its end, cannot get there any more, or the time is up. */
export async function followMove(desk: Desk, sent: Sent, taken: MoveResult): Promise<MoveResult> {
  let last: PaymentRead | undefined;
  let standing = 'open' as Standing;
  let state = taken.after;
  const look = async () => {
    const { read } = await readSettling(desk, sent);
    if (read === undefined) return;
    ({ standing, read: last } = await judgeRead(desk, sent, read, { taken: true }));
    if (stateOf(last) !== state) desk.note(`  ${state ?? '?'} → ${stateOf(last) ?? '?'}`);
    state = stateOf(last);
  };
  const isOver = () => ['done', 'bounced', 'excluded'].includes(standing);
  const { reached } = await readUntil(look, isOver, { ...desk, limitMs: desk.waitMs });
  if (!reached || last === undefined) {
    return { ...resultOf(sent, last, 'accepted', pendingOf(desk, sent, last)), tookMs: sent.tookMs };
  }
  if (standing === 'done') return resultOf(sent, last, 'done');
  return resultOf(sent, last, 'failed', failed(sent, last));
}
