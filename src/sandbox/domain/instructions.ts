// What the provider is told, and what happens to the payment when it answers, answers later, or its answer is lost.

import type { PaymentRow } from '../schema.js';
import { isExpired, testCard } from './cards.js';
import { AUTOMATIC_CAPTURE } from './causes.js';
import { expiryOf } from './payer.js';
import { storeMethod } from './methods.js';
import {
  providerAnswer,
  instruct,
  lastExchange,
  noteAnswer,
  payInfoOf,
  pendingExchange,
  profileOf,
  providerFee,
  providerReference,
} from './providers.js';
import { addJob, changeDetails, changeState, type PaymentChanges } from './transitions.js';
import type { Work } from './work.js';

/** Capture within the same step (the customer or a charge waits for the result), or as work of its own. */
type CaptureTiming = 'inline' | 'scheduled';

export async function authorise(
  work: Work,
  payment: PaymentRow,
  { cause, capture }: { cause: string; capture: CaptureTiming },
): Promise<PaymentRow> {
  const decided = await providerAnswer(work, payment, 'authorize');
  if (decided.done && (await hasExpiredCard(work, payment)))
    Object.assign(decided, { done: false, reason: 'expired card' });
  const exchange = await instruct(work, payment, 'authorize');
  if (decided.answer === 'later') {
    const waiting = await changeState(work, payment, 'Processing', 'provider has not answered yet');
    await scheduleAnswer(work, waiting, decided.delayMs);
    return waiting;
  }
  await noteAnswer(work, exchange, decided.done, decided.reason);
  if (decided.answer === 'lost') {
    return changeState(work, payment, 'Processing', 'the answer of the provider was lost', {
      provider_knows: decided.done ? 'done' : 'failed',
      failure: null,
    });
  }
  if (!decided.done) return decline(work, payment, decided.reason, cause);
  return authorised(work, payment, { cause, capture });
}

/** The provider's answer to an authorisation that it kept waiting. */
export async function answerAuthorisation(work: Work, payment: PaymentRow): Promise<PaymentRow> {
  const { done, reason } = await lateVerdict(work, payment);
  const exchange = await pendingExchange(work, payment, 'authorize');
  if (exchange !== undefined) await noteAnswer(work, exchange, done, reason);
  return done
    ? authorised(work, payment, { cause: 'confirmed by the provider', capture: 'inline' })
    : decline(work, payment, reason, 'declined by the provider');
}

async function lateVerdict(work: Work, payment: PaymentRow): Promise<{ done: boolean; reason: string }> {
  const card = testCard(payment.card ?? 'approved');
  const expired = card.verdict === 'approve' && (await hasExpiredCard(work, payment));
  return {
    done: card.verdict === 'approve' && !expired,
    reason: expired ? 'expired card' : (card.reason ?? 'approved'),
  };
}

/** The window counts from `at`, when the provider authorised it: a lost answer becomes known long after that. */
export async function authorised(
  work: Work,
  payment: PaymentRow,
  { cause, capture, at = work.now }: { cause: string; capture: CaptureTiming; at?: number | undefined },
): Promise<PaymentRow> {
  const profile = await profileOf(work, payment);
  const until = at + (profile?.window_ms ?? 0);
  const info = await payInfoOf(work, payment);
  info.authorizeId = providerReference(work, payment, 'authorise');
  const registers = payment.save_method === 1 && payment.method_id === null;
  const moved = await changeState(work, payment, 'Authorised', cause, {
    fraud_status: 'Verified',
    authorised_until: until,
    pay_info: JSON.stringify(info),
    failure: null,
    ...(registers && { auto_payment: 'Registered', method_id: await storeMethod(work, payment) }),
  });
  if (until <= work.now) return expireAuthorisation(work, moved);
  if (moved.auto_capture !== 1) {
    await addJob(work, moved, 'expire-authorisation', until);
    return moved;
  }
  return startCapture(work, moved, AUTOMATIC_CAPTURE, capture);
}

export function expireAuthorisation(work: Work, payment: PaymentRow): Promise<PaymentRow> {
  return changeState(work, payment, 'Expired', 'the authorisation window elapsed');
}

/** Authorised to Capturing, and on to Captured when the provider answers at once and someone waits for it. */
export async function startCapture(
  work: Work,
  payment: PaymentRow,
  cause: string,
  timing: CaptureTiming,
): Promise<PaymentRow> {
  const moving = await changeState(work, payment, 'Capturing', cause);
  await instruct(work, moving, 'capture');
  const delayMs = (await profileOf(work, payment))?.delay_ms ?? 0;
  if (timing === 'inline' && delayMs === 0) return answerInstruction(work, moving, 'capture');
  await scheduleAnswer(work, moving, delayMs);
  return moving;
}

const ends = {
  capture: { end: 'Captured', cause: 'capture confirmed by the provider' },
  refund: { end: 'Refunded', cause: 'refund confirmed by the provider' },
  void: { end: 'Cancelled', cause: 'cancelled' },
} as const;

