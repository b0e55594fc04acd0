import { amountCell } from '../../contract/amount-format.js';
import { type Line, lineWidth, type Piece, type View, joinPieces, toned } from '../lines.js';
import type { ListView } from '../rows.js';
import type { Tone } from '../theme.js';
import { tookTime } from '../time.js';
import { statePiece, textAt } from '../values.js';
import { movedAmount, movedText } from './payment.js';

/** The result of one money move: the object that `--json` prints, and how long it took. */
export interface OperationResult {
  /** How a person named the payment, which may not have been read. */
  typed?: string;
  payment: unknown;
  operation: string | null;
  before?: string | null;
  after?: string | null;
  outcome: string | null;
  tookMs?: number;
}

const tones: Readonly<Record<string, Tone>> = {
  done: 'good',
  accepted: 'waiting',
  unsent: 'waiting',
  failed: 'bad',
  refused: 'bad',
  unknown: 'bad',
};

export const outcomePiece = (outcome: string): Piece =>
  toned(tones[outcome], outcome === 'unknown' ? 'outcome unknown' : outcome);

/** `Captured → Refunding`; a question mark where nobody knows. */
function change({ before, after, outcome }: OperationResult): Line {
  const to = outcome === 'unknown' ? '?' : after;
  if (!before) return to ? statePiece(to) : '';
  return to ? joinPieces(before, ' → ', statePiece(to)) : statePiece(before);
}

const amountPieces = ({ operation, payment }: OperationResult): Piece[] => {
  const amount = movedText(operation, payment);
  return amount === '' ? [] : [amount, '   '];
};

const nameOf = ({ payment, typed = '' }: OperationResult): string => textAt(payment, 'paymentId') || typed;

/** Where there is no room for it, the time that it took is left out. */
export const operationLine: View<OperationResult> = (result, { width }) => {
  const line = joinPieces(
    '  ',
    nameOf(result),
    '  ',
    textAt(result.payment, 'referenceId'),
    '   ',
    ...amountPieces(result),
    change(result),
    '   ',
    outcomePiece(result.outcome ?? ''),
  );
  if (result.tookMs === undefined) return [line];
  const whole = joinPieces(line, '   ', toned('dim', tookTime(result.tookMs)));
  return [lineWidth(whole) <= width ? whole : line];
};

export const operationList: ListView<OperationResult> = {
  empty: 'No payments.',
  columns: [
    { key: 'payment', value: nameOf },
    { key: 'reference', value: ({ payment }) => textAt(payment, 'referenceId') },
    {
      key: 'amount',
      align: 'right',
      number: true,
      value: ({ operation, payment }) =>
        amountCell(movedAmount(operation, payment), textAt(payment, 'currency')),
      shown: ({ operation, payment }) => movedText(operation, payment),
    },
    { key: 'currency', extra: 'terminal', value: ({ payment }) => textAt(payment, 'currency') },
    { key: 'operation', extra: true, value: ({ operation }) => operation ?? '' },
    { key: 'before', value: ({ before }) => before ?? '' },
    { key: 'after', value: ({ after }) => after ?? '', shown: ({ after }) => statePiece(after ?? '?') },
    {
      key: 'outcome',
      value: ({ outcome }) => outcome ?? '',
      shown: ({ outcome }) => outcomePiece(outcome ?? ''),
    },
    {
      key: 'took',
      align: 'right',
      extra: true,
      value: ({ tookMs }) => (tookMs === undefined ? '' : tookTime(tookMs)),
    },
  ],
};
