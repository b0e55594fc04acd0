import { boolean, string } from '@oclif/core/flags';
import type { Session } from '../../cli/session.js';
import { countFlag, durationFlag, idFlag, listFlagsFor, sinceFlag } from '../../cli/flags.js';
import { SupportCommand } from '../../cli/support-command.js';
import type { KnownPaymentRow } from '../../ledger/schema.js';
import { endingOf } from '../../payments/endings.js';
import { aboutList, knownJson, knownList } from '../../output/views/known.js';
import { createProgressWriter, createRate, readingLine } from '../../output/views/batch-progress.js';
import { takeListed, type ListFilter } from '../../support/list.js';
import { refreshKnown, type Refreshed } from '../../support/refresh.js';

const USUAL = 50;

export default class PaymentsList extends SupportCommand {
  static override summary = 'List the payments that this desk knows, what needs attention first.';
  static override description =
    'The service has no list of payments. This desk knows those that it created, changed or heard of through ' +
    'webhooks, each as it was last seen; --refresh reads those that are listed again.';
  static override examples = [
    '<%= config.bin %> payments list',
    '<%= config.bin %> payments list --stuck --refresh',
    '<%= config.bin %> payments list --state Authorised --older-than 5d --csv',
    '<%= config.bin %> payments list --customer c_881 --since 30d --json',
  ];
  static override flags = {
    state: string({ helpValue: 'STATE', multiple: true, summary: 'In this state, by our name or theirs.' }),
    stuck: boolean({ summary: 'Only what has been where it is for too long, or has no known outcome.' }),
    'older-than': durationFlag({ summary: 'In their state for at least so long, as far as is known.' }),
    customer: idFlag({ summary: 'Of this customer.' }),
    since: sinceFlag({ summary: 'Created, or first heard of, not longer ago than this.' }),
    refresh: boolean({ summary: 'Read those that are listed again first.' }),
    limit: countFlag({ summary: `How many at the most (default ${USUAL}).`, exclusive: ['all'] }),
    all: boolean({ summary: 'Everything, however much.' }),
    ...listFlagsFor(knownList),
  };

  async run(): Promise<unknown> {
    const { flags } = await this.parse(PaymentsList);
    const session = await this.session();
    const { client, profile } = session;
    const { store } = await this.database();
    const filter: ListFilter = {
      states: flags.state?.map((name) => client.canonicalState(name) ?? name),
      stuck: flags.stuck,
      olderThanMs: flags['older-than'],
      customer: flags.customer,
      since: flags.since?.getTime(),
    };
    const options = { store, place: profile, ...this.explainOptions(profile) };
    const limit = flags.all ? Infinity : (flags.limit ?? USUAL);
    let { listed, more } = await takeListed(options, filter, limit);
    const refreshed = flags.refresh
      ? await this.#refresh(
          listed.map(({ row }) => row),
          session,
        )
      : undefined;
    if (refreshed) ({ listed, more } = await takeListed(options, filter, limit));
    await this.showList(listed, knownList);
    if (!this.json) this.note(...aboutList(listed, { more, refreshed }, options.now));
    const ending = endingOf(refreshed ?? [], 'read again');
    if (ending) this.endAs(ending);
    return listed.map(knownJson);
  }

  async #refresh(rows: readonly KnownPaymentRow[], session: Session): Promise<Refreshed[]> {
    const records = await this.records(session.profile);
    const progress = createProgressWriter({
      write: (text) => this.streams.writeError(text),
      terminal: this.streams.stderr.terminal,
      now: Date.now,
    });
    const rate = createRate(Date.now);
    return refreshKnown(rows, {
      client: session.client,
      records,
      signal: this.signal,
      onProgress: (done, total) => progress.update(() => [readingLine(done, total, rate(done))]),
    }).finally(() => progress.end());
  }
}
