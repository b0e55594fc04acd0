import type { CheckResult } from '../../payments/check-payments.js';
import { type View } from '../lines.js';
import { describeError, type ErrorReport } from '../report.js';
import { textAt } from '../values.js';
import { operationLine } from './operation.js';

/** As `--json` prints it. */
export interface CheckJson extends Pick<
  CheckResult,
  'payment' | 'operation' | 'before' | 'after' | 'outcome'
> {
  error?: ErrorReport;
}

export function checkJson(result: CheckResult, profile: string | undefined): CheckJson {
  const { payment, operation, before, after, outcome, error } = result;
  return {
    payment,
    operation,
    before,
    after,
    outcome,
    ...(error === undefined ? {} : { error: describeError(error, profile) }),
  };
}

export const checkLines: View<CheckResult> = (result, context) => {
  if (result.operation !== null) return operationLine(result, context);
  if (result.payment === null) return [];
  const state = result.after ?? 'no state';
  return [
    `Payment ${textAt(result.payment, 'paymentId')} is ${state}. Every outcome is known: there is nothing to check.`,
  ];
};
