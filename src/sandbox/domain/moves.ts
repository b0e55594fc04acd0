// What the merchant may ask for: capture, cancel, refund, unhold, recheck.

import { isLegal, payableStates, type Operation, type StateName } from '../../contract/states.js';
import type { JobKind, PaymentRow } from '../schema.js';
import { FOUND_BY_RECHECK } from './causes.js';
import {
  answerAuthorisation,
  answerInstruction,
  authorise,
  authorised,
  decline,
  expireAuthorisation,
  finishInstruction,
  scheduleAnswer,
  startCapture,
  toDeclined,
} from './instructions.js';
import { endedMethod } from './methods.js';
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
  return startCapture(work, payment, 'capture requested', 'scheduled');
}

export async function cancel(work: Work, payment: PaymentRow): Promise<PaymentRow> {
  requireLegal(
    'cancel',
    payment,
    payment.state === 'Captured' ? 'it is captured; refund it instead' : undefined,
  );
  await recordOperation(work, payment, 'cancel');
  const tellsProvider = await mayHoldMoney(work, payment);
  const moving = await changeState(work, payment, 'Cancelling', 'cancel requested');
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
    isLegal('cancel', payment.state) ? 'nothing was captured; cancel it instead' : undefined,
  );
  await recordOperation(work, payment, 'refund', description);
  const moving = await changeState(work, payment, 'Refunding', 'refund requested');
  await instruct(work, moving, 'refund');
  await scheduleAnswer(work, moving, (await profileOf(work, payment))?.delay_ms ?? 0);
  return moving;
}

export async function unhold(work: Work, payment: PaymentRow): Promise<PaymentRow> {
  requireLegal('unhold', payment);
  await recordOperation(work, payment, 'unhold', undefined, 'done');
  // The customer may have ended the method while the charge was held. The provider is not told.
  const ended = await endedMethod(work, payment);
  if (ended !== undefined) return toDeclined(work, payment, ended, { failure: ended });
  return authorise(work, payment, { cause: 'approved', capture: 'scheduled' });
}

/** Asks the provider for what it knows and the service does not. */
export async function recheck(
  work: Work,
  payment: PaymentRow,
): Promise<{ payment: PaymentRow; changed: boolean }> {
  await recordOperation(work, payment, 'recheck', undefined, 'done');
  if (payment.provider_knows === null) return { payment, changed: false };
  return {
    payment: await learn(work, payment, payment.provider_knows === 'done', FOUND_BY_RECHECK),
    changed: true,
  };
}

/** The instruction that the provider has yet to answer in each state. */
const pendingInstructions: Partial<Record<StateName, ProviderInstruction>> = {
  Processing: 'authorize',
  Capturing: 'capture',
  Refunding: 'refund',
  Cancelling: 'void',
};

/** The result of a pending instruction becomes known. */
async function learn(work: Work, payment: PaymentRow, done: boolean, cause: string): Promise<PaymentRow> {
  const instruction = pendingInstructions[payment.state];
  if (instruction === undefined) return payment;
  if (instruction !== 'authorize') return finishInstruction(work, payment, instruction, done, cause);
  const exchange = await lastExchange(work, payment, instruction);
  return done
    ? authorised(work, payment, { cause, capture: 'inline', at: exchange?.answered_time ?? exchange?.time })
    : changeState(work, payment, 'Failed', cause, { failure: 'the provider did not charge it' });
}

/** The provider is made to answer a pending instruction; its own books say the same from then on. */
export async function answerByHand(work: Work, payment: PaymentRow, done: boolean): Promise<PaymentRow> {
  const instruction = pendingInstructions[payment.state];
  if (instruction === undefined) {
    throw new Refusal(
      'operation-not-allowed',
      `Payment ${payment.payment_id} is ${payment.state}; nothing waits there.`,
    );
  }
  const cause = `provider ${done ? 'confirmed' : 'declined'}`;
  const exchange = await lastExchange(work, payment, instruction);
  // What the provider did before its answer was lost, it did at that time.
  const isNew = exchange?.answer === 'pending' || exchange?.done !== Number(done);
  if (exchange && isNew) await noteAnswer(work, exchange.id, done, cause);
  if (instruction === 'authorize' && !done) {
    return decline(work, payment, 'declined by the provider', cause);
  }
  return learn(work, payment, done, cause);
}

/** Work that fell due. A payment that has moved on since makes it void. */
export async function runJob(work: Work, payment: PaymentRow, kind: JobKind): Promise<void> {
  if (kind === 'expire-link') {
    if (payableStates.includes(payment.state)) {
      await changeState(work, payment, 'Expired', 'the checkout link expired');
    }
    return;
  }
  if (kind === 'expire-authorisation') {
    if (payment.state === 'Authorised') await expireAuthorisation(work, payment);
    return;
  }
  const instruction = pendingInstructions[payment.state];
  if (instruction === undefined) return;
  if (instruction === 'authorize') await answerAuthorisation(work, payment);
  else await answerInstruction(work, payment, instruction);
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
