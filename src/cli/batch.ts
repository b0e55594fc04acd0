// What batch apply and batch resume share: the ledger, the app, its confirmation, and the work with its progress.

import { switchProfile, type Command, commandText, paydesk } from '../next-command.js';
import { boolean, custom } from '@oclif/core/flags';
import { endingOfRun } from '../batch/run/ending.js';
import { ignoreDatabaseLoss, type Progress, type RunResult, runBatch } from '../batch/run/run.js';
import type { RunOptions } from '../batch/run/options.js';
import { batchJson } from '../output/views/batch-report.js';
import { type BatchStatus, statusAfterRun, statusOf } from '../batch/rows/status.js';
import { GuardError, type PaydeskError } from '../errors.js';
import type { DeskDatabase } from '../ledger/database.js';
import type { Placed } from '../ledger/place/placed-database.js';
import type { BatchRecord } from '../ledger/schema.js';
import type { Line } from '../output/lines.js';
import { batchList, batchSummary, reportLine, resumeLines } from '../output/views/batch.js';
import { applyingLines, createProgressWriter, createRate } from '../output/views/batch-progress.js';
import type { Desk } from '../payments/desk.js';
import { withLedger } from '../payments/with-ledger.js';
import { refuseReadOnly } from '../profiles/read-only.js';
import type { KnownProfile } from '../profiles/resolve.js';
import type { Owner } from '../store/owner.js';
import { BadValue, parseCurrency, parsePair, parseTotal } from '../typed-values.js';
import type { CommandContext } from './runtime/context.js';
import { deskOf } from './desk/desk.js';
import { checkSharedLedger, openDatabase } from './desk/desk-database.js';
import { countFlag } from './flags/flags.js';
import { checkLedgerPlace } from './desk/ledger-guard.js';
import { askToConfirm, createGuard, sendingFlags } from './desk/live-guard.js';
import { confirmFlag, localLedgerFlag } from './flags/payment-flags.js';
import { connect, verifyKind } from './desk/session.js';

export const DEFAULT_CONCURRENCY = 8;

function parseRate(text: string): number {
  const [, count] = /^(\d+(?:\.\d+)?)(?:\/s)?$/.exec(text) ?? [];
  const rate = Number(count);
  if (count === undefined || rate <= 0) throw new BadValue('rows per second, for example 20/s');
  return rate;
}

async function parseLimit(text: string): Promise<{ currency: string; amount: string }> {
  if (!text.includes('=')) throw new BadValue('a currency and an amount, for example EUR=5000');
  const { key, value } = parsePair(text);
  return { currency: parseCurrency(key), amount: await parseTotal(value) };
}

interface RunFlags {
  confirm?: string | undefined;
  'local-ledger': boolean;
  concurrency?: number | undefined;
  rate?: number | undefined;
  canary?: number | undefined;
  'stop-after-failures'?: number | undefined;
  wait: boolean;
  timeout?: number | undefined;
}

