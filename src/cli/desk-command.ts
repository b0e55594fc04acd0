import { systemClock } from '../client/clock.js';
import type { DeskDatabase } from '../ledger/desk.js';
import { createLazyLedger } from '../ledger/lazy-ledger.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Desk } from '../payments/desk.js';
import type { Line } from '../output/lines.js';
import { openDatabase } from './desk-database.js';
import { checkConfirmation, type LiveGuard } from './live-guard.js';
import { ServiceCommand } from './service-command.js';

const WAIT_MS = 5 * 60_000;

export interface DeskOptions {
  confirm?: string | undefined;
  'dry-run'?: boolean;
  timeout?: number | undefined;
}

/** A command that works with what this desk has on record, and opens it when that is first asked for. */
export abstract class DeskCommand extends ServiceCommand {
  #database: Promise<DeskDatabase> | undefined;

  protected database(): Promise<DeskDatabase> {
    return (this.#database ??= this.#open());
  }

  protected lazyLedger(): Ledger {
    return createLazyLedger(async () => (await this.database()).ledger);
  }

  async #open(): Promise<DeskDatabase> {
    const database = await openDatabase(this.streams.env);
    this.atEnd(database.close);
    return database;
  }

  /** Refuses before anything is read or sent what nobody can confirm. */
  protected async openDesk(options: DeskOptions): Promise<{ desk: Desk; guard: LiveGuard }> {
    const { profile, client, settling } = await this.session();
    const note = (...lines: Line[]) => this.note(...lines);
    const guard: LiveGuard = {
      profile,
      confirm: options.confirm,
      interactive: this.interactive,
      dryRun: options['dry-run'] === true,
      note,
      prompts: () => this.promptContext,
    };
    checkConfirmation(guard, this.typed);
    const { baseUrl, appId, kind, name, quietMs } = profile;
    const desk: Desk = {
      client,
      settling,
      ledger: this.lazyLedger(),
      place: { baseUrl, appId, kind, profile: name },
      quietMs,
      clock: systemClock,
      signal: this.signal,
      waitMs: options.timeout ?? WAIT_MS,
      note,
    };
    return { desk, guard };
  }
}
