import { ServiceError } from '../errors.js';
import { type Command, paydesk } from '../next-command.js';

/** Adds to a refused payment what its customer, or its provider, can do in this state. */
export function notPayable(error: unknown, id: string, state: string): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'operation-not-allowed') return error;
  return error.with({ next: [nextIn(state, id)] });
}

function nextIn(state: string, id: string): Command {
  if (state === 'ActionRequired') return paydesk('sandbox', 'pay', id, '--challenge', 'passed');
  return state === 'Processing'
    ? paydesk('sandbox', 'provider', id, 'confirm')
    : paydesk('payments', 'create');
}
