import { systemClock } from '../client/clock.js';
import { createLazyLedger } from '../ledger/lazy-ledger.js';
import type { Ledger } from '../ledger/ledger.js';
import type { PlacedDatabase } from '../ledger/place/placed-ledger.js';
import { steadyNow } from '../ledger/steady-clock.js';
import type { Desk } from '../payments/desk.js';
import { beforeSending } from '../payments/move/record.js';
import type { Line } from '../output/lines.js';
import type { ResolvedProfile } from '../profiles/resolve.js';
import { noteCustomerChange, type CustomerChange } from './customer-history.js';
import { openDatabase } from './desk-database.js';
import { checkLedgerPlace } from './ledger-guard.js';
import { checkConfirmation, type LiveGuard } from './live-guard.js';
import { ServiceCommand } from './service-command.js';
import type { ChangingSession } from './session.js';

const WAIT_MS = 5 * 60_000;

export interface DeskOptions {
  confirm?: string | undefined;
  'dry-run'?: boolean;
  timeout?: number | undefined;
}

/** A command that works with what this desk has on record, and opens it when that is first asked for. */
export abstract class DeskCommand extends ServiceCommand {
  #database: Promise<PlacedDatabase> | undefined;

  protected database(): Promise<PlacedDatabase> {
    return (this.#database ??= this.#open());
  }

  protected lazyLedger(): Ledger {
    return createLazyLedger(async () => (await this.database()).ledger);
  }

  protected noteCustomerChange(profile: ResolvedProfile, change: CustomerChange): Promise<void> {
    return noteCustomerChange(this.lazyLedger(), profile, change, (text) => this.note(text));
  }

  async #open(): Promise<PlacedDatabase> {
    const database = await openDatabase(this.streams.env);
    this.atEnd(database.close);
    return database;
  }

  /** The check runs while the first reads are under way, and is over before anything is sent. */
  async #openForMoney({ profile, dryRun }: LiveGuard): Promise<Ledger> {
    const { ledger, place } = await this.database();
    const { env } = this.streams;
    const note = (...lines: Line[]) => this.note(...lines);
    await checkLedgerPlace(place, profile.kind === 'live' && !dryRun, { program: this.program, env, note });
    return ledger;
  }

  /** For what can be sent without a ledger: on a live app it must be the right one all the same. */
  protected liveLedgerReady(desk: Desk, { profile, dryRun }: LiveGuard): Promise<void> {
    if (profile.kind !== 'live' || dryRun) return Promise.resolve();
    const ready = beforeSending(() => desk.ledger.ready());
    // Reported by whoever waits for it, which may be never.
    ready.catch(() => {});
    return ready;
  }

  /** A desk that nothing needs to be confirmed for: it moves no money. */
  protected async openCheckingDesk(options: Pick<DeskOptions, 'timeout'>): Promise<Desk> {
    return this.#deskOf(await this.changingSession(), this.lazyLedger(), options);
  }

  #deskOf(
    { profile, client, settling }: ChangingSession,
    ledger: Ledger,
    options: Pick<DeskOptions, 'timeout'>,
  ): Desk {
    const { baseUrl, appId, kind, name, quietMs, sandboxQuietMs } = profile;
    return {
      client,
      settling,
      ledger,
      place: { baseUrl, appId, kind, profile: name },
      quietMs,
      sandboxQuietMs,
      clock: systemClock,
      steady: () => steadyNow().ms,
      signal: this.signal,
      waitMs: options.timeout ?? WAIT_MS,
      note: (...lines: Line[]) => this.note(...lines),
    };
  }

  /** Refuses before anything is read or sent what nobody can confirm. */
  protected async openDesk(options: DeskOptions): Promise<{ desk: Desk; guard: LiveGuard }> {
    const session = await this.changingSession();
    const { profile } = session;
    const ledger = createLazyLedger(() => this.#openForMoney(guard));
    const desk = this.#deskOf(session, ledger, options);
    const guard: LiveGuard = {
      profile,
      confirm: options.confirm,
      interactive: this.interactive,
      dryRun: options['dry-run'] === true,
      note: desk.note,
      prompts: () => this.promptContext,
    };
    checkConfirmation(guard, this.typed);
    return { desk, guard };
  }
}
