import type { PaymentRead } from '../client/payment-calls.js';
import { type Command, paydesk, shellWord } from '../next-command.js';
import { stateOf } from './named-payments.js';

/** How to tell paydesk what a state of the service means, by a command and by the variable for CI. */
export function aliasHint(read: PaymentRead): { next: Command[]; details: string } {
  const pair = `${stateOf(read) ?? 'THEIRS'}=OURS`;
  const next = paydesk('profiles', 'alias', 'PROFILE', pair);
  return {
    next: [next],
    details: `If it means one of paydesk's states, map it with that command, or set PAYDESK_STATE_ALIASES=${shellWord(pair)}.`,
  };
}
