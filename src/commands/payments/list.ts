import { boolean, string } from '@oclif/core/flags';
import { lazyDatabase, type OpenDatabase } from '../../cli/desk/desk.js';
import { openSession, type Session } from '../../cli/desk/session.js';
import { countFlag, durationFlag, idFlag, listFlagsFor, sinceFlag } from '../../cli/flags/flags.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { explainOptions, openRecords } from '../../cli/desk/support-records.js';
import { findForgotten } from '../../ledger/known/forgotten.js';
import { readUnseenCharges } from '../../ledger/moves/intent-log.js';
import type { KnownPaymentRow } from '../../ledger/schema.js';
import { endingOf } from '../../payments/endings.js';
import {
  aboutList,
  knownJson,
  knownList,
  resolveLines,
  unseenChargeLines,
} from '../../output/views/known.js';
import { createProgressWriter, createRate, readingLine } from '../../output/views/batch-progress.js';
import { findStates, takeListed, takeUnsettled, type ListFilter } from '../../support/list.js';
import { refreshKnown, type Refreshed } from '../../support/refresh.js';

const DEFAULT_LIMIT = 50;

export default class PaymentsList extends BaseCommand {
  static override summary = 'List known payments, those that need attention first.';
  static override description =
    'The service has no list of payments. This desk knows those that it created, changed, read or received ' +
    'webhooks for, each as it was last seen. --refresh reads the listed ones again; with --stuck it reads every ' +
    'known payment that is not settled, because any of them may have become stuck since.';
  static override examples = [
    '<%= config.bin %> payments list',
    '<%= config.bin %> payments list --stuck --refresh',
    '<%= config.bin %> payments list --state Authorised --older-than 5d --csv',
    '<%= config.bin %> payments list --customer c_881 --since 30d --json',
  ];
  static override flags = {
    state: string({
      helpValue: 'STATE',
      multiple: true,
      summary: 'Only payments in this state.',
    }),
    stuck: boolean({ summary: 'Only payments that are overdue, failed or have an unknown outcome.' }),
    'older-than': durationFlag({ summary: 'Only payments seen in their state for at least this long.' }),
    customer: idFlag({ summary: 'Only payments of this customer.' }),
    since: sinceFlag({ summary: 'Only payments created since then.' }),
    refresh: boolean({ summary: 'Read the payments again first; with --stuck, all that are not settled.' }),
    limit: countFlag({ summary: `Maximum number to show (default ${DEFAULT_LIMIT}).`, exclusive: ['all'] }),
    all: boolean({ summary: 'Show all.' }),
    ...listFlagsFor(knownList),
  };

  async run(): Promise<Array<ReturnType<typeof knownJson>>> {
    const { flags } = await this.parse(PaymentsList);
    const session = await openSession(this.context);
    const { client, profile } = session;
    const database = lazyDatabase(this.context);
    const store = await (await database()).store.fullStore();
    const options = {
      store,
      app: profile,
      client,
      ...explainOptions(this.context, profile, flags),
    };
    const filter: ListFilter = {
      states: flags.state && (await findStates(options, flags.state)),
      stuck: flags.stuck,
      olderThanMs: flags['older-than'],
      customer: flags.customer,
      since: flags.since?.getTime(),
    };
    const limit = flags.all ? Infinity : (flags.limit ?? DEFAULT_LIMIT);
    let { listed, more } = await takeListed(options, filter, limit);
    const toRead = flags.stuck
      ? () => takeUnsettled(options, filter)
      : () => ({ rows: listed.map(({ row }) => row), left: false });
    const { rows, left } = flags.refresh ? await toRead() : { rows: [], left: false };
    const refreshed = flags.refresh ? await this.#refresh(rows, session, database) : undefined;
    if (refreshed) ({ listed, more } = await takeListed(options, filter, limit));
    await this.showList(listed, knownList);
    if (!this.json) this.note(...aboutList(listed, { more, refreshed, left }, options.now));
    const isForPerson = this.streams.stdout.terminal && !this.json;
    const canResolve = isForPerson && flags.stuck && listed.length > 0 && !profile.readOnly;
    if (canResolve) this.note(...resolveLines(options.profile));
    this.note(...unseenChargeLines(await readUnseenCharges(store, profile), options.profile));
    const ending = refreshed?.unavailable ?? endingOf(refreshed?.payments ?? [], 'read again');
    if (ending) this.endAs(ending);
    return listed.map(knownJson);
  }

  async #refresh(
    rows: readonly KnownPaymentRow[],
    session: Session,
    database: OpenDatabase,
  ): Promise<Refreshed & { forgotten: number }> {
    const store = await (await database()).store.fullStore();
    const ids = rows.map((row) => row.payment_id);
    const forgotten = await findForgotten(store.db, session.profile, ids);
    const kept = rows.filter((row) => !forgotten.has(row.payment_id));
    const records = await openRecords(this.context, database, session.profile);
    const progress = createProgressWriter(this.streams);
    const rate = createRate(Date.now);
    const refreshed = await refreshKnown(kept, {
      client: session.client,
      records,
      signal: this.signal,
      onProgress: (done, total) =>
        progress.update((width) => [readingLine({ done, total }, rate(done), width)]),
    }).finally(() => progress.end());
    return { ...refreshed, forgotten: forgotten.size };
  }
}
