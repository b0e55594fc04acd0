import { string as argument } from '@oclif/core/args';
import { custom } from '@oclif/core/flags';
import { withLedger } from '../../payments/with-ledger.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openCsv } from '../../cli/files/input-file.js';
import { databaseLocation, openDatabase } from '../../cli/desk/desk-database.js';
import { DEFAULT_READS, listFlagsFor, readsFlag } from '../../cli/flags/flags.js';
import { openSession } from '../../cli/desk/session.js';
import { importEnding, importFile } from '../../import/import-file.js';
import { type ChosenColumn, orderColumns, parseChosen } from '../../import/order-rows.js';
import { createProgressWriter, createRate, readingLine } from '../../output/views/batch-progress.js';
import { formatLine } from '../../output/views/sheet.js';
import {
  importedJson,
  importedLines,
  importProblemList,
  keepColumnLines,
} from '../../output/views/imported.js';

const columnFlag = custom<ChosenColumn>({
  helpValue: 'COLUMN=HEADER',
  parse: async (text) => parseChosen(text),
});

export default class PaymentsImport extends BaseCommand {
  static override summary = "Import a shop's orders as known payments.";
  static override description =
    'Reads each payment of the CSV from the service, and changes nothing there. One column names the payment: payment, ' +
    'paymentId or referenceId. Columns for the order number, e-mail, name and note are kept with it: payments ' +
    'find searches them, and payments explain shows them. A run that was interrupted continues when the same command is run again.';
  static override examples = [
    '<%= config.bin %> payments import orders.csv',
    '<%= config.bin %> payments import orders.csv --column referenceId="Payment ref" --column order="Order #"',
    '<%= config.bin %> payments import - --json < orders.csv',
  ];
  static override args = {
    file: argument({ required: true, ignoreStdin: true, description: 'CSV file, or - for standard input.' }),
  };
  static override flags = {
    column: columnFlag({
      multiple: true,
      summary: `Header of a column (${orderColumns.join(', ')}) where paydesk does not recognise it.`,
    }),
    concurrency: readsFlag,
    ...listFlagsFor(importProblemList),
  };

  run(): Promise<Record<string, unknown>> {
    return withLedger(() => this.#import());
  }

  async #import(): Promise<Record<string, unknown>> {
    const { args, flags } = await this.parse(PaymentsImport);
    this.keepHeapSmall();
    const { client, profile } = await openSession(this.context, {
      showsWaiting: false,
      onlyReads: true,
    });
    const { store } = await openDatabase(this.context);
    const progress = createProgressWriter(this.streams);
    const rate = createRate(Date.now);
    const file = await openCsv(this.context, args.file);
    const imported = await importFile(file, {
      client,
      store,
      location: databaseLocation(this.streams.env),
      threadFile: this.program.threadFile('writing-thread'),
      app: profile,
      signal: this.signal,
      columns: flags.column ?? [],
      concurrency: flags.concurrency ?? DEFAULT_READS,
      again: this.typed,
      onFormat: (format) => this.json || this.note(formatLine(format), ...keepColumnLines(format)),
      onProgress: ({ done, resumedAt, rows }) =>
        progress.update((width) => [readingLine({ done, total: rows }, rate(done - resumedAt), width)]),
    }).finally(() => progress.end());
    if (imported.problems.length > 0) await this.showList(imported.problems, importProblemList);
    if (!this.json) this.note(...importedLines(imported));
    const ending = importEnding(imported);
    if (ending) this.endAs(ending);
    return importedJson(imported);
  }
}
