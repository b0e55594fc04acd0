import { boolean, option, string } from '@oclif/core/flags';
import { BaseCommand } from '../cli/runtime/base-command.js';
import { chosenProfile } from '../cli/desk/chosen-profile.js';
import { openDatabase } from '../cli/desk/desk-database.js';
import { countFlag, listFlagsFor, sinceFlag } from '../cli/flags/flags.js';
import { readHistory } from '../ledger/moves/history.js';
import { intentOperations, outcomes } from '../ledger/moves/operations.js';
import { ProfileError } from '../errors.js';
import { historyJson, historyList } from '../output/views/history.js';

const DEFAULT_LIMIT = 50;

export default class History extends BaseCommand {
  static override summary = 'List what paydesk sent and the outcomes, newest first.';
  static override description =
    'Reads the ledger of this machine, or the one that your team shares (PAYDESK_DATABASE), and sends ' +
    'nothing.';
  static override examples = [
    '<%= config.bin %> history',
    '<%= config.bin %> history --payment inv-2041 --json',
    '<%= config.bin %> history --outcome unknown --since 7d',
    '<%= config.bin %> history --ticket T-1932 --csv',
  ];
  static override flags = {
    ...listFlagsFor(historyList),
    payment: string({ helpValue: 'PAYMENT', summary: 'Only this payment (ID or reference).' }),
    operation: option({ options: intentOperations })({ summary: 'Only this operation.' }),
    outcome: option({ options: outcomes })({ summary: 'Only this outcome.' }),
    operator: string({ helpValue: 'WHO', summary: 'Only this operator, as shown in the list.' }),
    ticket: string({ helpValue: 'ID', summary: 'Only this ticket.' }),
    app: string({ helpValue: 'APP_ID', summary: 'Only this app.', exclusive: ['all-profiles'] }),
    'all-profiles': boolean({ summary: 'All apps, not only that of the chosen profile.' }),
    batch: string({ helpValue: 'ID', summary: 'Only this batch.' }),
    since: sinceFlag({ summary: 'Only since this time.' }),
    limit: countFlag({ summary: `Maximum number to show (default ${DEFAULT_LIMIT}).`, exclusive: ['all'] }),
    all: boolean({ summary: 'Show all.' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(History);
    const database = await openDatabase(this.context);
    const { payment, operation, outcome, operator, ticket } = flags;
    let more = false;
    const filter = {
      payment: payment?.replace(/^(id|ref):/, ''),
      operation,
      outcome,
      operator,
      ticket,
      appId: flags['all-profiles'] ? undefined : (flags.app ?? this.#chosenApp()),
      batchId: flags.batch,
      since: flags.since?.getTime(),
    };
    const limit = flags.all ? Infinity : (flags.limit ?? DEFAULT_LIMIT);
    await this.showStream(
      readHistory(database.store, filter, { limit, more: () => void (more = true) }),
      historyList,
      historyJson,
    );
    if (more) this.note('There are more. Show all with --all, or the newest N with --limit N.');
  }

  /** Undefined if there is no profile: then all apps are listed. */
  #chosenApp(): string | undefined {
    try {
      return chosenProfile(this.context).appId;
    } catch (error) {
      if (error instanceof ProfileError && error.code === 'no-profile') return undefined;
      throw error;
    }
  }
}
