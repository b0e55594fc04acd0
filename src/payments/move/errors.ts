// What each way of a move not getting there is called, and what to do about it.

import type { SettleResult } from '../../client/payment-calls.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import type { ServiceProblem } from '../../client/problems.js';
import {
  InterruptedError,
  NotReachedError,
  type PaydeskError,
  PendingError,
  ProfileError,
  ServiceError,
  TemporaryError,
  UnknownOutcomeError,
} from '../../errors.js';
import { safeText } from '../../output/text.js';
import type { Desk } from '../desk.js';
import { forbidden } from './legality.js';
import type { Sent } from './result.js';
import { idOf, labelOf, stateOf, stateText } from '../named-payments.js';
import { endStateOf } from './standing.js';

/** What the service says may end with a full stop, and so do our sentences. */
const clause = (text: string): string => text.replace(/\.+$/, '');

const look = (sent: Sent): string[] => [`paydesk payments explain ${idOf(sent.before)}`];

export function refusedBy(sent: Sent, problem: ServiceProblem, read: PaymentRead | undefined): PaydeskError {
  const { operation } = sent.move;
  const { httpStatus, message, fieldErrors, requestId } = problem;
  const details = {
    ...(fieldErrors.length > 0 ? { fieldErrors } : {}),
    ...(requestId === undefined ? {} : { requestId }),
  };
  const common = {
    code: problem.code ?? `http-${httpStatus}`,
    httpStatus,
    ...(Object.keys(details).length > 0 ? { details } : {}),
  };
  const text = `The service refused the ${operation} of payment ${labelOf(sent.before)}: ${message}`;
  if (httpStatus === 401 || httpStatus === 403) {
    return new ProfileError(text, { ...common, next: ['paydesk whoami', 'paydesk doctor'] });
  }
  const next = (read && forbidden(operation, read)?.next) ?? look(sent);
  return new ServiceError(text, { ...common, next });
}

export function notCarriedOut(sent: Sent, read: PaymentRead): ServiceError {
  return new ServiceError(
    `The ${sent.move.operation} was not carried out: payment ${labelOf(read)} is ${stateText(read)}.`,
    { code: 'not-carried-out', next: look(sent) },
  );
}

export function notSent(sent: Sent, answer: Extract<SettleResult, { kind: 'unsent' }>): TemporaryError {
  const { operation } = sent.move;
  const { retryAfterMs, problem } = answer;
  const what = answer.proven ? 'was not sent' : 'was not taken';
  return new TemporaryError(
    `The ${operation} of payment ${labelOf(sent.before)} ${what}: ${clause(answer.why)}. Nothing was changed; it is safe to run again.`,
    {
      code: answer.proven ? 'not-sent' : 'not-taken',
      ...(problem ? { httpStatus: problem.httpStatus } : {}),
      ...(retryAfterMs === undefined ? {} : { details: { retryAfterMs } }),
      next: answer.proven ? ['paydesk doctor'] : look(sent),
    },
  );
}

/** It went on its way and came back, or another way than it was sent. */
export function failed(sent: Sent, read: PaymentRead): NotReachedError {
  const { operation } = sent.move;
  const back = stateOf(read) === stateOf(sent.before);
  return new NotReachedError(
    `The ${operation} of payment ${labelOf(read)} failed: it is ${back ? 'back in' : 'in'} ${stateText(read)}.`,
    { code: 'not-reached', next: look(sent) },
  );
}

const counts = ['No read', 'One read', 'Two reads', 'Three reads', 'Four reads', 'Five reads'];

export function stillUnknown(sent: Sent, why: string, shown: readonly string[]): UnknownOutcomeError {
  const { operation } = sent.move;
  const states = [...new Set(shown.map(safeText))].join(', then ');
  const count = counts[shown.length] ?? `${shown.length} reads`;
  const seen =
    shown.length === 0
      ? 'It could not be read since then.'
      : `${count} since then ${shown.length === 1 ? 'shows' : 'show'} ${states}.`;
  return new UnknownOutcomeError(
    `The answer to the ${operation} of payment ${labelOf(sent.before)} was lost: ${clause(why)}.\n` +
      `It may or may not have been carried out. It was not sent again.\n${seen}\n` +
      'The same command again settles it: it reads, and sends nothing.',
    {
      code: 'outcome-unknown',
      next: [`paydesk payments ${operation} ${idOf(sent.before)}`, ...look(sent)],
    },
  );
}

/** The wait is over and the end is not reached: time up, Ctrl-C, or a state that says nothing. */
export function pendingOf(desk: Desk, sent: Sent, read: PaymentRead | undefined): PaydeskError {
  const { operation } = sent.move;
  const end = endStateOf(operation);
  const until = end === undefined ? '' : ` --until ${end}`;
  const options = { next: [`paydesk payments watch ${idOf(sent.before)}${until}`, ...look(sent)] };
  const stands = read === undefined ? 'could not be read' : `is ${stateText(read)}`;
  const text = `The ${operation} was accepted, and payment ${labelOf(sent.before)} ${stands}`;
  if (read !== undefined && read.state === undefined) {
    return new UnknownOutcomeError(`${text}, a state that paydesk does not know.`, {
      ...options,
      code: 'unknown-state',
    });
  }
  const final = end === undefined ? '' : ` It is final when the state is ${end}.`;
  if (desk.signal.reason instanceof InterruptedError) {
    return new InterruptedError(`${text}.${final}`, { ...options, code: 'stopped-waiting' });
  }
  return new PendingError(`${text} now that the time is up.${final}`, { ...options, code: 'time-up' });
}
