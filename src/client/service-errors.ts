import { type Command, paydesk } from '../next-command.js';
import type { RepeatClass } from '../contract/endpoints.js';
import {
  PaydeskError,
  ProfileError,
  ServiceError,
  TemporaryError,
  UnknownOutcomeError,
  type ErrorOptions,
} from '../errors.js';
import { readAnswer } from './answers.js';
import type { Answer, Exchange, Failure, OpenAnswer } from './exchange.js';
import { problemOf, type ServiceProblem } from './problems.js';
import { isTemporaryStatus, type Retried } from './retry.js';

export interface ErrorContext {
  repeat: RepeatClass;
  /** What was asked for, as in "There is no … in app X". */
  what: string;
  appId: string;
  /** Where to look for it, if it is not there. */
  lookFor?: Command | undefined;
  /** Why it is safe to repeat a write; by default a plain sentence. */
  safeAgain?: string;
  signal?: AbortSignal;
}

/** The answer of a call that succeeded; everything else is thrown as one of our errors. */
export function successOf(result: Retried<Exchange>, context: ErrorContext): Answer {
  const { last } = result;
  if (last.kind === 'answer' && last.status >= 200 && last.status < 300) {
    const answer = readAnswer(last);
    if (answer.readable || context.repeat !== 'read') return answer;
    throw new TemporaryError('The service sent an answer that paydesk cannot read.', {
      code: 'unreadable-answer',
      ...about(problemOf(answer)),
      next: [paydesk('doctor')],
    });
  }
  throw errorOf(result, context);
}

export function errorOf(result: Retried<Exchange | OpenAnswer>, context: ErrorContext): PaydeskError {
  const { last } = result;
  if (last.kind === 'open') throw new TypeError('an open answer is not an error');
  if (last.kind !== 'answer') return failureError(last.kind, last.failure, result, context);
  const problem = problemOf(readAnswer(last));
  const { httpStatus, message } = problem;
  const options = { ...about(problem, result.retryAfterMs), code: problem.code ?? `http-${httpStatus}` };
  if (httpStatus < 400) return redirectError(last.headers.location, problem, context);
  // What an earlier attempt did, the refusal of a later one does not undo.
  if (context.repeat !== 'read' && result.earlierMayHaveArrived) {
    return unknown(`the service answered ${httpStatus}: ${message}`, options, context);
  }
  if (httpStatus === 401 || httpStatus === 403) {
    const why =
      httpStatus === 401
        ? 'does not accept the API key'
        : `does not allow this key to use app ${context.appId}`;
    return new ProfileError(`The service ${why}: ${message}`, {
      ...options,
      next: [paydesk('whoami'), paydesk('doctor')],
    });
  }
  if (httpStatus === 404) {
    const text = `There is no ${context.what} in app ${context.appId}. A wrong key or App ID can have the same result.`;
    return new ServiceError(text, {
      ...options,
      code: 'not-found',
      next: [...(context.lookFor ? [context.lookFor] : []), paydesk('whoami'), paydesk('doctor')],
    });
  }
  if (!isTemporaryStatus(httpStatus)) return new ServiceError(`The service refused: ${message}`, options);
  const untouched = httpStatus === 425 || httpStatus === 429;
  if (context.repeat === 'read' || untouched) {
    return new TemporaryError(
      `The service is temporarily unavailable (HTTP ${httpStatus}): ${message}`,
      options,
    );
  }
  return unknown(`the service answered ${httpStatus}: ${message}`, options, context);
}

function failureError(
  kind: 'unsent' | 'lost',
  failure: Failure,
  result: { earlierMayHaveArrived: boolean },
  context: ErrorContext,
): PaydeskError {
  const mayHaveArrived = kind === 'lost' || result.earlierMayHaveArrived;
  if (context.repeat !== 'read' && mayHaveArrived)
    return unknown(`${failure.message}.`, { code: 'answer-lost' }, context);
  const reason: unknown = context.signal?.aborted ? context.signal.reason : undefined;
  if (reason instanceof PaydeskError) return reason;
  return new TemporaryError(
    kind === 'unsent'
      ? `The service could not be reached: ${failure.message}.`
      : `The service did not answer: ${failure.message}.`,
    { code: failure.reason, next: [paydesk('doctor')] },
  );
}

function unknown(
  why: string,
  options: ErrorOptions,
  { repeat, safeAgain = 'Running the same command again is safe.' }: ErrorContext,
): UnknownOutcomeError {
  const advice =
    repeat === 'settle' ? 'paydesk did not send it again. Check the outcome before you retry.' : safeAgain;
  return new UnknownOutcomeError(`The outcome is unknown: ${why}\n${advice}`, options);
}

/** A redirect may be how a service answers what it has carried out, so it proves nothing about a write. */
function redirectError(
  location: string | undefined,
  problem: ServiceProblem,
  context: ErrorContext,
): PaydeskError {
  // Only the origin: the rest of such an address may be a secret.
  const to = location !== undefined && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
  const what = `service answered with a redirect${to} (HTTP ${problem.httpStatus})`;
  const options = { ...about(problem), code: 'redirected', next: [paydesk('whoami'), paydesk('doctor')] };
  if (context.repeat !== 'read')
    return unknown(`the ${what}, which paydesk does not follow.`, options, context);
  return new ServiceError(
    `The ${what}. paydesk does not follow redirects, so that the key is sent only to the host of the profile. ` +
      'Check the base URL.',
    options,
  );
}

function about(problem: ServiceProblem, retryAfterMs?: number) {
  const { fieldErrors, requestId, code, body } = problem;
  const details = {
    ...(code === undefined ? {} : { code }),
    ...(fieldErrors.length > 0 ? { fieldErrors } : {}),
    ...(requestId === undefined ? {} : { requestId }),
    ...(body === undefined ? {} : { body }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  return { httpStatus: problem.httpStatus, ...(Object.keys(details).length > 0 ? { details } : {}) };
}
