import { isJsonObject } from '../contract/json.js';
import type { Payment } from '../contract/payment.js';
import { complains, contradictionIn, isPlain, REPORTS_FAILURE } from './answer-verdict.js';
import { decodePayment, isOtherPayment, readAnswer, type Decoded } from './answers.js';
import type { Answer, Exchange } from './exchange.js';
import { problemOf, type ServiceProblem } from './problems.js';

/** What the answer to capture, cancel, refund or unhold says. It is evidence; only the payment proves anything. */
export type SettleAnswer =
  /** A success that does not say otherwise. `payment` is there when the answer showed it. */
  | { kind: 'taken'; answer: Answer; payment?: Decoded<Payment> }
  /** It provably never left; `isLate` when this process was too slow to send it in time. */
  | { kind: 'unsent'; why: string; isLate: boolean }
  /** Too early or too many requests (425, 429). */
  | { kind: 'not-taken'; why: string; problem: ServiceProblem }
  /** Any other 4xx that is not about the connection or a conflict. */
  | { kind: 'refused'; problem: ServiceProblem }
  /** It may have been carried out. */
  | { kind: 'unknown'; why: string; problem?: ServiceProblem };

/** The payment that the request was about. */
interface AskedPayment {
  paymentId?: string;
  referenceId?: string | undefined;
  appId: string;
}

export function classifySettleAnswer(exchange: Exchange, asked: AskedPayment): SettleAnswer {
  if (exchange.kind === 'unsent') {
    const { message, reason } = exchange.failure;
    return { kind: 'unsent', why: message, isLate: reason === 'late' };
  }
  if (exchange.kind === 'lost') return { kind: 'unknown', why: exchange.failure.message };
  const answer = readAnswer(exchange);
  const { httpStatus } = answer;
  if (httpStatus >= 200 && httpStatus < 300) return classifySuccess(answer, asked);
  const problem = problemOf(answer);
  const why = `the service answered ${httpStatus}: ${problem.message}`;
  if (httpStatus === 425 || httpStatus === 429) return { kind: 'not-taken', why, problem };
  const refused = httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408 && httpStatus !== 409;
  return refused ? { kind: 'refused', problem } : { kind: 'unknown', why, problem };
}

function classifySuccess(answer: Answer, asked: AskedPayment): SettleAnswer {
  const odd = oddityIn(answer, asked);
  if (odd !== undefined)
    return { kind: 'unknown', why: `the service answered ${answer.httpStatus} with ${odd}` };
  const payment = decodePayment(answer.raw);
  return { kind: 'taken', answer, ...(payment && { payment }) };
}

/** What keeps a success from being taken for one, such as a body that reports a failure; undefined if nothing does. */
export function oddityIn(answer: Answer, asked: AskedPayment): string | undefined {
  const { raw } = answer;
  const contradiction = contradictionIn(answer);
  if (contradiction !== undefined) return contradiction;
  const payment = decodePayment(raw);
  if (payment) {
    const { appId } = payment.fields;
    const isOther = isOtherPayment(payment.fields, asked) || (appId !== undefined && appId !== asked.appId);
    return isOther ? 'another payment' : undefined;
  }
  if (isJsonObject(raw) && complains(raw)) return REPORTS_FAILURE;
  return isPlain(raw) ? undefined : 'data that is not a payment';
}
