import { paydesk } from '../../next-command.js';
import { systemClock } from '../../client/clock.js';
import { InterruptedError, UsageError } from '../../errors.js';
import { readHistory, type HistoryRecord } from '../../ledger/moves/history.js';
import { findOperator } from '../../ledger/operator.js';
import { historyList } from '../../output/views/history.js';
import { earlierLines, leftLines, resolvedList, unresolvedLines } from '../../output/views/resolve.js';
import { createSessions, type ResolveSession, type Sessions } from '../../support/sessions.js';
import type { DeskTables } from '../../ledger/schema.js';
import type { Store } from '../../store/store.js';
import type { CommandContext } from '../runtime/context.js';
import type { MoneyDesk } from '../desk/desk.js';
import { type Asking, askForPayments, askToResume, namesInFile } from './session-payments.js';
import { explainOptions } from '../desk/support-records.js';

interface ResolveFlags {
  stuck: boolean;
  file?: string | undefined;
  reason?: string | undefined;
  ticket?: string | undefined;
}

const MAX_STUCK = 200;

/** A guided session needs a person; scripts have commands of their own. */
export function requireTerminal(context: CommandContext, named: readonly string[]): void {
  if (context.interactive && context.streams.stdout.terminal && !context.json) return;
  const names = named.length === 0 ? ['-'] : named;
  throw new UsageError('resolve needs a terminal where it can ask questions. Nothing was sent.', {
    code: 'no-terminal',
    saysNothingSent: true,
    next: [
      paydesk('payments', 'explain', ...names),
      paydesk('payments', 'list', '--stuck', '--json'),
      paydesk('payments', 'recheck', ...names),
    ],
  });
}

/** Chooses the payments, goes through them, and sums up. */
export async function resolvePayments(
  context: CommandContext,
  { desk, guard, database }: MoneyDesk,
  { named, flags }: { named: readonly string[]; flags: ResolveFlags },
): Promise<void> {
  const store = await (await database()).store.fullStore();
  const { app, client } = desk;
  const { profile } = guard;
  const operator = findOperator(context.streams.env);
  const sessions = createSessions(store, { ...app, operator });
  const stuck = async () => {
    const { takeListed } = await import('../../support/list.js');
    const options = { store, app: profile, client, ...explainOptions(context, profile) };
    const { listed } = await takeListed(options, { stuck: true }, MAX_STUCK);
    return listed.map(({ row }) => row.payment_id);
  };
  const session = await chooseSession(context, sessions, { named, flags, stuck });
  if (session === undefined)
    return context.note(flags.stuck ? 'Nothing needs attention.' : 'No matching payments.');
  const { createRecords } = await import('../../support/records.js');
  const { withWakeups } = await import('../../webhooks/inbox/wakeups.js');
  const { createGuidedScreen } = await import('./guided-screen.js');
  const { runSession } = await import('../../support/guided-session.js');
  try {
    await withWakeups({ store, app, clock: systemClock }, (wakeups) =>
      runSession(
        {
          desk,
          sessions,
          wakeups,
          records: createRecords(store, app, Date.now),
          explainOptions: () => explainOptions(context, profile),
          screen: createGuidedScreen(context, guard),
        },
        session,
      ),
    );
  } catch (error) {
    const left = (error as Error).name === 'ExitPromptError' || error instanceof InterruptedError;
    if (left) context.note(...leftLines(session, context.profileName));
    throw error;
  }
  await summarise(context, store, session);
}

async function chooseSession(
  context: CommandContext,
  sessions: Sessions,
  { named, flags, stuck }: { named: readonly string[]; flags: ResolveFlags; stuck: () => Promise<string[]> },
): Promise<ResolveSession | undefined> {
  const asking: Asking = { prompts: () => context.prompts(), note: context.note, stuck };
  const now = context.now().getTime();
  const why = { reason: flags.reason, ticket: flags.ticket };
  const start = (names: readonly string[]) =>
    names.length === 0 ? undefined : sessions.start([...new Set(names)], why, now);
  const left = await sessions.unfinished();
  if (named.length === 0 && flags.file === undefined && !flags.stuck) {
    if (left && (await askToResume(asking, left, now))) {
      await sessions.setWhy(left, why);
      return left;
    }
    const chosen = await askForPayments(asking);
    if (left && chosen.length > 0) await sessions.end(left);
    return start(chosen);
  }
  const more = flags.file === undefined ? (flags.stuck ? await stuck() : []) : await namesInFile(flags.file);
  const names = [...named, ...more];
  if (left && names.length > 0) await keepOrEnd(context, sessions, left, names);
  return start(names);
}

/** What is left of an earlier session stays to be resumed, unless the new one is about the same payments. */
async function keepOrEnd(
  context: CommandContext,
  sessions: Sessions,
  earlier: ResolveSession,
  names: readonly string[],
): Promise<void> {
  const left = earlier.items.filter(({ status }) => status === 'open');
  if (left.every(({ typed }) => names.includes(typed))) return sessions.end(earlier);
  context.note(...earlierLines(earlier, context.profileName));
}

async function summarise(
  context: CommandContext,
  store: Store<DeskTables>,
  session: ResolveSession,
): Promise<void> {
  const { items } = session;
  context.print('', items.some(({ actions }) => actions !== '') ? 'What was done' : 'Nothing was done.');
  if (items.some(({ status, actions }) => status !== 'open' || actions !== ''))
    await context.showList(items, resolvedList);
  const ids = new Set(items.map(({ payment_id }) => payment_id));
  const filter = { appId: session.app_id, since: session.time };
  const records: HistoryRecord[] = [];
  for await (const record of readHistory(store, filter)) if (ids.has(record.paymentId)) records.push(record);
  if (records.length > 0) {
    context.print('', 'Recorded in the history');
    await context.showList(records, historyList);
  }
  context.note(...unresolvedLines(items, context.profileName), ...leftLines(session, context.profileName));
}
