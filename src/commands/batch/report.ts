import type { JsonValue } from '../../contract/json.js';
import { string as argument } from '@oclif/core/args';
import { boolean, option } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { createBatches } from '../../batch/rows/batches.js';
import { createLedgerView } from '../../batch/rows/ledger-view.js';
import { withLedger } from '../../payments/with-ledger.js';
import { createOwner } from '../../store/owner.js';
import { statusOf } from '../../batch/rows/status.js';
import { openDatabase } from '../../cli/desk/desk-database.js';
import { listFlagsFor } from '../../cli/flags/flags.js';
import { printJsonText } from '../../output/json-text.js';
import { reportText } from '../../output/views/batch-documents.js';
import { reportList, reportRows, retryCsv, wholeReportList } from '../../output/views/batch-report.js';

export default class BatchReport extends BaseCommand {
  static override summary = 'Show the outcome of each row of a batch.';
  static override description =
    'Lists every row of the plan, also those that it left out: in JSON and CSV these have an outcome too (most are refused), ' +
    'and leftOut says so. --not-done prints the rows that were not done as a CSV for ' +
    'batch plan, with the values of the original file. There, charges that failed get a new reference for the next attempt: ' +
    'inv-7 becomes inv-7-retry-1.';
  static override examples = [
    '<%= config.bin %> batch report 20261114-a7k2mq',
    '<%= config.bin %> batch report 20261114-a7k2mq --format html > report.html',
    '<%= config.bin %> batch report 20261114-a7k2mq --format markdown >> "$GITHUB_STEP_SUMMARY"',
    '<%= config.bin %> batch report 20261114-a7k2mq --not-done > retry.csv',
  ];
  static override args = { id: argument({ required: true, ignoreStdin: true, description: 'Batch ID.' }) };
  static override flags = {
    format: option({
      options: ['csv', 'json', 'junit', 'html', 'markdown'] as const,
      exclusive: ['columns', 'csv'],
      summary: 'Format to print instead of a table.',
    })(),
    'not-done': boolean({
      exclusive: ['format', 'columns', 'csv', 'json', 'jq'],
      summary: 'Print the rows that were not done, as a CSV for batch plan.',
    }),
    ...listFlagsFor(reportList),
  };

  run(): Promise<JsonValue | undefined> {
    return withLedger(() => this.#report());
  }

  async #report(): Promise<JsonValue | undefined> {
    const { args, flags } = await this.parse(BatchReport);
    const database = await openDatabase(this.context);
    const batches = createBatches(database.store);
    const batch = await batches.find(args.id);
    const owner = createOwner();
    const status = await statusOf(database.store, batch, owner);
    const view = await createLedgerView(database.store, batch, owner);
    const rows = () => batches.rows(batch.id, view);
    const format = this.json ? 'json' : flags.format;
    const write = (text: string) => this.streams.write(text);
    if (flags['not-done']) return printJsonText(retryCsv(batch.action, rows()), { filtered: false, write });
    if (format === undefined) {
      await this.showStream(reportRows(rows()), flags.csv ? wholeReportList : reportList);
      return undefined;
    }
    return printJsonText(reportText(format, status, rows()), { filtered: flags.jq !== undefined, write });
  }
}
