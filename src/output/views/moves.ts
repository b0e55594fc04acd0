// What is said around capture, cancel, refund and unhold: the question before, the next step after.

import { firstLine } from '../../errors.js';
import { paydesk } from '../../next-command.js';
import { isAmount, writtenOut } from '../../contract/money.js';
import type { MovesPlan } from '../../payments/move/move-all.js';
import type { MoveResult } from '../../payments/move/result.js';
import type { PlannedRequest } from '../../payments/planned-request.js';
import { endStateOf } from '../../payments/move/proof.js';
import { counted, countText, totalsText } from '../../contract/amount-format.js';
import { createTotals } from '../../contract/totals.js';
import { commandPiece, joinPieces, type Line, toned, type View } from '../lines.js';
import { describeError, type ErrorReport } from '../report.js';
import { displayWidth, pad, safeJson, safeText } from '../text.js';
import { textAt, valueAt } from '../values.js';
import { operationLine } from './operation.js';
import { movedAmount, movedText } from './payment.js';

const verbs = {
  capture: 'Capture',
  cancel: 'Cancel',
  refund: 'Refund',
  unhold: 'Approve',
} as const;

/** What is approved is charged right away, unless the payment is captured later. */
function verbFor(operation: MovesPlan['operation'], payment: unknown): string {
  const isCharged = operation === 'unhold' && valueAt(payment, 'autoCapture') !== false;
  return isCharged ? 'Approve and charge' : verbs[operation];
}

/** As `--json` prints it. */
export interface MoveJson extends Pick<
  MoveResult,
  'payment' | 'operation' | 'before' | 'after' | 'outcome' | 'request'
> {
  error?: ErrorReport;
  dryRun?: true;
}

export function moveJson(result: MoveResult, profile: string | undefined): MoveJson {
  const { payment, operation, before, after, outcome, error, request } = result;
  return {
    payment,
    operation,
    before,
    after,
    outcome,
    ...(error === undefined ? {} : { error: describeError(error, profile) }),
    ...(request === undefined ? {} : { dryRun: true, request }),
  };
}

/** What is asked before it is done on a live app; a single payment is confirmed by its amount. */
export function moveQuestion(plan: MovesPlan): { lines: Line[]; amount?: AmountToType | undefined } {
  const { operation, reads, leftOut } = plan;
  const [first] = reads;
  if (first !== undefined && reads.length + leftOut.length === 1) {
    const payment = first.object;
    const to = operation === 'refund' ? ` to customer ${textAt(payment, 'customerId')}` : '';
    const digits = writtenOut(movedAmount(operation, payment));
    const amount = { digits, currency: textAt(payment, 'currency') };
    return {
      lines: [`${moveText(operation, payment)}${to}?`],
      amount: isAmount(digits) ? amount : undefined,
    };
  }
  const left = leftOut.map(({ typed, error }) => `  left out: ${typed}: ${firstLine(error.message)}`);
  return {
    lines: [
      ...totalQuestion(`${verbs[operation]} ${counted(reads.length, 'payment')}`, moneyOf(plan)),
      ...listed(plan),
      ...left,
    ],
  };
}

/** Why it is done, for the person who confirms it. */
export function reasonLines({
  reason,
  ticket,
}: {
  reason?: string | undefined;
  ticket?: string | undefined;
}): Line[] {
  const labelled = (label: string, text = ''): Line[] =>
    text === '' ? [] : [joinPieces(toned('dim', label), text)];
  return [...labelled('Reason: ', reason), ...labelled('Ticket: ', ticket)];
}

/** An amount that a person types to confirm it. */
export interface AmountToType {
  digits: string;
  currency: string;
}

/** `Refund EUR 20.00 of payment 100231 (inv-2041)`. */
function moveText(operation: MovesPlan['operation'], payment: unknown): string {
  const named = `payment ${textAt(payment, 'paymentId')} (${textAt(payment, 'referenceId')})`;
  return `${verbFor(operation, payment)} ${movedText(operation, payment)} of ${named}`;
}

/** One line for each payment, in columns. */
function listed({ operation, reads }: MovesPlan): string[] {
  const rows = reads.map(({ object }) => ({
    id: safeText(textAt(object, 'paymentId')),
    reference: safeText(textAt(object, 'referenceId')),
    amount: safeText(movedText(operation, object)),
  }));
  const widest = (column: 'id' | 'reference' | 'amount') =>
    Math.max(...rows.map((row) => displayWidth(row[column])));
  const [idWidth, referenceWidth, amountWidth] = [widest('id'), widest('reference'), widest('amount')];
  return rows.map(({ id, reference, amount }) =>
    ['', pad(id, idWidth), pad(reference, referenceWidth), pad(amount, amountWidth, 'right')].join('  '),
  );
}

/** What is moved, by currency, and how many payments have no amount that can be added. */
interface Money {
  totals: Readonly<Record<string, string>>;
  withoutAmount: number;
}

function moneyOf({ operation, reads }: MovesPlan): Money {
  const totals = createTotals();
  for (const { object, fields } of reads) {
    totals.add(writtenOut(movedAmount(operation, object)), fields.currency);
  }
  return { totals: totals.sums(), withoutAmount: totals.withoutAmount() };
}

/** `Refund 3 payments, EUR 58,112.40   GBP 1,020.00 in total?`, and how many of them the total leaves out. */
export function totalQuestion(what: string, { totals, withoutAmount }: Money): Line[] {
  const sum = totalsText(totals);
  if (withoutAmount === 0) return [sum === '' ? `${what}?` : `${what}, ${sum} in total?`];
  const [have, them] = withoutAmount === 1 ? ['has', 'it'] : ['have', 'them'];
  const none = `${countText(withoutAmount)} of these ${have} no usable amount`;
  return sum === ''
    ? [`${what}?`, `${none}, so the total is not known.`]
    : [`${what}, ${sum} in total?`, `${none}, so the total does not include ${them}.`];
}

export function plannedRequestLines({ method, path, body }: PlannedRequest): Line[] {
  const json = body === undefined ? [] : safeJson(body, { pretty: true }).split('\n');
  return [`${method} ${path}`, ...json];
}

/** What a dry run would send for each payment; why it would send nothing for another is said by its error. */
export const plannedView: View<readonly MoveResult[]> = (results, context) =>
  results.flatMap((result) => {
    const { operation, payment, request, error } = result;
    if (request !== undefined)
      return [`${moveText(operation, payment)}. Would be sent:`, ...plannedRequestLines(request)];
    return error === undefined ? operationLine(result, context) : [];
  });

const ways = {
  capture: 'The capture is on its way.',
  cancel: 'The cancellation is on its way.',
  refund: 'The refund is on its way.',
  unhold: 'The payment is approved.',
} as const;

/** What to do next where something was accepted and is not final yet. */
export function nextStepLines(results: readonly MoveResult[], profile: string | undefined): Line[] {
  const open = results.filter(({ outcome, error }) => outcome === 'accepted' && error === undefined);
  const [first] = open;
  if (first === undefined) return [];
  const end = endStateOf(first.operation);
  const ids = open.map(({ payment }) => textAt(payment, 'paymentId'));
  const final = end === undefined ? ' To follow it:' : ` It is final when the state is ${end}:`;
  const watch = paydesk('payments', 'watch', ...ids, ...(end === undefined ? [] : ['--until', end]));
  return ['', `${ways[first.operation]}${final}`, joinPieces('  ', commandPiece(watch, profile))];
}
