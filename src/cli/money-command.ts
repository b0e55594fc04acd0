import { type Line, joinPieces, toned } from '../output/lines.js';
import { DeskCommand } from './desk-command.js';
import { type MoneyFlags, moneyFlags } from './payment-flags.js';

/** A command that moves money: on a live app nothing is sent before it was confirmed. */
export abstract class MoneyCommand extends DeskCommand {
  static override baseFlags = { ...DeskCommand.baseFlags, ...moneyFlags };
}

/** Why it is done, for whoever confirms it. */
export function reasonLines({ reason, ticket }: Pick<MoneyFlags, 'reason' | 'ticket'>): Line[] {
  const text = [reason, ticket].filter((part) => part !== undefined).join(', ');
  return text === '' ? [] : [joinPieces(toned('dim', 'Reason: '), text)];
}