/** The provider's answer to a capture, a refund or a void reaches the service, or is lost. */
export async function answerInstruction(
  work: Work,
  payment: PaymentRow,
  instruction: keyof typeof ends,
): Promise<PaymentRow> {
  const exchange = await pendingExchange(work, payment, instruction);
  // The provider knows nothing of a payment that is cancelled before anyone paid.
  if (exchange === undefined) return finishInstruction(work, payment, instruction, true, 'done');
  const decided = await providerAnswer(work, payment, instruction);
  await noteAnswer(work, exchange, decided.done, decided.reason);
  if (decided.answer === 'lost') {
    return changeDetails(work, payment, { provider_knows: decided.done ? 'done' : 'failed' });
  }
  return finishInstruction(work, payment, instruction, decided.done, decided.reason);
}

export async function finishInstruction(
  work: Work,
  payment: PaymentRow,
  instruction: keyof typeof ends,
  done: boolean,
  reason: string,
): Promise<PaymentRow> {
  const kind = instruction === 'void' ? 'cancel' : instruction;
  const operation = await work.tx
    .selectFrom('operations')
    .selectAll()
    .where('payment_id', '=', payment.payment_id)
    .where('kind', '=', kind)
    .where('status', '=', 'accepted')
    .orderBy('id', 'desc')
    .executeTakeFirst();
  if (operation) {
    await work.tx
      .updateTable('operations')
      .set({ status: done ? 'done' : 'failed', error: done ? null : reason, finished_time: work.now })
      .where('id', '=', operation.id)
      .execute();
  }
  if (!done) return goBack(work, payment, operation?.from_state ?? 'Authorised', `${kind} failed: ${reason}`);
  const { end, cause } = ends[instruction];
  if (instruction !== 'capture') return changeState(work, payment, end, cause);
  return changeState(work, payment, end, cause, {
    captured_amount: payment.amount,
    pay_info: JSON.stringify({
      ...(JSON.parse(payment.pay_info ?? '{}') as object),
      captureId: providerReference(work, payment, 'capture'),
      providerFee: providerFee(payment),
    }),
  });
}

/** A failed operation leaves the payment where it was; the failure is on the operation. */
async function goBack(
  work: Work,
  payment: PaymentRow,
  to: PaymentRow['state'],
  cause: string,
): Promise<PaymentRow> {
  const back = await changeState(work, payment, to, cause, {
    // What was asked of the provider before is still open there; recheck brings it in.
    ...(to === 'Processing' && { provider_knows: await settleAuthorisation(work, payment) }),
  });
  if (to === 'Created' || to === 'ActionRequired') await expireLateLink(work, back);
  if (to === 'Authorised' && back.authorised_until !== null) {
    await addJob(work, back, 'expire-authorisation', back.authorised_until);
  }
  return back;
}

/** A link that ran out while the provider or a fraud rule had the payment expires only now. */
async function expireLateLink(work: Work, payment: PaymentRow): Promise<void> {
  const { expiration_time } = payment;
  if (expiration_time !== null && expiration_time <= work.now)
    await addJob(work, payment, 'expire-link', expiration_time);
}

/** What the provider has decided, or decides now, about an authorisation whose answer nobody waits for any more. */
async function settleAuthorisation(work: Work, payment: PaymentRow): Promise<'done' | 'failed'> {
  const exchange = await lastExchange(work, payment, 'authorize');
  if (exchange?.answer !== 'pending') return exchange?.done === 1 ? 'done' : 'failed';
  const { done, reason } = await lateVerdict(work, payment);
  await noteAnswer(work, exchange.id, done, reason);
  return done ? 'done' : 'failed';
}

export async function scheduleAnswer(work: Work, payment: PaymentRow, delayMs: number): Promise<void> {
  await addJob(work, payment, 'provider-answers', work.now + delayMs);
}

export async function decline(
  work: Work,
  payment: PaymentRow,
  reason: string,
  cause: string,
): Promise<PaymentRow> {
  return toDeclined(work, payment, cause, {
    failure: reason,
    pay_info: JSON.stringify(await payInfoOf(work, payment)),
  });
}

/** A second attempt that is declined too leaves the payment where it is, with the newer reason. */
export async function toDeclined(
  work: Work,
  payment: PaymentRow,
  cause: string,
  changes: PaymentChanges,
): Promise<PaymentRow> {
  if (payment.state === 'Declined') return changeDetails(work, payment, changes);
  const declined = await changeState(work, payment, 'Declined', cause, changes);
  await expireLateLink(work, declined);
  return declined;
}

/** A stored card expires by the clock; a card that the customer types says itself what it does. */
async function hasExpiredCard(work: Work, payment: PaymentRow): Promise<boolean> {
  if (payment.method_id === null) {
    const card = testCard(payment.card ?? 'approved');
    return card.verdict === 'approve' && isExpired(expiryOf(payment, work.now), work.now);
  }
  const method = await work.tx
    .selectFrom('methods')
    .select(['expiry_month', 'expiry_year'])
    .where('payment_method_id', '=', payment.method_id)
    .executeTakeFirst();
  if (!method || method.expiry_month === null || method.expiry_year === null) return false;
  return isExpired({ month: method.expiry_month, year: method.expiry_year }, work.now);
}
