// How a run of a batch ends: well, or with the error that says why not everything was done.

import { counted, countText } from '../../contract/amount-format.js';
import { distinct, type NextStep, paydesk } from '../../next-command.js';
import {
  InterruptedError,
  PartialError,
  type PaydeskError,
  TemporaryError,
  UnknownOutcomeError,
} from '../../errors.js';
import { type ResumeOptions, resumeStep } from '../next-steps.js';
import { actedOn, type BatchCounts, screenCounts, type ScreenGroup, screenGroups } from '../rows/counts.js';
import type { RunResult } from './run.js';
import type { StopReason } from './stopping.js';

/** Undefined when every row that the plan acts on is done or accepted. */
export function endingOfRun(
  id: string,
  result: RunResult,
  options: ResumeOptions = {},
): PaydeskError | undefined {
  const { stopped } = result;
  const resume = resumeStep(id, result, options);
  const advice: NextAdvice = {
    resume: resume?.text,
    next: distinct([...(resume ? [resume.command] : []), paydesk('batch', 'report', id)]),
  };
  return stopped === undefined
    ? incomplete(id, result, advice)
    : stoppedEarly(id, { ...result, stopped }, advice);
}

/** What to do next, in words and as commands. */
interface NextAdvice {
  /** What `batch resume` would do. */
  resume: string | undefined;
  next: readonly NextStep[];
}

function stoppedEarly(
  id: string,
  result: RunResult & { stopped: StopReason },
  advice: NextAdvice,
): PaydeskError {
  const { counts, stopped } = result;
  const { resume, next } = advice;
  const soFar = lines(`Batch ${id} so far: ${standsAt(counts)}.`, resume);
  switch (stopped.kind) {
    case 'asked':
      // Once something was sent, an unknown outcome matters more than the wish to stop.
      if (counts.unknown === 0) return asked(stopped.error, advice);
      return new UnknownOutcomeError(`Stopped. ${soFar}`, { code: 'stopped-unknown', next });
    case 'outage': {
      const Ending = endingOfOutage(result);
      const text = `The service does not answer, so paydesk stopped sending: ${stopped.error.message}\n${soFar}`;
      return new Ending(text, { code: 'outage', cause: stopped.error, next });
    }
    case 'ledger':
      return ledgerLost(result, stopped.error, { soFar, next });
    case 'hopeless':
      if (!hasSent(result)) return stopped.error;
      return new PartialError(`paydesk stopped sending: ${stopped.error.message}\n${soFar}`, {
        code: stopped.error.code,
        cause: stopped.error,
        next: [...stopped.error.next, ...next],
      });
    default:
      return new PartialError(`${reasonText(stopped)}\n${soFar}`, {
        code: stopped.kind === 'canary' ? 'canary-failed' : 'too-many-failures',
        next,
      });
  }
}

/** Temporary as long as nothing was taken: a throttled instruction is safe to send again. */
function endingOfOutage({ counts, worked }: RunResult) {
  const { done, unknown } = actedOn(counts);
  if (done === 0 && unknown > 0) return UnknownOutcomeError;
  return done > 0 || worked > 0 ? PartialError : TemporaryError;
}

const lines = (...parts: Array<string | undefined>): string =>
  parts.filter((part) => part !== undefined).join('\n');

/** Ctrl-C by itself needs no word, but what the next command does needs one. */
function asked(error: PaydeskError, { resume, next }: NextAdvice): PaydeskError {
  if (resume !== undefined && error instanceof InterruptedError) {
    return error.with({ code: 'stopped', message: `Stopped. ${resume}`, next });
  }
  return error.with({ message: lines(error.message, resume), next });
}

const hasSent = ({ worked, hasThrottled }: RunResult): boolean => worked > 0 || hasThrottled;

function ledgerLost(
  result: RunResult,
  cause: Error,
  { soFar, next }: { soFar: string; next: readonly NextStep[] },
): PaydeskError {
  const { counts } = result;
  if (!hasSent(result)) {
    return new TemporaryError(`${cause.message} paydesk sent nothing. ${soFar}`, {
      code: 'ledger-unavailable',
      saysNothingSent: true,
      cause,
      next,
    });
  }
  const text = `paydesk lost its database and stopped sending. ${cause.message}\n${soFar}\nWait until the database is back. The rows that were in flight are then checked, and none is sent twice.`;
  const Ending = counts.done === 0 && counts.unknown > 0 ? UnknownOutcomeError : PartialError;
  return new Ending(text, { code: 'ledger-lost', cause, next });
}

function reasonText(stopped: Extract<StopReason, { kind: 'canary' | 'failures' }>): string {
  if (stopped.kind === 'failures') {
    return `Stopped after ${counted(stopped.failures, 'failure')}.`;
  }
  const { line, typed, result } = stopped.row;
  const why = result.why === undefined ? '.' : `: ${result.why}`;
  return `Stopped at canary row ${typed} on line ${line}, which is ${result.outcome}${why}`;
}

function incomplete(
  id: string,
  { counts, notSent, hasThrottled }: RunResult,
  advice: NextAdvice,
): PaydeskError | undefined {
  const { done, ...others } = actedOn(counts);
  const notDone = Object.values(others).reduce((sum, count) => sum + count, 0);
  if (notDone === 0) return undefined;
  const { unknown, pending } = others;
  const isOver = notDone > unknown + pending;
  const next = [
    ...advice.next,
    // What resume can still do needs no new plan.
    ...(isOver ? [{ ...paydesk('batch', 'report', id, '--not-done'), into: 'retry.csv' }] : []),
  ];
  // Nothing is known to have gone through, and something may have.
  if (done === 0 && unknown > 0) {
    return new UnknownOutcomeError(
      lines(`The outcome of ${counted(unknown, 'row')} is unknown.`, advice.resume),
      {
        code: 'outcome-unknown',
        next,
      },
    );
  }
  const total = done + notDone;
  const why = pending > 0 ? notSent?.message : undefined;
  const stands = `${countText(notDone)} of ${counted(total, 'row')} not done: ${standsAt(counts)}.`;
  // A batch of few rows does not meet enough failures in a row for an outage.
  const isTemporary = pending === total && !hasThrottled && notSent instanceof TemporaryError;
  const Ending = isTemporary ? TemporaryError : PartialError;
  return new Ending(lines(stands, why, advice.resume), { code: 'partial', next });
}

/** `752 done, 1 refused, 2 unknown, 432 left to do (12 throttled)`. */
function standsAt(counts: BatchCounts): string {
  const throttled = counts.throttled > 0 ? ` (${countText(counts.throttled)} throttled)` : '';
  const rows = screenCounts(counts);
  return groupsShown(rows)
    .filter((group) => group !== 'leftOut')
    .map((group) => `${countText(rows[group])} ${groupNames[group]}${group === 'pending' ? throttled : ''}`)
    .join(', ');
}

export const groupNames: Readonly<Record<ScreenGroup, string>> = {
  done: 'done',
  accepted: 'accepted',
  refused: 'refused',
  failed: 'failed',
  skipped: 'skipped',
  unknown: 'unknown',
  pending: 'left to do',
  leftOut: 'left out',
};

/** The groups that have rows; `done` is among them where nothing was accepted. */
export const groupsShown = (rows: Readonly<Record<ScreenGroup, number>>): ScreenGroup[] =>
  screenGroups.filter((group) => rows[group] > 0 || (group === 'done' && rows.accepted === 0));
