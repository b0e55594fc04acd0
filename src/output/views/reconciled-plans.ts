import { commandText, paydesk } from '../../next-command.js';
import type { Line } from '../lines.js';

interface WrittenPlan {
  file: string;
  action: string;
  rows: number;
}

/** Which plans were written, and how to look at and apply them. */
export function savedPlanLines(plans: readonly WrittenPlan[]): Line[] {
  if (plans.length === 0) return ['No plan was written: no next step moves money.'];
  return plans.flatMap(({ file, action, rows }) => [
    `Saved a plan to ${action} ${rows} ${rows === 1 ? 'payment' : 'payments'} to ${file}. Nothing was sent.`,
    `Review it with: ${commandText(paydesk('batch', 'apply', file, '--dry-run'))}`,
  ]);
}
