import { steadyNow } from '../ledger/steady-clock.js';
import { boolean, custom, string } from '@oclif/core/flags';
import { type BatchStatus, statusAfterRun, statusOf } from '../batch/standing.js';
import { endingOfRun } from '../batch/ending.js';
import { createOwner, type Owner } from '../store/owner.js';
import { type RunResult, runBatch } from '../batch/run.js';
import type { RunOptions } from '../batch/run-options.js';
import { keepHeapSmall } from '../batch/small-heap.js';
import { systemClock } from '../client/clock.js';
import { checkSharedLedger, openDatabase } from './desk-database.js';
import { GuardError, type PaydeskError } from '../errors.js';
import { countFlag } from './flags.js';
import { BadValue } from '../typed-values.js';
import type { DeskDatabase } from '../ledger/desk.js';
import type { PlacedDatabase } from '../ledger/place/placed-ledger.js';
import type { BatchRecord } from '../ledger/schema.js';
import { checkLedgerPlace } from './ledger-guard.js';
import { askToConfirm, checkConfirmation, type LiveGuard } from './live-guard.js';
import type { Desk } from '../payments/desk.js';
import type { Line } from '../output/lines.js';
import { liveBanner } from '../output/views/live.js';
import { batchList, batchSummary, nextLines } from '../output/views/batch.js';
import { applyingLines, createProgressWriter, createRate } from '../output/views/batch-progress.js';
import { localLedgerFlag } from './payment-flags.js';
import type { KnownProfile, ResolvedProfile } from '../profiles/resolve.js';
import { ServiceCommand } from './service-command.js';
import { openSession, verifyKind } from './session.js';

const CONCURRENCY = 8;
const WAIT_MS = 5 * 60_000;

function parseRate(text: string): number {
  const [, count] = /^(\d+(?:\.\d+)?)(?:\/s)?$/.exec(text) ?? [];
  const rate = Number(count);
  if (count === undefined || rate <= 0) throw new BadValue('rows per second, for example 20/s');
  return rate;
}

export interface RunFlags {
  confirm?: string | undefined;
  'local-ledger': boolean;
  concurrency?: number | undefined;
  rate?: number | undefined;
  canary?: number | undefined;
  'stop-after-failures'?: number | undefined;
  wait: boolean;
  timeout?: number | undefined;
}

/** A command that works on the rows of a batch. */
export abstract class BatchCommand extends ServiceCommand {
  static override baseFlags = {
    ...ServiceCommand.baseFlags,
    confirm: string({
      helpValue: 'APP_ID',
      summary: 'App ID to confirm: required on a live app without a terminal.',
    }),
    'local-ledger': localLedgerFlag,
    concurrency: countFlag({
      summary: `Maximum number of rows at once (default ${CONCURRENCY}); adapts to the service.`,
    }),
    rate: custom<number>({ helpValue: 'N/s', parse: async (text) => parseRate(text) })({
      summary: 'Maximum number of rows per second.',
    }),
    canary: countFlag({
      summary: 'Send the first N rows one by one, and continue only if each is done or accepted.',
    }),
    'stop-after-failures': countFlag({
      summary: 'Stop when N rows of this run are refused, failed or unknown.',
    }),
    wait: boolean({ summary: 'Wait until each payment reaches its end state.' }),
  };

  /** A batch has a session of its own, and says row by row what was sent. */
  protected override get mayHaveChanged(): boolean {
    return true;
  }

  /** What happens is shown as it happens. */
  protected override get tellsWaiting(): boolean {
    return false;
  }

  protected readonly owner: Owner = createOwner();

  protected async openLedger(): Promise<PlacedDatabase> {
    keepHeapSmall();
    const database = await openDatabase(this.streams.env, { patient: true });
    this.atEnd(database.close);
    return database;
  }

  /** The profile that the plan was made with, unless another was chosen, which must be of the same app. */
  protected async openApp(
    database: DeskDatabase,
    of: { baseUrl: string; appId: string; profile: string | null },
    flags: RunFlags,
  ): Promise<{ desk: Desk; profile: KnownProfile }> {
    const { env } = this.streams;
    const chosen = ['PAYDESK_PROFILE', 'PAYDESK_BASE_URL', 'PAYDESK_APP_ID', 'PAYDESK_API_KEY'].some(
      (name) => env[name],
    );
    const usual = chosen ? undefined : (of.profile ?? undefined);
    // Ctrl-C starts nothing new, but rows in flight are brought to their end: these calls ignore it.
    const { signal } = new AbortController();
    const opened = await openSession({
      profileName: this.profileName ?? usual,
      env,
      secrets: this.secrets,
      trace: this.debugs ? this.trace : undefined,
      note: (text) => this.note(text),
      signal,
    });
    this.atEnd(() => opened.close());
    const { profile, client, settling } = await verifyKind(opened, (line) => this.note(line));
    if (profile.baseUrl !== of.baseUrl || profile.appId !== of.appId) throw otherApp(profile, of);
    const desk: Desk = {
      client,
      settling,
      ledger: database.ledger,
      place: { baseUrl: profile.baseUrl, appId: profile.appId, kind: profile.kind, profile: profile.name },
      quietMs: profile.quietMs,
      sandboxQuietMs: profile.sandboxQuietMs,
      clock: systemClock,
      steady: () => steadyNow().ms,
      signal,
      waitMs: flags.timeout ?? WAIT_MS,
      // One line per row would hide the progress; the report has what there is to say about each row.
      note: () => undefined,
    };
    return { desk, profile };
  }

