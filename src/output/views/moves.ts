// What is said around capture, cancel, refund and unhold: the question before, the next step after.

import { fromHundredths, toHundredths } from '../../contract/money.js';
import { numberText } from '../../contract/json.js';
import type { MovesPlan, PlannedMove } from '../../payments/move/plan.js';
import type { PlannedRequest } from '../../payments/planned-request.js';
import { endStateOf } from '../../payments/move/proof.js';
import { formatAmount, groupDigits } from '../amount.js';
import type { Line } from '../lines.js';
import { describeError } from '../report.js';
import { onProfile } from '../shell.js';
import { safeJson } from '../text.js';
import { textAt } from '../values.js';
import { paymentAmount } from './payment.js';

const verbs = { capture: 'Capture', cancel: 'Cancel', refund: 'Refund', unhold: 'Approve' } as const;

/** As `--json` prints it. */
export function moveJson(result: PlannedMove): Record<string, unknown> {
  const { payment, operation, before, after, outcome, error, request } = result;
  return {
    payment,
    operation,
    before,
    after,
    outcome,
    ...(error === undefined ? {} : { error: describeError(error) }),
    ...(request === undefined ? {} : { dryRun: true, request }),
  };
}

/** What is asked before it is done on a live app; a single refund is confirmed by its amount. */
export function moveQuestion(plan: MovesPlan): { lines: Line[]; amount?: string | undefined } {
  const { operation, reads, leftOut } = plan;
  const verb = verbs[operation];
  const [first] = reads;
  if (first !== undefined && reads.length + leftOut.length === 1) {
    const payment = first.object;
    const of = `payment ${textAt(payment, 'paymentId')} (${textAt(payment, 'referenceId')})`;
    const to = operation === 'refund' ? ` to customer ${textAt(payment, 'customerId')}` : '';
    const amount = textAt(payment, 'amount');
    return {
      lines: [`${verb} ${paymentAmount(payment)} of ${of}${to}?`],
      amount: operation === 'refund' && /^\d+(\.\d{1,2})?$/.test(amount) ? amount : undefined,
    };
  }
  const left = leftOut.map(({ typed, error }) => `  left out: ${typed}: ${error.message.split('\n', 1)[0]}`);
  return { lines: [`${verb} ${reads.length} payments, ${totals(plan)} in all?`, ...left] };
}

/** `EUR 58,112.40   GBP 1,020.00`; amounts that are none count as they are shown. */
function totals({ reads }: MovesPlan): string {
  const sums = new Map<string, bigint>();
  for (const { fields } of reads) {
    const text = fields.amount === undefined ? '' : numberText(fields.amount);
    if (!/^\d+(\.\d{1,2})?$/.test(text)) continue;
    const currency = fields.currency ?? '';
    sums.set(currency, (sums.get(currency) ?? 0n) + toHundredths(text));
  }
  return [...sums]
    .map(([currency, sum]) => groupTotal(formatAmount(fromHundredths(sum), currency)))
    .join('   ');
}

const groupTotal = (text: string): string => text.replace(/[\d.]+$/, groupDigits);

export function requestLines({ method, path, body }: PlannedRequest): Line[] {
  const json = body === undefined ? [] : safeJson(body, { pretty: true }).split('\n');
  return [`${method} ${path}`, ...json];
}

export function plannedLines(result: PlannedMove): Line[] {
  return result.request === undefined ? [] : ['Would be sent:', ...requestLines(result.request)];
}

const ways = {
  capture: 'The capture is on its way.',
  cancel: 'The cancellation is on its way.',
  refund: 'The refund is on its way.',
  unhold: 'The payment is approved.',
} as const;

/** What to do next where something was accepted and is not at its end. */
export function nextStepLines(results: readonly PlannedMove[], profile: string | undefined): Line[] {
  const open = results.filter(({ outcome, error }) => outcome === 'accepted' && error === undefined);
  const [first] = open;
  if (first === undefined) return [];
  const end = endStateOf(first.operation);
  const ids = open.map(({ payment }) => textAt(payment, 'paymentId')).join(' ');
  const final = end === undefined ? ' To follow it:' : ` It is final when the state is ${end}:`;
  const watch = `paydesk payments watch ${ids}${end === undefined ? '' : ` --until ${end}`}`;
  return ['', `${ways[first.operation]}${final}`, `  ${onProfile(watch, profile)}`];
}
