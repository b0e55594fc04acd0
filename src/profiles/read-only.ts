// A read-only desk changes nothing at the service.

import { GuardError } from '../errors.js';
import { otherProgram, paydesk } from '../next-command.js';
import type { Environment } from '../child-environment.js';

const VARIABLE = 'PAYDESK_READ_ONLY';

/** Whether PAYDESK_READ_ONLY asks for it. What is not clearly a no is a yes. */
export function readOnlyIn(env: Environment): boolean {
  return !['', '0', 'false', 'no'].includes((env[VARIABLE] ?? '').trim().toLowerCase());
}

interface Desk {
  name?: string;
  readOnly: boolean;
  sources: { readOnly: string };
}

/** Refuses before any request. */
export function refuseReadOnly({ name, readOnly, sources }: Desk): void {
  if (!readOnly) return;
  const byVariable = sources.readOnly === `environment ${VARIABLE}`;
  const why = byVariable || name === undefined ? `${VARIABLE} is set` : `profile ${name} is read-only`;
  throw new GuardError(`This desk is read-only: ${why}. Nothing was sent.`, {
    code: 'read-only',
    next:
      byVariable || name === undefined
        ? [otherProgram('unset', VARIABLE)]
        : [paydesk('profiles', 'set', name, '--no-read-only')],
  });
}