  /** Before anything is sent that moves money: checks the ledger and has the app confirmed. */
  protected async confirmApp(
    { place }: PlacedDatabase,
    profile: KnownProfile,
    flags: RunFlags & { dryRun: boolean },
    lines: Line[],
  ): Promise<void> {
    checkSharedLedger(this.streams.env, profile.kind, flags['local-ledger'] || flags.dryRun, this.typed);
    const { env } = this.streams;
    const note = (...said: Line[]) => this.note(...said);
    const isLive = profile.kind === 'live' && !flags.dryRun;
    await checkLedgerPlace(place, isLive, { program: this.program, env, note });
    const guard: LiveGuard = {
      profile,
      confirm: flags.confirm,
      interactive: this.interactive,
      dryRun: flags.dryRun,
      note,
      prompts: () => this.promptContext,
    };
    checkConfirmation(guard, this.typed);
    await askToConfirm(guard, { lines });
  }

  protected showBanner(profile: ResolvedProfile): void {
    this.note(...liveBanner(profile));
  }

  /** Works on the batch, and shows the progress and the result. */
  protected async work(
    database: DeskDatabase,
    desk: Desk,
    batch: BatchRecord,
    flags: RunFlags & Pick<RunOptions, 'resend' | 'settleAccepted'>,
  ): Promise<unknown> {
    const { terminal } = this.streams.stderr;
    const write = (text: string) => this.streams.writeError(text);
    const progress = createProgressWriter({ write, terminal, now: Date.now });
    const rate = createRate(Date.now);
    const { signal } = this;
    const announce = () => {
      progress.end();
      this.note('', 'Stopping: nothing new is sent. Waiting for the rows in flight …');
    };
    signal.addEventListener('abort', announce, { once: true });
    const result = await runBatch(
      {
        desk,
        store: database.store,
        owner: this.owner,
        stop: signal,
        onProgress: (state) => {
          if (!signal.aborted) progress.update(() => applyingLines(state, rate(state.worked)));
        },
      },
      batch,
      {
        concurrency: flags.concurrency ?? CONCURRENCY,
        rate: flags.rate,
        canary: flags.canary,
        stopAfterFailures: flags['stop-after-failures'],
        wait: flags.wait,
        resend: flags.resend,
        settleAccepted: flags.settleAccepted,
      },
    ).finally(() => {
      progress.end();
      signal.removeEventListener('abort', announce);
    });
    const status = await this.#statusAfter(database, batch, result);
    const ending = endingOfRun(batch.id, result);
    await this.#present(status, ending);
    if (ending) this.endAs(ending);
    return {
      ...status,
      ...(result.stopped === undefined ? {} : { stopped: result.stopped.kind }),
      next: ending?.next ?? [],
    };
  }

  async #statusAfter(database: DeskDatabase, batch: BatchRecord, result: RunResult): Promise<BatchStatus> {
    // What this run knows is all there is when the database is away.
    const known = statusAfterRun(batch, result.counts);
    if (result.stopped?.kind === 'ledger') return known;
    return statusOf(database.store, batch, this.owner).catch(() => known);
  }

  async #present(status: BatchStatus, ending: PaydeskError | undefined): Promise<void> {
    if (this.json) return;
    if (this.streams.stdout.terminal) this.show(status, batchSummary);
    else await this.showList([status], batchList);
    // An error has its own next steps.
    if (ending === undefined || ending.next.length === 0) this.note(...nextLines(status));
  }
}

function otherApp(
  profile: ResolvedProfile,
  of: { baseUrl: string; appId: string; profile: string | null },
): GuardError {
  const name = profile.name ?? 'environment';
  return new GuardError(
    `This batch is for app ${of.appId} at ${of.baseUrl}, but ${name} is app ${profile.appId} at ${profile.baseUrl}. Nothing was sent.`,
    {
      code: 'other-app',
      next: of.profile === null ? ['paydesk whoami'] : [`paydesk … --profile ${of.profile}`],
    },
  );
}
