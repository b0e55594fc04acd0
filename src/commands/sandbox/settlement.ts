import { string } from '@oclif/core/args';
import { custom, option, string as text } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { parseBookedTime, parseDefects } from '../../cli/flags/sandbox-flags.js';
import { chosenApp, openSandbox, sandboxFlags } from '../../cli/desk/sandbox.js';
import { ServiceError, UsageError } from '../../errors.js';
import { paydesk } from '../../next-command.js';
import { namesStdout, writeOutputFile, type WrittenFile } from '../../output/file.js';
import { kindLines } from '../../output/views/sandbox-lists.js';
import { plantedLines, settlementView } from '../../output/views/settlement.js';
import { defectKinds, settlementFormats, type SettlementReport } from '../../sandbox/index.js';
import { parseCount } from '../../typed-values.js';

const timeFlag = custom<Date>({ helpValue: 'INSTANT', parse: async (value) => parseBookedTime(value) });

/** Where there are too few captured payments: how to make one. Each needs a reference of its own. */
function withCommands(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'operation-not-allowed') return error;
  const { message, code, httpStatus } = error;
  const what = '--reference extra-1 --amount 10 --currency EUR --customer c_extra';
  return new ServiceError(message, {
    code,
    httpStatus,
    cause: error,
    next: [
      paydesk('payments', 'create', ...what.split(' '), '--return-url', 'https://shop.example/done'),
      paydesk('sandbox', 'pay', 'extra-1', '--card', 'approved'),
    ],
  });
}

export default class SandboxSettlement extends BaseCommand {
  static override summary = "Write a provider's settlement file, with defects to find.";
  static override description =
    'Each defect needs a captured payment of its own, and is listed on stderr. The sample payments are too ' +
    'few for all of them. A name given twice is planted twice. ' +
    `Defects:\n${kindLines(defectKinds)}\n  all             one of each`;
  static override examples = [
    '<%= config.bin %> sandbox settlement northbank.csv --provider Northbank',
    '<%= config.bin %> sandbox settlement --defects missing,amount --seed 7 > settlement.csv',
    '<%= config.bin %> sandbox settlement statement.xml --format camt --defects amount,fee --json',
  ];
  static override args = {
    file: string({ default: '-', description: 'File to write, or - for stdout (default).' }),
  };
  static override flags = {
    ...sandboxFlags,
    provider: text({
      helpValue: 'NAME',
      summary: 'Only this provider, for example Northbank (default: all).',
    }),
    defects: custom({ parse: parseDefects })({
      helpValue: 'a,b,c',
      summary: 'Defects to plant (default: none).',
    }),
    seed: custom<number>({ parse: async (value) => parseCount(value, 0) })({
      helpValue: 'N',
      summary: 'Decides which payments have the defects (default 1).',
    }),
    since: timeFlag({ summary: 'Only what was booked since this time.' }),
    until: timeFlag({ summary: 'Only what was booked until this time.' }),
    format: option({ options: settlementFormats })({
      default: 'csv' as const,
      summary: 'CSV, or camt.053 XML.',
    }),
  };

  async run(): Promise<(WrittenFile & SettlementReport) | undefined> {
    const { args, flags } = await this.parse(SandboxSettlement);
    const toStdout = namesStdout(args.file);
    if (toStdout && this.json)
      throw new UsageError('With --json, name the file to write: stdout carries the report.', {
        code: 'no-file',
      });
    const sandbox = await openSandbox(this.context, flags);
    const app = chosenApp(this.context);
    const query = {
      appId: app?.baseUrl === sandbox.run.url ? app.appId : undefined,
      provider: flags.provider,
      defects: flags.defects,
      seed: flags.seed === undefined ? undefined : String(flags.seed),
      since: flags.since?.toISOString(),
      until: flags.until?.toISOString(),
      format: flags.format,
    };
    const report = await sandbox.settlementDefects(query).catch((error: unknown) => {
      throw withCommands(error);
    });
    const pieces = sandbox.settlement({ ...query, until: report.until });
    if (!toStdout) {
      const written = await writeOutputFile(args.file, pieces, { signal: this.signal });
      this.sent.assumeSome();
      return this.show({ ...written, ...report }, settlementView);
    }
    for await (const piece of pieces) {
      this.streams.write(piece);
      // A reader that is slower than the sandbox sets the pace.
      if (await this.streams.unwritten()) break;
    }
    if (report.planted.length > 0) this.note(...plantedLines(report));
    return undefined;
  }
}
