import { isJsonObject, numberText, type JsonNumber } from '../contract/json.js';
import type { Payment } from '../contract/payment.js';
import type { Operation, StateName } from '../contract/states.js';
import { decodePayment, isOtherPayment, readAnswer, type Answer, type Decoded } from './answers.js';
import type { Exchange } from './exchange.js';
import { problemOf, type ServiceProblem } from './problems.js';

export type SettleOperation = Exclude<Operation, 'recheck'>;

/** What the answer to capture, cancel, refund or unhold means. */
export type SettleAnswer =
  /** Taken. `payment` is there when the answer showed it. */
  | { kind: 'accepted'; answer: Answer; payment?: Decoded<Payment> }
  /**
   * `proven`: it never left. Otherwise the service said that it did not take it (425, 429), which counts only
   * when a read shows that nothing moved.
   */
  | { kind: 'unsent'; proven: boolean; why: string; problem?: ServiceProblem }
  /** To be believed after one read: a proxy may have echoed our own success. */
  | { kind: 'refused'; problem: ServiceProblem; answer: Answer }
  /** It may have been carried out: settle it by reading, never send it again. */
  | { kind: 'unknown'; why: string; problem?: ServiceProblem };

export function classifySettleAnswer(
  exchange: Exchange,
  asked: { paymentId: string; appId: string },
): SettleAnswer {
  if (exchange.kind === 'unsent') return { kind: 'unsent', proven: true, why: exchange.failure.message };
  if (exchange.kind === 'lost') return { kind: 'unknown', why: exchange.failure.message };
  const answer = readAnswer(exchange);
  const { httpStatus } = answer;
  if (httpStatus >= 200 && httpStatus < 300) return classifySuccess(answer, asked);
  const problem = problemOf(answer);
  const why = `the service answered ${httpStatus}: ${problem.message}`;
  if (httpStatus === 425 || httpStatus === 429) return { kind: 'unsent', proven: false, why, problem };
  const refused = httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408 && httpStatus !== 409;
  return refused ? { kind: 'refused', problem, answer } : { kind: 'unknown', why, problem };
}

function classifySuccess(answer: Answer, asked: { paymentId: string; appId: string }): SettleAnswer {
  const { raw, httpStatus } = answer;
  if (!answer.readable)
    return { kind: 'unknown', why: `the service answered ${httpStatus} with an unreadable body` };
  const payment = decodePayment(raw);
  if (payment) {
    const { appId } = payment.fields;
    if (isOtherPayment(payment.fields, asked) || (appId !== undefined && appId !== asked.appId)) {
      return { kind: 'unknown', why: `the service answered ${httpStatus} with another payment` };
    }
    return { kind: 'accepted', answer, payment };
  }
  if (raw === undefined || raw === null || raw === true || isPlainYes(raw))
    return { kind: 'accepted', answer };
  if (isJsonObject(raw) && !saysNo(raw)) return { kind: 'accepted', answer };
  return { kind: 'unknown', why: `the service answered ${httpStatus} with something that is not a payment` };
}

const YES = /^(ok|okay|success|successful|succeeded|accepted|done|true)$/i;

function isPlainYes(value: unknown): boolean {
  return value === true || (typeof value === 'string' && YES.test(value));
}

function saysNo(raw: Record<string, unknown>): boolean {
  if (['error', 'errors'].some((name) => Object.hasOwn(raw, name) && raw[name] !== null)) return true;
  return ['result', 'status', 'success', 'ok'].some((name) => {
    const value = Object.hasOwn(raw, name) ? raw[name] : undefined;
    return value === false || (name === 'result' && typeof value === 'string' && !isPlainYes(value));
  });
}

/** What was known when the instruction was sent, and whether its state on the way was seen since. */
export interface SettleBefore {
  state: StateName | undefined;
  capturedAmount?: JsonNumber;
  /** Capturing, Refunding or Cancelling was read after the instruction was sent. */
  duringSeen?: boolean;
}

export interface SettleRead {
  /** Our name for the state; undefined for one that we do not know. */
  state: StateName | undefined;
  capturedAmount?: JsonNumber;
}

export type Settled = 'carried-out' | 'not-carried-out' | 'failed' | 'open';

const afterCapture: StateName[] = ['Capturing', 'Captured', 'Refunding', 'Refunded'];

/** From before the hold, as a replica that lags behind would show, or reached without a release. */
const notReleased: StateName[] = ['Created', 'ActionRequired', 'Held', 'Cancelling', 'Cancelled'];

const proofs: Record<SettleOperation, { done: (state: StateName) => boolean; not: readonly StateName[] }> = {
  capture: {
    done: (state) => afterCapture.includes(state),
    not: ['Cancelled', 'Expired', 'Declined', 'Failed'],
  },
  refund: { done: (state) => state === 'Refunding' || state === 'Refunded', not: [] },
  cancel: {
    done: (state) => state === 'Cancelling' || state === 'Cancelled',
    not: [...afterCapture, 'Declined', 'Failed', 'Expired'],
  },
  unhold: { done: (state) => !notReleased.includes(state), not: [] },
};

/**
 * What a read proves about an instruction whose answer was lost. "The state moved" is not proof by itself, a
 * state that we do not know proves nothing, and "not there yet" is not "did not happen".
 */
export function settleByRead(operation: SettleOperation, before: SettleBefore, read: SettleRead): Settled {
  const { done, not } = proofs[operation];
  // Where it was already so before it was sent, seeing it again says nothing.
  const wasDone = before.state !== undefined && done(before.state);
  if (
    operation === 'capture' &&
    !wasDone &&
    isPositive(read.capturedAmount) &&
    !isPositive(before.capturedAmount)
  ) {
    return 'carried-out';
  }
  if (read.state === undefined) return 'open';
  // What was not held when it was sent may have gone on by itself.
  if (operation === 'unhold' && before.state !== undefined && before.state !== 'Held') return 'open';
  if (done(read.state)) return wasDone ? 'open' : 'carried-out';
  // Unhold has no state on the way, so it cannot be seen to come back.
  if (operation !== 'unhold' && before.duringSeen && read.state === before.state) return 'failed';
  if (not.includes(read.state))
    return read.state === before.state && read.state === 'Capturing' ? 'open' : 'not-carried-out';
  return 'open';
}

function isPositive(amount: JsonNumber | undefined): boolean {
  return (
    amount !== undefined &&
    /^\+?\d/.test(numberText(amount)) &&
    /[1-9]/.test(numberText(amount).split(/e/i)[0] ?? '')
  );
}
