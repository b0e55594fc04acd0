import type { Watched, WatchEvent } from '../../support/watch.js';
import { joinPieces, TAB, toned, type View } from '../lines.js';
import { describeError } from '../report.js';
import { localTime, tookTime } from '../time.js';
import { statePiece, textAt } from '../values.js';

/** One line of the stream that `--json` prints. */
export function watchEventJson({ event, read, before, after, time, tookMs, by }: WatchEvent) {
  const { paymentId = null, referenceId = null } = read.fields;
  const at = new Date(time).toISOString();
  if (event === 'watching') return { event, paymentId, referenceId, state: after, time: at };
  return { event, paymentId, referenceId, before, after, time: at, tookMs, by };
}

export function watchedJson({ typed, read, result, error }: Watched, profile: string | undefined) {
  const { paymentId = null, referenceId = null, paymentState = null } = read?.fields ?? {};
  return {
    event: 'end',
    input: typed,
    paymentId,
    referenceId,
    state: paymentState,
    result,
    ...(error === undefined ? {} : { error: describeError(error, profile) }),
  };
}

/** One line per change, with how long it took. */
export const watchLine: View<WatchEvent> = ({ event, read, before, after, time, tookMs }, context) => {
  const id = textAt(read.object, 'paymentId');
  const reference = textAt(read.object, 'referenceId');
  const state = statePiece(after ?? '?');
  const at = new Date(time);
  if (!context.terminal) {
    const took = event === 'changed' ? String(tookMs) : '';
    return [joinPieces(at.toISOString(), TAB, id, TAB, reference, TAB, before ?? '', TAB, state, TAB, took)];
  }
  const change = event === 'watching' ? state : joinPieces(before ?? '?', ' → ', state);
  const took = event === 'watching' ? '' : joinPieces('   ', toned('dim', `after ${tookTime(tookMs)}`));
  return [joinPieces('  ', toned('dim', localTime(at).slice(11)), `  ${id}  ${reference}   `, change, took)];
};
