import type { PaymentRead } from '../client/payment-calls.js';
import { type Command, paydesk, shellWord } from '../next-command.js';
import { commandPiece, type Line } from '../output/lines.js';
import { stateOf } from './named-payments.js';

/** How to tell paydesk what a state of the service means, by a command and by the variable for CI. */
export function aliasHint(read: PaymentRead): { next: Command[]; details: string } {
  const { command, variable } = aliasOf(read);
  return {
    next: [command],
    details: `If it means one of paydesk's states, map it with that command, or set ${variable}.`,
  };
}

/** The same as a note: a state that paydesk does not know is shown and never guessed at. */
export function unknownStateNote(read: PaymentRead): Line {
  const { command, variable } = aliasOf(read);
  const problem = `paydesk does not know the state ${stateOf(read) ?? '(none)'}.`;
  return [`${problem} If it means one of paydesk's states, set ${variable}, or run: `, commandPiece(command)];
}

function aliasOf(read: PaymentRead): { command: Command; variable: string } {
  const pair = `${stateOf(read) ?? 'THEIRS'}=OURS`;
  return {
    command: paydesk('profiles', 'alias', 'PROFILE', pair),
    variable: `PAYDESK_STATE_ALIASES=${shellWord(pair)}`,
  };
}
