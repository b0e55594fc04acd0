import { boolean, string } from '@oclif/core/flags';
import { BaseCommand } from '../cli/base-command.js';
import { openDatabase } from '../cli/desk-database.js';
import { countFlag, listFlagsFor, sinceFlag } from '../cli/flags.js';
import { readHistory } from '../ledger/history.js';
import { outcomes } from '../ledger/ledger.js';
import { historyList } from '../output/views/history.js';

const USUAL = 50;

export default class History extends BaseCommand {
  static override summary = 'What this desk did: intents and what became of them, the newest first.';
  static override description =
    'From the ledger of this machine, or from the one that a team shares (PAYDESK_DATABASE). Nothing is asked of ' +
    'the service.';
  static override examples = [
    '<%= config.bin %> history',
    '<%= config.bin %> history --payment inv-2041 --json',
    '<%= config.bin %> history --outcome unknown --since 7d',
    '<%= config.bin %> history --ticket T-1932 --csv',
  ];
  static override flags = {
    ...listFlagsFor(historyList),
    payment: string({ helpValue: 'PAYMENT', summary: 'Of this paymentId or referenceId.' }),
    operation: string({
      summary: 'Of this kind.',
      options: ['create', 'charge', 'capture', 'cancel', 'refund', 'unhold', 'recheck'],
    }),
    outcome: string({ options: [...outcomes], summary: 'With this outcome.' }),
    operator: string({ helpValue: 'WHO', summary: 'By this operator, as the list shows it.' }),
    ticket: string({ helpValue: 'ID', summary: 'For this ticket.' }),
    app: string({ helpValue: 'APP_ID', summary: 'On this app.' }),
    batch: string({ helpValue: 'ID', summary: 'Of this batch.' }),
    since: sinceFlag({ summary: 'Not older than this.' }),
    limit: countFlag({ summary: `How many at the most (default ${USUAL}).`, exclusive: ['all'] }),
    all: boolean({ summary: 'Everything, however much.' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(History);
    const database = await openDatabase(this.streams.env);
    this.atEnd(database.close);
    const { payment, operation, outcome, operator, ticket } = flags;
    let more = false;
    const filter = {
      payment: payment?.replace(/^(id|ref):/, ''),
      operation,
      outcome,
      operator,
      ticket,
      appId: flags.app,
      batchId: flags.batch,
      since: flags.since?.getTime(),
    };
    const limit = flags.all ? Infinity : (flags.limit ?? USUAL);
    await this.showStream(
      readHistory(database.store, filter, { limit, more: () => void (more = true) }),
      historyList,
    );
    if (more) this.note('… more: --all shows everything, --limit N the newest N.');
  }
}
