// The texts around create and charge: the question before, and the result after.

import { paydesk } from '../../next-command.js';
import { currencies } from '../../contract/currencies.js';
import { isJsonNumber, isJsonObject, numberText, type JsonObject } from '../../contract/json.js';
import type { PaydeskError } from '../../errors.js';
import type { PlannedRequest } from '../../payments/planned-request.js';
import type { RequestKind } from '../../payments/differences.js';
import { didYouMean } from '../../suggest.js';
import { formatAmount } from '../../contract/amount-format.js';
import { commandPiece, joinPieces, type Line, toned } from '../lines.js';
import { describeError, type ErrorReport } from '../report.js';
import { textAt, valueAt } from '../values.js';

/** As `--json` prints it. */
export interface CreatedJson {
  created: boolean;
  payment: JsonObject;
  error?: ErrorReport;
}

/** The same for a dry run. */
export interface PlannedJson {
  created: false;
  payment: null;
  dryRun: true;
  request: PlannedRequest;
}

export function createdJson(
  { created, payment }: { created: boolean; payment: JsonObject },
  { error, profile }: { error?: PaydeskError | undefined; profile?: string | undefined } = {},
): CreatedJson {
  return { created, payment, ...(error === undefined ? {} : { error: describeError(error, profile) }) };
}

export function plannedJson(request: PlannedRequest): PlannedJson {
  return { created: false, payment: null, dryRun: true, request };
}

/** What is about to be sent, in a few lines. */
export function createSummary(kind: RequestKind, body: JsonObject): Line[] {
  const amount = body['amount'];
  const digits = isJsonNumber(amount) ? numberText(amount) : '';
  const capture = body['autoCapture'] === false ? 'authorised only' : 'captured automatically';
  const facts: Array<[string, string]> = [
    ['Amount', formatAmount(digits, textAt(body, 'currency'))],
    ['Customer', textAt(body, 'customerOrder', 'customer', 'customerId')],
    ['Reference', textAt(body, 'referenceId')],
    ['Flow', `${kind}, ${capture}`],
    ['Returns to', textAt(body, 'returnUrl')],
  ];
  const order = valueAt(body, 'customerOrder');
  if (isJsonObject(order)) facts.push(['Description', textAt(order, 'description')]);
  return [
    kind === 'charge' ? 'Charge a stored method:' : 'Create a payment:',
    ...facts
      .filter(([, value]) => value !== '')
      .map(([label, value]) => joinPieces('  ', toned('dim', label.padEnd(11)), '  ', value)),
  ];
}

export const repeatedLine = 'This reference was used before, for the same payment. Nothing new was created.';

/** What the service supports is not known: a currency that no list has is only pointed out. */
export function unknownCurrencyLines(currency: string): Line[] {
  if (currency === '' || currencies.includes(currency)) return [];
  return [`${currency} is not a known currency.${didYouMean(currency, currencies)}`];
}

/** Shown before the request leaves, so that it can be run again by hand. */
export function generatedLine(referenceId: string): Line {
  return joinPieces(
    'Reference ',
    toned('strong', referenceId),
    toned('dim', '  (generated; use it with --reference to retry)'),
  );
}

/** A charge that was accepted may still fail: what it waits for. */
export function notFinalLines(
  payment: JsonObject,
  state: string | undefined,
  profile: string | undefined,
): Line[] {
  const id = textAt(payment, 'paymentId');
  const [what, verb] =
    state === 'Held'
      ? ['a fraud rule holds it. To approve it:', 'unhold']
      : [`it is ${textAt(payment, 'paymentState')}. To follow it:`, 'watch'];
  return [
    '',
    `The charge is accepted and not final: ${what}`,
    joinPieces('  ', commandPiece(paydesk('payments', verb, id), profile)),
  ];
}
