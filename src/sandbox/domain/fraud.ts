import { toHundredths } from '../../contract/money.js';

export const fraudRules = ['allow', 'hold', 'hold-above', 'block'] as const;

interface FraudPolicy {
  rule: string;
  /** For `hold-above`: larger amounts are held. */
  threshold: string | null;
}

export type FraudVerdict = 'allow' | 'hold' | 'block';

/** What a policy says of an amount. No policy allows. */
export function judge(policy: FraudPolicy | undefined, amount: string): FraudVerdict {
  if (policy?.rule === 'hold' || policy?.rule === 'block') return policy.rule;
  if (policy?.rule === 'hold-above' && toHundredths(amount) > toHundredths(policy.threshold ?? '0'))
    return 'hold';
  return 'allow';
}
