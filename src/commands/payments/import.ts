import { string as argument } from '@oclif/core/args';
import { custom } from '@oclif/core/flags';
import { sendingNothing } from '../../batch/nothing-sent.js';
import { keepHeapSmall } from '../../batch/small-heap.js';
import { BaseCommand } from '../../cli/base-command.js';
import { openLedger } from '../../cli/desk-database.js';
import { countFlag, listFlagsFor } from '../../cli/flags.js';
import { openSession } from '../../cli/session.js';
import { systemClock } from '../../client/clock.js';
import {
  InterruptedError,
  PartialError,
  type PaydeskError,
  ServiceError,
  TemporaryError,
} from '../../errors.js';
import { importOrders } from '../../import/import-orders.js';
import { createImportRecord } from '../../import/import-record.js';
import { checkOrderFile, keepPiped } from '../../import/order-file.js';
import { type ChosenColumn, layoutOf, orderColumns, parseChosen } from '../../import/order-rows.js';
import { createProgressWriter, createRate, readingLine } from '../../output/views/batch-progress.js';
import { formatLine } from '../../output/views/batch-plan.js';
import {
  type Imported,
  importedJson,
  importedLines,
  importProblemList,
} from '../../output/views/imported.js';
import { analyseKnown } from '../../ledger/known-search.js';
import { parsePair } from '../../typed-values.js';

const AT_ONCE = 16;
const MAX_PROBLEMS = 10_000;

const columnFlag = custom<ChosenColumn>({
  helpValue: 'COLUMN=HEADER',
  parse: async (text) => {
    const { key, value } = parsePair(text);
    return parseChosen(key, value);
  },
});

export default class PaymentsImport extends BaseCommand {
  static override summary = "Import a shop's orders as known payments.";
  static override description =
    'Reads each payment of the CSV from the service, and changes nothing there. One column names the payment: payment, ' +
    'paymentId or referenceId. Columns for the order number, e-mail, name and note are kept with it, so that payments ' +
    'find can search them. A run that was interrupted continues when the same command is run again.';
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
    concurrency: countFlag({ summary: `Maximum number of reads at once (default ${AT_ONCE}).` }),
    ...listFlagsFor(importProblemList),
  };

  run(): Promise<Record<string, unknown>> {
    return sendingNothing(() => this.#import());
  }

  async #import(): Promise<Record<string, unknown>> {
    const { args, flags } = await this.parse(PaymentsImport);
    keepHeapSmall();
    const { client, profile } = await openSession(this.context, { tellsWaiting: false });
    const { store } = await openLedger(this.context, { patient: true });
    const path = args.file === '-' ? await this.#piped() : args.file;
    const file = await checkOrderFile(path, layoutOf(flags.column ?? []));
    if (!this.json) this.note(formatLine(file.format));
    const record = createImportRecord(store, profile, file.fingerprint, Date.now);
    const { rowsDone, counts } = await record.start();
    const progress = createProgressWriter({
      write: (text) => this.streams.writeError(text),
      terminal: this.streams.stderr.terminal,
      now: Date.now,
    });
    const rate = createRate(Date.now);
    const total = await importOrders(
      {
        client,
        clock: systemClock,
        signal: this.signal,
        store,
        app: profile,
        record,
        now: Date.now,
        onProgress: (done) => progress.update(() => [readingLine(done, file.rows, rate(done - rowsDone))]),
      },
      file.rowsFrom(rowsDone),
      { concurrency: flags.concurrency ?? AT_ONCE, rowsDone, counts },
    )
      .finally(() => progress.end())
      .catch((error: unknown) => {
        throw interrupted(error);
      });
    await analyseKnown(store);
    const problems = await record.problems(MAX_PROBLEMS);
    await record.finish();
    const imported: Imported = { ...file, resumedAt: rowsDone, counts: total, problems };
    if (problems.length > 0) await this.showList(problems, importProblemList);
    if (!this.json) this.note(...importedLines(imported));
    const ending = endingOf(imported);
    if (ending) this.endAs(ending);
    return importedJson(imported);
  }

  async #piped(): Promise<string> {
    const { path, close } = await keepPiped(this.streams.stdin as AsyncIterable<Uint8Array>);
    this.atEnd(close);
    return path;
  }
}

const CONTINUES = 'Run the same command again to continue where it stopped.';

function interrupted(error: unknown): unknown {
  if (error instanceof InterruptedError || error instanceof TemporaryError) {
    const { code, next, details } = error;
    const Class = error.constructor as typeof PaydeskError;
    return new Class(`${error.message} ${CONTINUES}`, { code, next, details, cause: error });
  }
  return error;
}

/** As with several payments that are read by name: in part, or none at all. */
function endingOf({ rows, counts: { unknown, unreadable } }: Imported): PaydeskError | undefined {
  const missing = unknown + unreadable;
  if (missing === 0) return undefined;
  const options = { code: missing < rows ? 'partial' : 'not-found' };
  if (missing < rows)
    return new PartialError(`${missing} of ${rows} rows did not become known payments.`, options);
  return new ServiceError(`None of the ${rows} rows became a known payment.`, options);
}
