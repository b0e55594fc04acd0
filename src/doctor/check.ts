import { counted } from '../contract/amount-format.js';
import { commandText, type NextStep } from '../next-command.js';
import { PaydeskError, ProfileError, TemporaryError } from '../errors.js';

const checkNames = [
  'node',
  'config',
  'modes',
  'keyring',
  'ledger',
  'profile',
  'proxy',
  'dns',
  'tls',
  'service',
  'clock',
  'key',
  'kind',
] as const;
export type CheckName = (typeof checkNames)[number];

/** One thing that was looked at, and what to type when it is not as it should be. */
export interface Check {
  name: CheckName;
  status: 'pass' | 'warn' | 'fail';
  message: string;
  fix?: string;
}

export const pass = (name: CheckName, message: string): Check => ({ name, status: 'pass', message });

export const warn = (name: CheckName, message: string, fix?: string): Check => ({
  name,
  status: 'warn',
  message,
  ...(fix === undefined ? {} : { fix }),
});

export const fail = (name: CheckName, message: string, fix?: string): Check => ({
  ...warn(name, message, fix),
  status: 'fail',
});

/** Commands that belong together, in one line. */
export const inTurn = (steps: readonly NextStep[]): string =>
  steps.map((step) => commandText(step)).join(', then ');

export const notChecked = (name: CheckName, why: string): Check => warn(name, `Not checked: ${why}.`);

export interface Diagnosis {
  ok: boolean;
  checks: Check[];
}

export function diagnose(checks: readonly Check[]): Diagnosis {
  const sorted = checks.toSorted((a, b) => checkNames.indexOf(a.name) - checkNames.indexOf(b.name));
  return { ok: sorted.every(({ status }) => status !== 'fail'), checks: sorted };
}

// A refused key is reported before a service that does not answer, and both before everything else.
const access: readonly CheckName[] = ['config', 'profile', 'key', 'kind'];
const reach: readonly CheckName[] = ['proxy', 'dns', 'tls', 'service'];

/** The most serious failure, as the error with its exit code. */
export function failedCheck({ checks }: Diagnosis): PaydeskError | undefined {
  const failed = checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
  if (failed.length === 0) return undefined;
  const message = `${counted(failed.length, 'check')} failed: ${failed.join(', ')}.`;
  if (failed.some((name) => access.includes(name)))
    return new ProfileError(message, { code: 'doctor-access' });
  if (failed.some((name) => reach.includes(name)))
    return new TemporaryError(message, { code: 'doctor-reach' });
  return new PaydeskError(message, { code: 'doctor-failed' });
}
