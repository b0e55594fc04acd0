import type { JsonValue } from '../../contract/json.js';
import { commandText, paydesk } from '../../next-command.js';
import { string as argument } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { batchActions } from '../../batch/plan/plan-row.js';
import { csvSource } from '../../batch/plan/row-source.js';
import { withLedger } from '../../payments/with-ledger.js';
import { isJobLedger, openDatabase } from '../../cli/desk/desk-database.js';
import { DEFAULT_READS, listFlagsFor, readsFlag } from '../../cli/flags/flags.js';
import { namesStdout, writeOutputFile } from '../../output/file.js';
import { printJsonText } from '../../output/json-text.js';
import { MAX_MARKDOWN_ROWS, planMarkdown } from '../../output/views/batch-markdown.js';
import { planEndLines, planList, planSummary } from '../../output/views/batch-plan.js';
import { formatLine } from '../../output/views/sheet.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openCsv } from '../../cli/files/input-file.js';
import { checkPlanOutput, planBatch, type PlannedBatch } from '../../cli/batch-plan.js';
import { sendingFlags } from '../../cli/desk/live-guard.js';
import { openVerifiedSession } from '../../cli/desk/session.js';

const MAX_ROWS_SHOWN = 10;

export default class BatchPlan extends BaseCommand {
  static override summary = 'Check a CSV and plan what to send.';
  static override description =
    'Nothing is changed. The CSV has a header with payment (or paymentId, or reference) and optionally amount, currency, ' +
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
    concurrency: readsFlag,
    ...listFlagsFor(planList),
  };

  run(): Promise<JsonValue | undefined> {
    return withLedger(() => this.#plan());
  }

  async #plan(): Promise<JsonValue | undefined> {
    const { args, flags } = await this.parse(BatchPlan);
    const { action, out } = flags;
    const toStdout = out !== undefined && namesStdout(out);
    await checkPlanOutput(args.file, flags);
    this.keepHeapSmall();
    const { profile, client } = await openVerifiedSession(this.context);
    const database = await openDatabase(this.context);
    const source = csvSource((await openCsv(this.context, args.file)).bytes(), action);
    const plan = await planBatch(
      this.context,
      { client, profile, store: database.store },
      { action, source, concurrency: flags.concurrency ?? DEFAULT_READS, showsProgress: true },
    );
    this.atEnd(plan.close);

    if (out !== undefined && !toStdout) await writeOutputFile(out, plan.lines(), { signal: this.signal });
    if (this.json) {
      return printJsonText(plan.lines(), {
        filtered: flags.jq !== undefined,
        write: (text) => this.streams.write(text),
      });
    }
    this.note(formatLine(plan.format));
    const { appId, kind, name } = profile;
    const isTable = flags.csv || flags.columns !== undefined || !this.streams.stdout.terminal;
    if (flags.format === 'markdown') {
      const left = await plan.leftOut(MAX_MARKDOWN_ROWS);
      const app = `${kind} app ${appId}`;
      for (const text of planMarkdown({ ...plan, action, app }, left)) this.streams.write(text);
    } else if (toStdout || isTable) {
      if (toStdout) for await (const line of plan.lines()) this.streams.write(line);
      else await this.showStream(plan.rowsInOrder(), planList);
      this.note(...planSummary({ ...plan, action }));
    } else {
      this.print('', ...planSummary({ ...plan, action }));
      await this.#showLeftOut(plan);
    }
    if (!toStdout) {
      const applyFlags = sendingFlags(this.context, profile, { localLedger: isJobLedger(this.streams.env) });
      this.note(
        ...planEndLines({ out, action, appId, kind, profile: name, applyFlags, counts: plan.counts }),
      );
    }
    return undefined;
  }

  /** The first rows that will not be sent, and how many more there are. */
  async #showLeftOut({ leftOut, rows, counts }: PlannedBatch): Promise<void> {
    const left = await leftOut(MAX_ROWS_SHOWN);
    if (left.length === 0) return;
    this.print('');
    await this.showList(left, planList);
    const more = rows - counts.act - counts.done - left.length;
    if (more > 0) this.print(`  … ${more} more: ${commandText(paydesk('batch', 'plan', '…', '--json'))}`);
  }
}
