// What the merchant may ask for: capture, cancel, refund, unhold, recheck.

import { isLegal, type Operation } from '../../contract/states.js';
import type { JobKind, PaymentRow } from '../schema.js';
import {
  answerAuthorisation,
  answerInstruction,
  authorise,
  authorised,
  finishInstruction,
  scheduleAnswer,
  startCapture,
} from './instructions.js';
import type { ProviderInstruction } from './provider-instructions.js';
import { instruct, lastExchange, mayHoldMoney, noteAnswer, profileOf } from './providers.js';
import { Refusal } from './refusal.js';
import { changeState } from './transitions.js';
import type { Work } from './work.js';

export async function capture(work: Work, payment: PaymentRow): Promise<PaymentRow> {
  requireLegal('capture', payment);
  if (payment.authorised_until !== null && payment.authorised_until <= work.now) {
    throw new Refusal(
      'operation-not-allowed',
      `The authorisation of payment ${payment.payment_id} has expired.`,
    );
  }
  await recordOperation(work, payment, 'capture');
  return startCapture(work, payment, 'capture asked for', 'scheduled');
}

export async function cancel(work: Work, payment: PaymentRow): Promise<PaymentRow> {
  requireLegal(
    'cancel',
    payment,
    payment.state === 'Captured' ? 'it is captured; refund it instead' : undefined,
  );
  await recordOperation(work, payment, 'cancel');
  const tellsProvider = await mayHoldMoney(work, payment);
  const moving = await changeState(work, payment, 'Cancelling', 'cancel asked for');
  if (tellsProvider) await instruct(work, moving, 'void');
  await scheduleAnswer(work, moving, tellsProvider ? ((await profileOf(work, payment))?.delay_ms ?? 0) : 0);
  return moving;
}

export async function refund(
  work: Work,
  payment: PaymentRow,
  description: string | undefined,
): Promise<PaymentRow> {
  requireLegal(
    'refund',
    payment,
    payment.captured_amount === '0' ? 'nothing was captured; cancel it instead' : undefined,
  );
  await recordOperation(work, payment, 'refund', description);
  const moving = await changeState(work, payment, 'Refunding', 'refund asked for');
  await instruct(work, moving, 'refund');
  await scheduleAnswer(work, moving, (await profileOf(work, payment))?.delay_ms ?? 0);
  return moving;
}

export async function unhold(work: Work, payment: PaymentRow): Promise<PaymentRow> {
  requireLegal('unhold', payment);
  await recordOperation(work, payment, 'unhold', undefined, 'done');
  return authorise(work, payment, { cause: 'released from hold', capture: 'scheduled' });
}

/** Asks the provider for what it knows and the service does not. */
export async function recheck(
  work: Work,
  payment: PaymentRow,
): Promise<{ payment: PaymentRow; changed: boolean }> {
  await recordOperation(work, payment, 'recheck', undefined, 'done');
  if (payment.provider_knows === null) return { payment, changed: false };
  return {
    payment: await learn(work, payment, payment.provider_knows === 'done', 'learned by recheck'),
    changed: true,
  };
}

/** The result of an open instruction becomes known. */
async function learn(work: Work, payment: PaymentRow, done: boolean, cause: string): Promise<PaymentRow> {
  switch (payment.state) {
    case 'Processing':
      return done
        ? authorised(work, payment, { cause, capture: 'inline' })
        : changeState(work, payment, 'Failed', cause, { failure: 'the provider did not charge it' });
    case 'Capturing':
      return finishInstruction(work, payment, 'capture', done, cause);
    case 'Refunding':
      return finishInstruction(work, payment, 'refund', done, cause);
    case 'Cancelling':
      return finishInstruction(work, payment, 'void', done, cause);
    default:
      return payment;
  }
}

const openInstructions: Partial<Record<PaymentRow['state'], ProviderInstruction>> = {
  Processing: 'authorize',
  Capturing: 'capture',
  Refunding: 'refund',
  Cancelling: 'void',
};

/** The provider is made to answer an open instruction; its own books say the same from then on. */
export async function answerByHand(work: Work, payment: PaymentRow, done: boolean): Promise<PaymentRow> {
  const kind = openInstructions[payment.state];
  if (!kind) {
    throw new Refusal(
      'operation-not-allowed',
      `Payment ${payment.payment_id} is ${payment.state}; nothing waits there.`,
    );
  }
  const cause = `provider ${done ? 'confirmed' : 'declined'}`;
  const exchange = await lastExchange(work, payment, kind);
  if (exchange) await noteAnswer(work, exchange.id, done, cause);
  return learn(work, payment, done, cause);
}

/** Work that fell due. A payment that has moved on since makes it void. */
export async function runJob(work: Work, payment: PaymentRow, kind: JobKind): Promise<void> {
  if (kind === 'expire-link') {
    if (['Created', 'ActionRequired', 'Declined'].includes(payment.state)) {
      await changeState(work, payment, 'Expired', 'the checkout link expired');
    }
    return;
  }
  if (kind === 'expire-authorisation') {
    if (payment.state === 'Authorised')
      await changeState(work, payment, 'Expired', 'the authorisation window elapsed');
    return;
  }
  if (payment.state === 'Processing') await answerAuthorisation(work, payment);
  else if (payment.state === 'Capturing') await answerInstruction(work, payment, 'capture');
  else if (payment.state === 'Refunding') await answerInstruction(work, payment, 'refund');
  else if (payment.state === 'Cancelling') await answerInstruction(work, payment, 'void');
}

function requireLegal(operation: Operation, payment: PaymentRow, why = `it is ${payment.state}`): void {
  if (!isLegal(operation, payment.state)) {
    throw new Refusal(
      'operation-not-allowed',
      `${operation} is not possible for payment ${payment.payment_id}: ${why}.`,
    );
  }
}

async function recordOperation(
  work: Work,
  payment: PaymentRow,
  kind: Operation,
  description?: string,
  status: 'accepted' | 'done' = 'accepted',
): Promise<void> {
  await work.tx
    .insertInto('operations')
    .values({
      payment_id: payment.payment_id,
      kind,
      time: work.now,
      from_state: payment.state,
      version: payment.version,
      description: description ?? null,
      via: work.via,
      status,
      error: null,
      finished_time: status === 'done' ? work.now : null,
    })
    .execute();
  work.touches(payment.payment_id);
}
