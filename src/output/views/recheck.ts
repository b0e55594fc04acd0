import type { RecheckResult } from '../../operations/recheck.js';
import { joinPieces, toned, type View } from '../lines.js';
import { describeError } from '../report.js';
import { statePiece, textAt } from '../values.js';

/** As `--json` prints it. */
export function recheckJson(result: RecheckResult): Record<string, unknown> {
  const { payment, operation, before, after, outcome, error } = result;
  return {
    payment,
    operation,
    before,
    after,
    outcome,
    ...(error === undefined ? {} : { error: describeError(error) }),
  };
}

/** Says plainly whether anything changed. */
export const recheckLine: View<RecheckResult | undefined> = (result) => {
  if (result === undefined) return [];
  const { payment, before, after, changed } = result;
  const moved = before !== after;
  return [
    joinPieces(
      `  ${textAt(payment, 'paymentId')}  ${textAt(payment, 'referenceId')}   `,
      moved ? `${before ?? '?'} → ` : '',
      statePiece(after ?? '?'),
      '   ',
      moved
        ? toned('good', 'changed')
        : toned('dim', changed ? 'same state, other details changed' : 'nothing changed'),
    ),
  ];
};
