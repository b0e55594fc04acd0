import { ServiceError } from '../errors.js';
import { paydesk } from '../next-command.js';
import type { Answer } from './exchange.js';

/** The service answered with success, and with something that is no answer to what it was asked. */
export function oddAnswer(what: string, answer: Answer): ServiceError {
  return new ServiceError(`The service answered ${answer.httpStatus} with ${what}.`, {
    code: 'odd-answer',
    httpStatus: answer.httpStatus,
    ...(answer.requestId === undefined ? {} : { details: { requestId: answer.requestId } }),
    next: [paydesk('doctor')],
  });
}
