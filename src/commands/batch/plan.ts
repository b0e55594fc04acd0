import type { JsonValue } from '../../contract/json.js';
import { commandText, paydesk } from '../../next-command.js';
import { string as argument } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { createBatches } from '../../batch/batches.js';
import { readFileBytes } from '../../spreadsheet/text.js';
import { makePlan } from '../../batch/plan.js';
import { batchActions } from '../../batch/plan-row.js';
import { sendingNothing } from '../../batch/nothing-sent.js';
import { createMarkFailed } from '../../batch/sent-before.js';
import { rememberReads } from '../../payments/remember-reads.js';
import { keepHeapSmall } from '../../batch/small-heap.js';
import { systemClock } from '../../client/clock.js';
import { UsageError } from '../../errors.js';
import { openDatabase } from '../../cli/desk-database.js';
import { countFlag, listFlagsFor } from '../../cli/flags.js';
import { namesStdout, writeOutputFile } from '../../output/file.js';
import { printJsonText } from '../../output/json-text.js';
import { MAX_MARKDOWN_ROWS, planMarkdown } from '../../output/views/batch-markdown.js';
import { formatLine, planEndLines, planList, planSummary } from '../../output/views/batch-plan.js';
import { createProgressWriter, createRate, readingLine } from '../../output/views/batch-progress.js';
import { BaseCommand } from '../../cli/base-command.js';
import { planText } from '../../cli/plan-text.js';
import { openChangingSession } from '../../cli/session.js';

const AT_ONCE = 16;
const SHOWN = 10;

export default class BatchPlan extends BaseCommand {
  static override summary = 'Check the rows of a CSV and plan what to send.';
  static override description =
    'Nothing is changed. The CSV has a header with payment (or paymentId, or referenceId) and optionally amount, currency, ' +
    'description, reason and ticket. The service moves whole payments: an amount or currency is only compared, and a row ' +
    'that differs is left out. A plan can be applied once, to the app and with the ledger that it was made for.\n\n' +
    'To charge stored methods, the CSV has reference, customer and amount, and optionally method, currency, description, ' +
    'reason and ticket. The reference is the key: what it has charged before is not charged again.';
  static override examples = [
    '<%= config.bin %> batch plan refunds.csv --action refund --out plan.json',
    '<%= config.bin %> batch plan renewals.csv --action charge --out plan.json',
    '<%= config.bin %> batch plan stuck.csv --action recheck --json',
  ];
  static override args = {
    file: argument({ required: true, ignoreStdin: true, description: 'CSV file, or - for standard input.' }),
  };
  static override flags = {
    action: option({
      options: batchActions,
      required: true,
      summary: 'What to do with each payment, or charge a stored method per row.',
    })(),
    out: string({
      helpValue: 'PLAN.json',
      summary: 'Save the plan to this file, for batch apply; - is stdout.',
    }),
    format: option({
      options: ['markdown'] as const,
      exclusive: ['columns', 'csv', 'json', 'jq'],
      summary: 'Format to print instead of a table.',
    })(),
    concurrency: countFlag({ summary: `Maximum number of reads at once (default ${AT_ONCE}).` }),
    ...listFlagsFor(planList),
  };

  run(): Promise<JsonValue | undefined> {
    return sendingNothing(() => this.#plan());
  }

  async #plan(): Promise<JsonValue | undefined> {
    const { args, flags } = await this.parse(BatchPlan);
    const { action, out } = flags;
    const toStdout = out !== undefined && namesStdout(out);
    if (toStdout && flags.format !== undefined) {
      throw new UsageError('--out and --format both write to stdout; choose one.', { code: 'usage' });
    }
    keepHeapSmall();
    const { profile, client } = await openChangingSession(this.context, { dryRun: true });
    const database = await openDatabase(this.streams.env);
    this.atEnd(database.close);
    const ledger = await createBatches(database.store).identity();

    const { terminal } = this.streams.stderr;
    const progress = createProgressWriter({
      write: (text) => this.streams.writeError(text),
      terminal,
      now: Date.now,
    });
    const rate = createRate(Date.now);
    const one = action === 'charge' ? 'charge' : 'payment';
    const source = args.file === '-' ? this.streams.stdin : readFileBytes(args.file);
    const plan = await makePlan(
      {
        client,
        clock: systemClock,
        signal: this.signal,
        markFailed: createMarkFailed(database.store, profile, action),
        remember: (reads) => rememberReads(database.store, profile, reads, Date.now()),
        onProgress: (done, total) => progress.update(() => [readingLine(done, total, rate(done), one)]),
      },
      { action, source: source as AsyncIterable<Uint8Array>, concurrency: flags.concurrency ?? AT_ONCE },
    ).finally(() => progress.end());
    this.atEnd(plan.close);

    const { appId, kind, name } = profile;
    const lines = planText(plan, action, { profile, ledger, now: this.now() });
    if (out !== undefined && !toStdout) await writeOutputFile(out, lines(), { signal: this.signal });
    if (this.json) {
      return printJsonText(lines(), {
        filtered: flags.jq !== undefined,
        write: (text) => this.streams.write(text),
      });
    }
    this.note(formatLine(plan.format));
    if (flags.format === 'markdown') {
      const app = `${kind} app ${appId}`;
      const left = await plan.leftOut(MAX_MARKDOWN_ROWS);
      for (const text of planMarkdown({ ...plan, action, app }, left)) this.streams.write(text);
    } else if (toStdout) {
      for await (const line of lines()) this.streams.write(line);
      this.note(...planSummary({ ...plan, action }));
    } else if (flags.csv || flags.columns !== undefined || !this.streams.stdout.terminal) {
      await this.showStream(plan.rowsInOrder(), planList);
      this.note(...planSummary({ ...plan, action }));
    } else {
      this.print('', ...planSummary({ ...plan, action }));
      const left = await plan.leftOut(SHOWN);
      if (left.length > 0) {
        this.print('');
        await this.showList(left, planList);
        const more = plan.rows - plan.counts.act - plan.counts.done - left.length;
        if (more > 0) this.print(`  … ${more} more: ${commandText(paydesk('batch', 'plan', '…', '--json'))}`);
      }
    }
    if (!toStdout)
      this.note(...planEndLines({ out, action, appId, kind, profile: name, counts: plan.counts }));
    return undefined;
  }
}
