import { amountCell } from '../../contract/amount-format.js';
import { type Line, lineWidth, type Piece, type View, joinPieces, toned } from '../lines.js';
import type { ListView } from '../rows.js';
import type { Tone } from '../theme.js';
import { tookTime } from '../time.js';
import { statePiece, textAt } from '../values.js';
import type { PaymentOnRecord } from '../../payments/move/result.js';
import { movedAmount, movedText } from './payment.js';

/** The result of one money move: the object that `--json` prints, and how long it took. */
export interface OperationResult {
  /** How a person named the payment, which may not have been read. */
  typed?: string;
  payment: unknown;
  /** What the ledger has of a payment that was not read. */
  recorded?: PaymentOnRecord;
  operation: string | null;
  before?: string | null;
  after?: string | null;
  outcome: string | null;
  /** It was left out before anything was sent. */
  neverSent?: boolean;
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

/** To people, `refused` would say that the service was asked. */
function resultPiece({ outcome, neverSent = false }: OperationResult): Piece {
  const isUnsent = outcome === 'unsent' || (neverSent && outcome === 'refused');
  return isUnsent ? toned(tones[outcome], 'not sent') : outcomePiece(outcome ?? '');
}

/** `Captured → Refunding`; a question mark where nobody knows, or where it was not read after it was accepted. */
function change({ before, after, outcome }: OperationResult): Line {
  const to = outcome === 'unknown' ? '?' : (after ?? (outcome === 'accepted' ? '?' : undefined));
  if (!before) return to ? statePiece(to) : '';
  return to ? joinPieces(before, ' → ', statePiece(to)) : statePiece(before);
}

const shownPayment = ({ payment, recorded }: OperationResult): unknown => payment ?? recorded;

const amountPieces = (result: OperationResult): Piece[] => {
  const amount = movedText(result.operation, shownPayment(result));
  return amount === '' ? [] : [amount, '   '];
};

const nameOf = (result: OperationResult): string =>
  textAt(shownPayment(result), 'paymentId') || (result.typed ?? '');
const referenceOf = (result: OperationResult): string => textAt(shownPayment(result), 'referenceId');
const currencyOf = (result: OperationResult): string => textAt(shownPayment(result), 'currency');

/** Where there is no room for it, the time that it took is left out. */
export const operationLine: View<OperationResult> = (result, { width }) => {
  const line = joinPieces(
    '  ',
    nameOf(result),
    '  ',
    referenceOf(result),
    '   ',
    ...amountPieces(result),
    change(result),
    '   ',
    resultPiece(result),
  );
  if (result.tookMs === undefined) return [line];
  const whole = joinPieces(line, '   ', toned('dim', tookTime(result.tookMs)));
  return [lineWidth(whole) <= width ? whole : line];
};

export const operationList: ListView<OperationResult> = {
  empty: 'No payments.',
  columns: [
    { key: 'payment', value: nameOf },
    { key: 'reference', value: referenceOf },
    {
      key: 'amount',
      align: 'right',
      number: true,
      value: (result) => amountCell(movedAmount(result.operation, shownPayment(result)), currencyOf(result)),
      shown: (result) => movedText(result.operation, shownPayment(result)),
    },
    { key: 'currency', extra: 'terminal', value: currencyOf },
    { key: 'operation', extra: true, value: ({ operation }) => operation ?? '' },
    { key: 'before', value: ({ before }) => before ?? '' },
    { key: 'after', value: ({ after }) => after ?? '', shown: ({ after }) => statePiece(after ?? '?') },
    {
      key: 'outcome',
      value: ({ outcome }) => outcome ?? '',
      shown: resultPiece,
    },
    {
      key: 'took',
      align: 'right',
      extra: true,
      value: ({ tookMs }) => (tookMs === undefined ? '' : tookTime(tookMs)),
    },
  ],
};
