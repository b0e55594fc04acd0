// What can be done while an instruction of this desk is not settled: look, ask, settle, and nothing else.

import { type Action, actionOf, type CommandOf } from './action.js';
import type { Facts, OpenInstruction } from './facts.js';
import { nouns, openVerdict, shownBy } from './open-verdict.js';

/** The recommended one first. */
export function openActions(facts: Facts, open: OpenInstruction, commandOf: CommandOf): Action[] {
  const settle: Action = {
    operation: open.operation,
    title: 'Settle it',
    command: commandOf(open.operation),
    flags: [],
    consequence: `Reads what became of the ${nouns[open.operation]}. Sends nothing.`,
    recommended: false,
  };
  const resend: Action = {
    operation: open.operation,
    title: 'Send it anew',
    command: commandOf(open.operation, '--resend'),
    flags: ['--resend'],
    consequence: `Asks the provider first. Only if nothing has moved, the ${nouns[open.operation]} of ${facts.amount} is sent once more.`,
    recommended: false,
  };
  const recheck = actionOf(facts, 'recheck', commandOf);
  const watch = actionOf(facts, 'watch', commandOf);
  const place = shownBy(open, facts);
  const asked = facts.recheckedTime !== undefined;
  switch (place) {
    case 'at-its-end':
      return [settle];
    case 'on-its-way':
      return openVerdict(facts)?.stuck ? [recheck, settle] : [watch, settle, recheck];
    case 'before':
      if (!open.quietOver) return [settle, recheck];
      // What the service took is more likely late than lost: the provider is asked before anything is sent anew.
      if (open.outcome === 'accepted' && !asked) return [recheck, settle];
      return [resend, settle];
    default:
      return [settle, recheck];
  }
}
