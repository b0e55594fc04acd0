// How a run of a batch ends: well, or with the error that says why not all of it was done.

import { PartialError, type PaydeskError, TemporaryError, UnknownOutcomeError } from '../errors.js';
import type { BatchCounts } from './batches.js';
import type { RunResult, StopReason } from './run.js';

/** Undefined when every row is done, accepted, or was done before. */
export function endingOfRun(id: string, { counts, worked, stopped }: RunResult): PaydeskError | undefined {
  const next = [`paydesk batch resume ${id}`, `paydesk batch report ${id}`];
  if (stopped === undefined) return incomplete(id, counts);
  const stands = standsAt(counts);
  if (stopped.kind === 'asked') {
    // Once something was sent, what is not known goes before the wish to stop.
    if (counts.unknown === 0) return stopped.error;
    return new UnknownOutcomeError(`Stopped: ${stands}.`, { code: 'stopped-unknown', next });
  }
  if (stopped.kind === 'hopeless') return stopped.error;
  if (stopped.kind === 'outage') {
    const text = `The service cannot be read any more, so nothing more is sent: ${stopped.error.message}`;
    const Ending = worked > 0 ? PartialError : TemporaryError;
    return new Ending(`${text}\n${stands}.`, { code: 'outage', cause: stopped.error, next });
  }
  return new PartialError(`${reasonText(stopped)} Nothing more was sent: ${stands}.`, {
    code: stopped.kind === 'canary' ? 'canary-failed' : 'too-many-failures',
    next,
  });
}

function reasonText(stopped: Extract<StopReason, { kind: 'canary' | 'failures' }>): string {
  if (stopped.kind === 'failures') {
    return `Stopped after ${stopped.failures} ${stopped.failures === 1 ? 'failure' : 'failures'}.`;
  }
  const { line, typed, result } = stopped.row;
  const why = result.why === undefined ? '' : ` (${result.why.replace(/\.$/, '')})`;
  return `Stopped at line ${line}, payment ${typed}, one of the first rows: it is ${result.outcome}${why}.`;
}

function incomplete(id: string, counts: BatchCounts): PaydeskError | undefined {
  const { done, refused, unknown, pending, skipped, doneBefore } = counts;
  const notDone = refused + unknown + pending + (skipped - doneBefore);
  if (notDone === 0) return undefined;
  const open = unknown + pending > 0;
  const next = [
    ...(open ? [`paydesk batch resume ${id}`] : []),
    `paydesk batch report ${id}`,
    `paydesk batch report ${id} --not-done > retry.csv`,
  ];
  // Nothing is known to have gone through, and something may have.
  if (done === 0 && unknown > 0) {
    return new UnknownOutcomeError(
      `The outcome of ${unknown === 1 ? 'one row' : `${unknown} rows`} is not known. Resuming reads them and sends nothing anew.`,
      { code: 'outcome-unknown', next },
    );
  }
  return new PartialError(
    `${notDone} of ${done + doneBefore + notDone} rows were not done: ${standsAt(counts)}.`,
    {
      code: 'partial',
      next,
    },
  );
}

/** `752 done, 1 refused, 2 unknown, 432 not started`. */
export function standsAt(counts: BatchCounts): string {
  return countsShown(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}

/** What there is of each, in the order in which people want to know. */
export function countsShown(counts: BatchCounts): Array<[string, number]> {
  const all: Array<[string, number]> = [
    ['done', counts.done],
    ['skipped', counts.skipped],
    ['refused', counts.refused],
    ['unknown', counts.unknown],
    ['not started', counts.pending],
  ];
  return all.filter(([name, count]) => count > 0 || name === 'done');
}
