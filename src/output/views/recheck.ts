import type { RecheckResult } from '../../payments/recheck.js';
import type { FailedOperation } from '../../support/list.js';
import { joinPieces, type Line, toned, type View } from '../lines.js';
import { describeError, type ErrorReport } from '../report.js';
import type { ListView } from '../rows.js';
import type { Tone } from '../theme.js';
import { statePiece, textAt } from '../values.js';
import { operationList } from './operation.js';

/** As `--json` prints it. */
export interface RecheckJson extends Omit<RecheckResult, 'typed' | 'error'> {
  /** The last instruction, where it was not carried out. */
  failed: FailedOperation | null;
  error?: ErrorReport;
}

export function recheckJson(
  result: RecheckResult,
  failed: FailedOperations | undefined,
  profile: string | undefined,
): RecheckJson {
  const { payment, operation, before, after, outcome, changed, error } = result;
  return {
    payment,
    operation,
    before,
    after,
    outcome,
    changed,
    failed: failed?.get(textAt(payment, 'paymentId')) ?? null,
    ...(error === undefined ? {} : { error: describeError(error, profile) }),
  };
}

/** By the ID of the payment. */
type FailedOperations = ReadonlyMap<string, FailedOperation>;

/** What was not carried out; among several payments, with the payment. */
export const failedLines = (failed: FailedOperations, isAlone: boolean): Line[] =>
  Array.from(failed, ([paymentId, { verdict }]) =>
    toned('bad', isAlone ? verdict : `${paymentId}: ${verdict}`),
  );

const columnChanges: Readonly<Record<string, Partial<ListView<RecheckResult>['columns'][number]>>> = {
  reference: { mayCut: ({ payment }) => textAt(payment, 'paymentId') !== '' },
  amount: { spare: 1 },
  outcome: { extra: 'terminal' },
};

export const recheckList: ListView<RecheckResult> = {
  ...operationList,
  columns: [
    // What changed says more than the outcome, and the state is told before the amount where there is room for one.
    ...operationList.columns.map((column) => ({ ...column, ...columnChanges[column.key] })),
    {
      key: 'changed',
      title: 'result',
      value: changeText,
      shown: (result) => toned(changeTone(result), changeText(result)),
    },
  ],
};

/** What a recheck brought, in two or three words. */
function changeText({ before, after, changed, outcome }: RecheckResult): string {
  if (outcome === 'accepted') return 'the service queued it';
  if (outcome !== 'done') return 'not known';
  if (before !== after) return 'changed';
  return changed ? 'same state, other details changed' : 'nothing changed';
}

const changeTone = ({ before, after, outcome }: RecheckResult): Tone =>
  outcome === 'done' && before !== after ? 'good' : 'dim';

/** Says plainly whether anything changed. */
export const recheckLine: View<RecheckResult | undefined> = (result) => {
  if (result === undefined) return [];
  const { payment, before, after } = result;
  return [
    joinPieces(
      `  ${textAt(payment, 'paymentId')}  ${textAt(payment, 'referenceId')}   `,
      before === after ? '' : `${before ?? '?'} → `,
      statePiece(after ?? '?'),
      '   ',
      toned(changeTone(result), changeText(result)),
    ),
  ];
};
