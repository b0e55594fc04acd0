import { systemClock } from '../client/clock.js';
import { openDatabase, quietPeriod } from './desk-database.js';
import { createLazyLedger } from '../ledger/lazy-ledger.js';
import { checkConfirmation, type LiveGuard } from './live-guard.js';
import type { Desk } from '../operations/desk.js';
import { type Line, joinPieces, toned } from '../output/lines.js';
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
    checkConfirmation(guard, this.typed);
    const { env } = this.streams;
    const { baseUrl, appId, kind, name } = profile;
    const ledger = createLazyLedger(async () => {
      const database = await openDatabase(env);
      this.atEnd(database.close);
      return database.ledger;
    });
    const desk: Desk = {
      client,
      settling,
      ledger,
      place: { baseUrl, appId, kind, profile: name },
      quietMs: quietPeriod(env),
      clock: systemClock,
      signal: this.signal,
      waitMs: flags.timeout ?? WAIT_MS,
      note,
    };
    return { desk, guard };
  }
}

/** Why it is done, for whoever confirms it. */
export function reasonLines({ reason, ticket }: MoneyFlags): Line[] {
  const text = [reason, ticket].filter((part) => part !== undefined).join(', ');
  return text === '' ? [] : [joinPieces(toned('dim', 'Reason: '), text)];
}
