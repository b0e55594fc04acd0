import { systemClock } from './client/clock.js';
import { checkConfirmation, type LiveGuard } from './live-guard.js';
import type { Desk } from './operations/desk.js';
import { type Line, joinPieces, toned } from './output/lines.js';
import { type MoneyFlags, moneyFlags } from './payment-flags.js';
import { ServiceCommand } from './service-command.js';

const WAIT_MS = 5 * 60_000;

/** A command that moves money: on a live app nothing is sent before it was confirmed. */
export abstract class MoneyCommand extends ServiceCommand {
  static override baseFlags = { ...ServiceCommand.baseFlags, ...moneyFlags };

  protected async openDesk(flags: MoneyFlags): Promise<{ desk: Desk; guard: LiveGuard }> {
    const { profile, client, settling } = await this.session();
    const note = (...lines: Line[]) => this.note(...lines);
    const guard: LiveGuard = {
      profile,
      confirm: flags.confirm,
      interactive: this.interactive,
      dryRun: flags['dry-run'],
      note,
      prompts: () => this.promptContext,
    };
    checkConfirmation(guard, `paydesk ${(this.id ?? '').replaceAll(':', ' ')} …`);
    const waitMs = flags.timeout ?? WAIT_MS;
    return { desk: { client, settling, clock: systemClock, signal: this.signal, waitMs, note }, guard };
  }
}

/** Why it is done, for whoever confirms it. */
export function reasonLines({ reason, ticket }: MoneyFlags): Line[] {
  const text = [reason, ticket].filter((part) => part !== undefined).join(', ');
  return text === '' ? [] : [joinPieces(toned('dim', 'Reason: '), text)];
}
