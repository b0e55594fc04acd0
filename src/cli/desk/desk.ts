// A desk for payments: the app, the ledger, and the confirmation that a live app needs.

import { systemClock } from '../../client/clock.js';
import { loadOnce } from '../../concurrency.js';
import { createLazyLedger } from '../../ledger/moves/lazy-ledger.js';
import type { Ledger } from '../../ledger/moves/ledger.js';
import type { LateDatabase } from '../../ledger/database.js';
import type { Placed } from '../../ledger/place/placed-database.js';
import { steadyNow } from '../../ledger/steady-clock.js';
import type { Desk } from '../../payments/desk.js';
import { withLedger } from '../../payments/with-ledger.js';
import type { CommandContext } from '../runtime/context.js';
import { openLedger } from './desk-database.js';
import { checkLedgerPlace } from './ledger-guard.js';
import { createGuard, type LiveGuard } from './live-guard.js';
import { refuseReadOnly } from '../../profiles/read-only.js';
import { openChangingSession, openSession, openVerifiedSession, type ChangingSession } from './session.js';

const WAIT_MS = 5 * 60_000;

interface DeskFlags {
  confirm?: string | undefined;
  'dry-run'?: boolean;
  timeout?: number | undefined;
}

/** Opens the database of this desk when it is first called. */
export type OpenDatabase = () => Promise<Placed<LateDatabase>>;

export const lazyDatabase = (context: CommandContext): OpenDatabase => loadOnce(() => openLedger(context));

export const lazyLedger = (context: CommandContext, database = lazyDatabase(context)): Ledger =>
  createLazyLedger(async () => (await database()).ledger);

export interface MoneyDesk {
  desk: Desk;
  guard: LiveGuard;
  database: OpenDatabase;
}

/** For what moves money. Refuses before anything is read or sent if nobody can confirm it. */
export async function openDesk(context: CommandContext, flags: DeskFlags): Promise<MoneyDesk> {
  const session = await openChangingSession(context, { dryRun: flags['dry-run'] === true });
  const database = lazyDatabase(context);
  const guard = createGuard(context, session.profile, flags);
  const lazy = createLazyLedger(() => openForMoney(context, database, guard));
  const open: Ledger['open'] = (...asked) => {
    context.startChanging();
    return lazy.open(...asked);
  };
  return { desk: watchedDesk(context, session, { ...lazy, open }, flags), guard, database };
}

/** For what moves no money, so that nothing needs to be confirmed. */
export async function openCheckingDesk(
  context: CommandContext,
  flags: Pick<DeskFlags, 'timeout'>,
): Promise<Desk> {
  // A read-only desk may check as well: its client leaves the recheck out.
  const session = await openVerifiedSession(context);
  return watchedDesk(context, session, lazyLedger(context), flags);
}

/** For rechecks: it is enough to know the app, live or not. */
export async function openRecheckDesk(context: CommandContext) {
  const { client, profile } = await openSession(context);
  refuseReadOnly(profile);
  const { baseUrl, appId, kind, name } = profile;
  const database = lazyDatabase(context);
  const app = { baseUrl, appId, kind: kind ?? 'live', profile: name };
  return { client, profile, ledger: lazyLedger(context, database), database, app, note: context.note };
}

/** For requests that are sent without the ledger: on a live app, the ledger must still be the right one. */
export function liveLedgerReady(desk: Desk, { profile, dryRun }: LiveGuard): Promise<void> {
  if (profile.kind !== 'live' || dryRun) return Promise.resolve();
  const ready = withLedger(() => desk.ledger.ready());
  // Reported by the caller that waits for it, which may be never.
  ready.catch(() => {});
  return ready;
}

/** The check runs while the first reads are under way, and is over before anything is sent. */
async function openForMoney(
  context: CommandContext,
  database: OpenDatabase,
  { profile, dryRun }: LiveGuard,
): Promise<Ledger> {
  const { ledger, place } = await database();
  await checkLedgerPlace(context, place, profile.kind === 'live' && !dryRun);
  return ledger;
}

/** A person at the terminal sees what it waits for. */
function watchedDesk(
  context: CommandContext,
  session: ChangingSession,
  ledger: Ledger,
  { timeout }: Pick<DeskFlags, 'timeout'>,
): Desk {
  const { signal, note } = context;
  const status = (text: string) => context.status(text, 'Ctrl-C ends the wait.');
  return { ...deskOf(session, ledger, { signal, note, timeout }), status };
}

export function deskOf(
  { profile, client, settling }: ChangingSession,
  ledger: Ledger,
  { signal, note, timeout }: Pick<Desk, 'signal' | 'note'> & { timeout: number | undefined },
): Desk {
  const { baseUrl, appId, kind, name, quietMs, sandboxQuietMs } = profile;
  return {
    client,
    settling,
    ledger,
    app: { baseUrl, appId, kind, profile: name },
    quietMs,
    sandboxQuietMs,
    clock: systemClock,
    steady: () => steadyNow().ms,
    signal,
    waitMs: timeout ?? WAIT_MS,
    note,
  };
}