/** On the commands that work on the rows of a batch. */
export const batchFlags = {
  confirm: confirmFlag,
  'local-ledger': localLedgerFlag,
  concurrency: countFlag({
    summary: `Maximum number of rows at once (default ${DEFAULT_CONCURRENCY}); adapts to the service.`,
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
  wait: boolean({ summary: 'Wait until each payment is settled, or until --timeout (default 5m per row).' }),
};

/** How much a plan may move at most. */
export const limitFlags = {
  'max-total': custom<{ currency: string; amount: string }>({ helpValue: 'EUR=5000', parse: parseLimit })({
    multiple: true,
    summary: 'Refuse a plan that moves more, has a currency without a limit, or a row without an amount.',
  }),
  'max-rows': countFlag({ summary: 'Refuse a plan that acts on more rows.' }),
};

interface BatchDesk {
  desk: Desk;
  profile: KnownProfile;
}

/** The database for a batch, which makes many moves at once. */
export async function openBatchDatabase(context: CommandContext): Promise<Placed<DeskDatabase>> {
  context.keepHeapSmall();
  return openDatabase(context, { mayWait: true });
}

/** The profile that the plan was made with, unless another was chosen, which must be of the same app. */
export async function openBatchDesk(
  context: CommandContext,
  database: DeskDatabase,
  of: BatchApp,
  flags: RunFlags & { 'dry-run'?: boolean },
): Promise<BatchDesk> {
  const { env } = context.streams;
  const isChosen = ['PAYDESK_PROFILE', 'PAYDESK_BASE_URL', 'PAYDESK_APP_ID', 'PAYDESK_API_KEY'].some(
    (name) => env[name],
  );
  const planned = isChosen ? undefined : (of.profile ?? undefined);
  // After Ctrl-C no new row starts, but rows in flight are finished: these calls ignore it.
  const { signal } = new AbortController();
  const opened = await connect(context, { profileName: context.profileName ?? planned, signal });
  if (flags['dry-run'] !== true) refuseReadOnly(opened.profile);
  const session = await verifyKind(opened, context.note);
  const { profile } = session;
  if (profile.baseUrl !== of.baseUrl || profile.appId !== of.appId) throw otherApp(context, profile, of);
  const desk = deskOf(session, database.ledger, {
    signal,
    timeout: flags.timeout,
    // One line per row would hide the progress; the report has what there is to say about each row.
    note: () => undefined,
  });
  return { desk, profile };
}

/** Before anything is sent that moves money: checks the ledger and has the app confirmed. */
export async function confirmBatch(
  context: CommandContext,
  { place }: Placed<DeskDatabase>,
  profile: KnownProfile,
  { lines, ...flags }: RunFlags & { 'dry-run'?: boolean; lines: Line[] },
): Promise<void> {
  const dryRun = flags['dry-run'] === true;
  checkSharedLedger(context, profile, { localLedger: flags['local-ledger'] || dryRun, bound: true });
  await checkLedgerPlace(context, place, profile.kind === 'live' && !dryRun);
  await askToConfirm(createGuard(context, profile, flags), { lines });
}

/** What `--json` prints after a run. */
export interface BatchRunJson extends ReturnType<typeof batchJson> {
  stopped?: string;
  next: string[];
}

/** Works on the batch, and shows the progress and the result. */
export async function workOnBatch(
  context: CommandContext,
  { database, desk, owner }: { database: DeskDatabase; desk: Desk; owner: Owner },
  batch: BatchRecord,
  flags: RunFlags & Pick<RunOptions, 'resend' | 'lookAgain'>,
): Promise<BatchRunJson> {
  const progress = createProgressWriter(context.streams);
  const rate = createRate(Date.now);
  const { signal } = context;
  const announce = () => {
    progress.leave();
    context.note('Stopping: nothing new is sent. Waiting for the rows in flight …');
  };
  signal.addEventListener('abort', announce, { once: true });
  const tools = {
    desk,
    store: database.store,
    owner,
    stop: signal,
    onProgress: (state: Progress) => {
      if (!signal.aborted) progress.update((width) => applyingLines(state, rate(state.worked), width));
    },
  };
  const options = {
    concurrency: flags.concurrency ?? DEFAULT_CONCURRENCY,
    rate: flags.rate,
    canary: flags.canary,
    stopAfterFailures: flags['stop-after-failures'],
    wait: flags.wait,
    resend: flags.resend,
    lookAgain: flags.lookAgain,
  };
  // runBatch throws an error of the ledger only as long as nothing was sent; after that, its result has it.
  const result = await withLedger(() => runBatch(tools, batch, options)).finally(() => {
    progress.end();
    signal.removeEventListener('abort', announce);
  });
  const status = await statusAfter(database, batch, { result, owner });
  const ending = endingOfRun(batch.id, result, {
    sendingFlags: sendingFlags(context, desk.app, { localLedger: flags['local-ledger'] }),
    resent: flags.resend,
  });
  await present(context, status, { ending, remaining: result.remaining });
  if (ending) context.endAs(ending);
  return {
    ...batchJson(status),
    ...(result.stopped === undefined ? {} : { stopped: result.stopped.kind }),
    next: (ending?.next ?? []).map((command) => commandText(command, context.profileName)),
  };
}

async function statusAfter(
  database: DeskDatabase,
  batch: BatchRecord,
  { result, owner }: { result: RunResult; owner: Owner },
): Promise<BatchStatus> {
  // Without the database, only the counts of this run are known.
  const known = statusAfterRun(batch, result.counts);
  if (result.stopped?.kind === 'ledger') return known;
  return (await statusOf(database.store, batch, owner).catch(ignoreDatabaseLoss)) ?? known;
}

async function present(
  context: CommandContext,
  status: BatchStatus,
  { ending, remaining }: { ending: PaydeskError | undefined; remaining: RunResult['remaining'] },
): Promise<void> {
  if (context.json) return;
  if (context.streams.stdout.terminal) context.show(status, batchSummary);
  else await context.showList([status], batchList);
  // An error has its own next steps.
  if (ending === undefined || ending.next.length === 0)
    context.note(...resumeLines(status, remaining), reportLine(status));
}

/** The app that a plan was made for. */
interface BatchApp {
  baseUrl: string;
  appId: string;
  profile: string | null;
}

function otherApp({ typed }: CommandContext, profile: KnownProfile, of: BatchApp): GuardError {
  const name = profile.name ?? 'environment';
  return new GuardError(
    `This batch is for app ${of.appId} at ${of.baseUrl}, but ${name} is app ${profile.appId} at ${profile.baseUrl}. Nothing was sent.`,
    {
      code: 'other-app',
      next: [stepToRightApp(typed, profile, of)],
    },
  );
}

function stepToRightApp(typed: Command, { name }: KnownProfile, of: BatchApp): Command {
  if (of.profile === null) return paydesk('whoami');
  // The profile was changed after the plan was made.
  if (of.profile === name) return paydesk('profiles', 'show', name);
  return switchProfile(typed, of.profile);
}
