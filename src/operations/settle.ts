// Reads that tell where an instruction stands that was sent. Nothing here sends one.

import type { PaymentRead } from '../client/payment-calls.js';
import { PaydeskError } from '../errors.js';
import { readerOf, type Desk } from './desk.js';
import { failed, pendingOf } from './move-errors.js';
import { type MoveResult, resultOf, type Sent } from './move-result.js';
import { idOf, stateOf } from './named-payments.js';
import { isDuring, type Standing, standingOf } from './standing.js';
import { readUntil } from './wait.js';

/** One read after sending, whatever has happened to the command since. It never throws: the move was made. */
export async function readSettling(
  desk: Desk,
  sent: Sent,
): Promise<{ read?: PaymentRead; failure?: PaydeskError }> {
  const key = { paymentId: idOf(sent.before) };
  try {
    const read = await readerOf(desk).getPayment(key);
    sent.proof.duringSeen ||= isDuring(sent.move.operation, read);
    return { read };
  } catch (error) {
    if (!(error instanceof PaydeskError)) throw error;
    // Ctrl-C in the middle of the read: it is made again by the client that heeds nothing.
    if (desk.signal.aborted && readerOf(desk) !== desk.settling) return readSettling(desk, sent);
    return { failure: error };
  }
}

/** How long the first reads after a lost answer go on when nobody asked to wait. */
const SETTLE_MS = 1_500;

/** Reads until the instruction is settled, or time is up; `shown` are the states seen, as the service names them. */
export async function readsToSettle(
  desk: Desk,
  sent: Sent,
  first?: PaymentRead,
): Promise<{ standing: Standing; last: PaymentRead | undefined; shown: string[] }> {
  const { operation, wait } = sent.move;
  const shown: string[] = first === undefined ? [] : [stateOf(first) ?? '?'];
  let last = first;
  const isSettled = () => last !== undefined && standingOf(operation, sent.proof, last) !== 'open';
  const look = async () => {
    const { read } = await readSettling(desk, sent);
    if (read === undefined) return;
    last = read;
    shown.push(stateOf(read) ?? '?');
  };
  const limitMs = wait ? desk.waitMs : SETTLE_MS;
  await readUntil(look, isSettled, { ...desk, limitMs, firstMs: 500 });
  return { standing: last ? standingOf(operation, sent.proof, last) : 'open', last, shown };
}

/** Follows a move that was taken until it is at its end, cannot get there any more, or the time is up. */
export async function followMove(desk: Desk, sent: Sent, taken: MoveResult): Promise<MoveResult> {
  const { operation } = sent.move;
  let last: PaymentRead | undefined;
  let state = taken.after;
  const look = async () => {
    const { read } = await readSettling(desk, sent);
    if (read === undefined) return;
    last = read;
    if (stateOf(read) !== state) desk.note(`  ${state ?? '?'} → ${stateOf(read) ?? '?'}`);
    state = stateOf(read);
  };
  const standing = () => (last === undefined ? 'open' : standingOf(operation, sent.proof, last));
  const isOver = () => ['done', 'bounced', 'excluded'].includes(standing());
  const { reached } = await readUntil(look, isOver, { ...desk, limitMs: desk.waitMs });
  if (!reached || last === undefined) {
    return { ...resultOf(sent, last, 'accepted', pendingOf(desk, sent, last)), tookMs: sent.tookMs };
  }
  if (standing() === 'done') return resultOf(sent, last, 'done');
  return resultOf(sent, last, 'failed', failed(sent, last));
}
