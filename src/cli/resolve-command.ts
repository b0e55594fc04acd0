import { systemClock } from '../client/clock.js';
import { InterruptedError, UsageError } from '../errors.js';
import { readHistory, type HistoryRecord } from '../ledger/history.js';
import { findOperator } from '../ledger/operator.js';
import { shellLine } from '../output/shell.js';
import { historyList } from '../output/views/history.js';
import { leftLines, resolvedList } from '../output/views/resolve.js';
import { createSessions, type ResolveSession, type Sessions } from '../support/sessions.js';
import type { DeskDatabase } from '../ledger/desk.js';
import type { Client } from '../client/client.js';
import { type Asking, askForPayments, askToResume, namesInFile } from './session-payments.js';
import type { ResolvedProfile } from '../profiles/resolve.js';
import { SupportCommand } from './support-command.js';

interface ResolveFlags {
  stuck: boolean;
  file?: string | undefined;
  reason?: string | undefined;
  ticket?: string | undefined;
}

const MAX_STUCK = 200;

/** The guided session: which payments, going through them, what came of it. */
export abstract class ResolveCommand extends SupportCommand {
  /** A guided session needs a person; scripts have commands of their own. */
  protected requireTerminal(named: readonly string[]): void {
    if (this.interactive && this.streams.stdout.terminal && !this.json) return;
    const names = named.length === 0 ? ['-'] : named;
    throw new UsageError('resolve asks questions, so it needs a terminal. Nothing was sent.', {
      code: 'no-terminal',
      next: [
        shellLine('paydesk', 'payments', 'explain', ...names),
        'paydesk payments list --stuck --json',
        shellLine('paydesk', 'payments', 'recheck', ...names),
      ],
    });
  }

  protected async resolve(named: readonly string[], flags: ResolveFlags): Promise<void> {
    const { desk, guard } = await this.openDesk({});
    const database = await this.database();
    const { place, client } = desk;
    const sessions = createSessions(database.store, { ...place, operator: findOperator(this.streams.env) });
    const { profile } = guard;
    const session = await this.#session(database, sessions, { named, flags, profile, client });
    if (session === undefined) return this.note('No matching payments.');
    const { createRecords } = await import('../support/records.js');
    const { withWakeups } = await import('../support/wakeups.js');
    const { runSession } = await import('./guided-session.js');
    const { store } = database;
    try {
      await withWakeups({ store, place, clock: systemClock }, (wakeups) =>
        runSession(
          {
            desk,
            guard,
            sessions,
            wakeups,
            records: createRecords(store, place, Date.now),
            explainOptions: () => this.explainOptions(profile),
            why: { reason: flags.reason, ticket: flags.ticket },
            prompts: () => this.promptContext,
            show: (value, view) => this.show(value, view),
            print: (...lines) => this.print(...lines),
            width: this.streams.stdout.width,
          },
          session,
        ),
      );
    } catch (error) {
      const left = (error as Error).name === 'ExitPromptError' || error instanceof InterruptedError;
      if (left) this.note(...leftLines(session, this.profileName));
      throw error;
    }
    await this.#summarise(database, session);
  }

  async #session(
    { store }: DeskDatabase,
    sessions: Sessions,
    {
      named,
      flags,
      profile,
      client,
    }: { named: readonly string[]; flags: ResolveFlags; profile: ResolvedProfile; client: Client },
  ): Promise<ResolveSession | undefined> {
    const asking: Asking = {
      prompts: () => this.promptContext,
      note: (...lines) => this.note(...lines),
      stuck: async () => {
        const { takeListed } = await import('../support/list.js');
        const options = { store, place: profile, client, ...this.explainOptions(profile) };
        const { listed } = await takeListed(options, { stuck: true }, MAX_STUCK);
        return listed.map(({ row }) => row.payment_id);
      },
    };
    const now = this.now().getTime();
    let names = named;
    if (flags.file !== undefined) names = [...named, ...(await namesInFile(flags.file))];
    else if (flags.stuck) names = [...named, ...(await asking.stuck())];
    else if (named.length === 0) {
      const left = await sessions.unfinished();
      if (left && (await askToResume(asking, left, now))) return left;
      names = await askForPayments(asking);
    }
    return names.length === 0 ? undefined : sessions.start([...new Set(names)], now);
  }

  async #summarise({ store }: DeskDatabase, session: ResolveSession): Promise<void> {
    this.print('', 'What was done');
    await this.showList(session.items, resolvedList);
    const ids = new Set(session.items.map(({ payment_id }) => payment_id));
    const filter = { appId: session.app_id, since: session.time };
    const records: HistoryRecord[] = [];
    for await (const record of readHistory(store, filter))
      if (ids.has(record.paymentId)) records.push(record);
    if (records.length > 0) {
      this.print('', 'Recorded in the history');
      await this.showList(records, historyList);
    }
    this.note(...leftLines(session, this.profileName));
  }
}
