import type { CheckResult } from '../../payments/move/check-payments.js';
import { type View } from '../lines.js';
import { describeError } from '../report.js';
import { textAt } from '../values.js';
import { operationLine } from './operation.js';

/** As `--json` prints it. */
export function checkJson({ payment, operation, before, after, outcome, error }: CheckResult) {
  return {
    payment,
    operation,
    before,
    after,
    outcome,
    ...(error === undefined ? {} : { error: describeError(error) }),
  };
}

export const checkLines: View<CheckResult> = (result, look) => {
  if (result.operation !== null) return operationLine(result, look);
  if (result.payment === null) return [];
  const state = result.after ?? 'no state';
  return [
    `Payment ${textAt(result.payment, 'paymentId')} is ${state}. No outcome is unknown: nothing to check.`,
  ];
};
