import type { PaymentRead } from '../client/payment-calls.js';
import { stateOf } from './named-payments.js';

/** How to tell paydesk what a state of the service means, by a command and by the variable for CI. */
export function aliasHint(read: PaymentRead): { next: string[]; details: string } {
  const pair = `${stateOf(read) ?? 'THEIRS'}=OURS`;
  const quoted = /^[\w=]+$/.test(pair) ? pair : `'${pair.replaceAll("'", String.raw`'\''`)}'`;
  return {
    next: [`paydesk profiles alias PROFILE ${quoted}`],
    details: `If it means one of paydesk's states, map it with that command, or set PAYDESK_STATE_ALIASES=${quoted}.`,
  };
}
