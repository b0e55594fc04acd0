import { string as argument } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { withLedger } from '../../payments/with-ledger.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { DEFAULT_READS, listFlagsFor, readsFlag, sinceFlag, untilFlag } from '../../cli/flags/flags.js';
import { runReconcile } from '../../cli/reconcile.js';
import { counted } from '../../contract/amount-format.js';
import type { JsonValue } from '../../contract/json.js';
import { PartialError } from '../../errors.js';
import { printJsonText } from '../../output/json-text.js';
import { writeOutputFile } from '../../output/file.js';
import {
  balanceLines,
  cautionLines,
  exceptionList,
  exceptionsView,
  moreLine,
  openCount,
  reconciledLines,
  savedPlanLines,
  totalsList,
} from '../../output/views/reconciled.js';
import { exceptionsCsv, reconciledText } from '../../output/views/reconciled-documents.js';
import type { Reconciled } from '../../reconcile/reconcile.js';

const MAX_EXCEPTIONS_SHOWN = 50;

export default class Reconcile extends BaseCommand {
  static override summary = "Compare a provider's settlement file with the service.";
  static override description =
    "Matches each line with a payment by the provider's reference, then by the capture or authorisation ID, then by your " +
    'reference. Payments behind exceptions are read again, and nothing is changed. A CSV needs a mapping of its columns ' +
    '(reconcile map writes one); camt.053 needs none. The exit code is 7 when anything needs attention.';
  static override examples = [
    '<%= config.bin %> reconcile settlement.csv --map northbank.yaml',
    '<%= config.bin %> reconcile settlement.csv --map northbank.yaml --out exceptions.csv --plan refunds.plan.json',
    '<%= config.bin %> reconcile statement.xml --since 2026-11-01 --until 2026-11-14 --format html > report.html',
  ];
  static override args = {
    file: argument({
      required: true,
      ignoreStdin: true,
      description: 'CSV or camt.053 file, or - for standard input.',
    }),
  };
  static override flags = {
    map: string({ helpValue: 'MAP.yaml', summary: 'Mapping of the columns of a CSV.' }),
    since: sinceFlag({ summary: 'Start of the period that the file covers (default: its first day, UTC).' }),
    until: untilFlag({ summary: 'End of that period (default: its last day, UTC).' }),
    out: string({ helpValue: 'FILE.csv', summary: 'Also save the exceptions to this file, as CSV.' }),
    plan: string({
      helpValue: 'PLAN.json',
      summary: 'Save a batch plan for exceptions whose next step moves money.',
    }),
    format: option({
      options: ['table', 'csv', 'json', 'html', 'markdown'] as const,
      exclusive: ['columns', 'csv'],
      summary: 'Format to print (default: table).',
    })(),
    concurrency: readsFlag,
    ...listFlagsFor(exceptionList),
  };

  run(): Promise<JsonValue | undefined> {
    return withLedger(() => this.#reconcile());
  }

  async #reconcile(): Promise<JsonValue | undefined> {
    const { args, flags } = await this.parse(Reconcile);
    this.keepHeapSmall();
    const concurrency = flags.concurrency ?? DEFAULT_READS;
    const run = await runReconcile(this.context, { ...flags, file: args.file, concurrency });
    const { result } = run;
    if (flags.out !== undefined)
      await writeOutputFile(flags.out, exceptionsCsv(result.all()), { signal: this.signal });
    const plans = flags.plan === undefined ? undefined : await run.plan(flags.plan);
    const open = openCount(result);
    if (open > 0) {
      const message = `${counted(open, 'exception needs', 'exceptions need')} attention.`;
      this.endAs(new PartialError(message, { code: 'exceptions' }));
    }
    const format = this.json ? 'json' : flags.csv ? 'rows' : flags.format;
    let printed: JsonValue | undefined;
    if (format === 'rows') await this.showStream(result.all(), exceptionList);
    else if (format === undefined || format === 'table')
      await this.#showTable(args.file, result, flags.columns !== undefined);
    else
      printed = await printJsonText(reconciledText(format, args.file, result, plans?.written), {
        filtered: flags.jq !== undefined,
        write: (text) => this.streams.write(text),
      });
    this.note(...cautionLines(result));
    if (flags.out !== undefined) this.note(`Saved the exceptions to ${flags.out}.`);
    if (plans !== undefined) this.note(...savedPlanLines(plans));
    return printed;
  }

  /** A terminal gets the totals first; a pipe gets the exceptions alone. */
  async #showTable(file: string, result: Reconciled, hasColumns: boolean): Promise<void> {
    const { terminal } = this.streams.stdout;
    if (!terminal) {
      await this.showStream(result.all(), exceptionList);
      this.note(...reconciledLines(result), ...balanceLines(result));
      return;
    }
    this.print(...reconciledLines(result), '');
    // The columns that were asked for are those of the exceptions.
    if (!hasColumns) await this.showList(result.totals, totalsList);
    this.print(...balanceLines(result), '');
    const shown = [];
    for await (const row of result.all()) if (shown.push(row) >= MAX_EXCEPTIONS_SHOWN) break;
    if (shown.length === 0 || hasColumns) await this.showList(shown, exceptionList);
    else this.show(shown, exceptionsView);
    this.print(...moreLine(shown.length, openCount(result), file));
  }
}
