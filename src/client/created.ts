import { endpointOf, type EndpointName } from '../contract/endpoints.js';
import { readAnswer } from './answers.js';
import type { Answer, Exchange } from './exchange.js';
import { problemOf, type ServiceProblem } from './problems.js';
import type { Retried } from './retry.js';
import { successOf, type ErrorContext } from './service-errors.js';

/** The result of a create with our key. */
export interface Created<T> {
  /**
   * `false`: the key was seen before; read it back and compare. `unknown`: it exists, and the answer does not
   * tell whether this call made it (a lost answer before, or a status that says nothing).
   */
  created: boolean | 'unknown';
  /** Undefined when the answer does not show it: read it back. */
  value: T | undefined;
  /** What the service said about the key being in use (409). */
  conflict?: ServiceProblem;
  answer: Answer;
  attempts: number;
  /** An earlier attempt may have been carried out, so a conflict may be with ourselves. */
  earlierMayHaveArrived: boolean;
}

export function createdBy<T>(
  result: Retried<Exchange>,
  name: EndpointName,
  context: ErrorContext,
  read: (answer: Answer) => T | undefined,
): Created<T> {
  const { last, attempts, earlierMayHaveArrived } = result;
  const common = { attempts, earlierMayHaveArrived };
  if (last.kind === 'answer' && last.status === 409) {
    const answer = readAnswer(last);
    const created = earlierMayHaveArrived ? 'unknown' : false;
    // A conflict may show the one that is there, but only a read is to be trusted with the comparison.
    return { ...common, created, value: undefined, conflict: problemOf(answer), answer };
  }
  const answer = successOf(result, context);
  return {
    ...common,
    created: madeBy(answer.httpStatus, name, earlierMayHaveArrived),
    value: read(answer),
    answer,
  };
}

function madeBy(status: number, name: EndpointName, earlierMayHaveArrived: boolean): boolean | 'unknown' {
  // A charge is answered with 200 either way.
  if (earlierMayHaveArrived || endpointOf(name).success !== 201) return 'unknown';
  return status === 201 ? true : status === 200 ? false : 'unknown';
}
