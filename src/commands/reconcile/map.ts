import { existsSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { string as argument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { unusedName } from '../../cli/files/unused-name.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { GuardError, InterruptedError, UsageError } from '../../errors.js';
import { addWords, commandText, paydesk } from '../../next-command.js';
import { writeOutputFile } from '../../output/file.js';
import { encodingLines, headerLines, ignoredLines } from '../../output/views/sheet.js';
import { columnQuestions, guessedLines, sampleJson, sampleList } from '../../output/views/guessed-map.js';
import { guessMap, type MapQuestions, readsNothing, refuseXml } from '../../reconcile/map-file.js';

interface WrittenMap {
  file: string;
  mapping: string;
  notes: string[];
  lines: Array<ReturnType<typeof sampleJson>>;
  problems: Array<{ line: number; problem: string }>;
}

export default class ReconcileMap extends BaseCommand {
  static override summary = "Write a mapping for a provider's CSV.";
  static override description =
    'Guesses what the columns mean from their names and values, shows how the first lines are read, and asks before it ' +
    'writes the mapping. On a terminal it asks for columns that it does not recognise. Correct the file by hand where the ' +
    'guess is wrong.';
  static override examples = [
    '<%= config.bin %> reconcile map settlement.csv',
    '<%= config.bin %> reconcile map settlement.csv --out northbank.yaml --yes',
  ];
  static override args = {
    file: argument({ required: true, ignoreStdin: true, description: 'CSV file of a provider.' }),
  };
  static override flags = {
    out: string({
      helpValue: 'MAP.yaml',
      summary: 'File to write (default: the name of the CSV, with .map.yaml).',
    }),
    yes: boolean({ char: 'y', summary: 'Write it without asking.' }),
  };

  async run(): Promise<WrittenMap> {
    const { args, flags } = await this.parse(ReconcileMap);
    const out = flags.out ?? `${basename(args.file, extname(args.file))}.map.yaml`;
    await refuseXml(args.file);
    if (existsSync(out))
      throw new GuardError(`${out} exists already. Nothing was written. Use it, or write another one.`, {
        code: 'file-exists',
        next: [
          paydesk('reconcile', args.file, '--map', out),
          paydesk('reconcile', 'map', args.file, '--out', unusedName(out)),
        ],
      });
    const guessed = await guessMap(args.file, this.interactive ? this.#questions : undefined);
    this.note(
      ...encodingLines(guessed),
      ...headerLines(guessed.headerLine),
      ...ignoredLines(guessed.ignored),
    );
    this.print(...guessedLines(guessed));
    await this.showList(guessed.lines, sampleList);
    if (guessed.lines.length === 0) throw readsNothing(guessed);
    if (!flags.yes) await this.#confirm(out);
    await writeOutputFile(out, [guessed.text], { keepMode: true });
    this.note(
      `Wrote ${out}. Use it with: ${commandText(paydesk('reconcile', args.file, '--map', out), this.profileName)}`,
    );
    const { text, notes, lines, problems } = guessed;
    return { file: out, mapping: text, notes, lines: lines.map(sampleJson), problems };
  }

  readonly #questions: MapQuestions = {
    column: async (field, columns) => {
      const { askMenu } = await import('../../cli/guided/menu.js');
      const choices = columns.map((name) => ({ name, value: name as string | undefined }));
      const message = `Which column has ${columnQuestions[field] ?? field}?`;
      return askMenu({ message, choices: [...choices, { name: 'None', value: undefined }] }, this.prompts());
    },
    currency: async () => {
      const { askValue, parseTypedCurrency: parse } = await import('../../cli/guided/payment-prompts.js');
      return askValue({ message: 'Which currency are the amounts in?', parse }, this.prompts());
    },
  };

  /** Where nobody can be asked, `--yes` is needed. */
  async #confirm(file: string): Promise<void> {
    if (!this.interactive) {
      throw new UsageError('Writing the file must be confirmed with --yes. Nothing was written.', {
        code: 'not-confirmed',
        next: [addWords(this.typed, '--yes')],
      });
    }
    const { confirm } = await import('../../prompts.js');
    if (await confirm({ message: `Write ${file}?`, default: true }, this.prompts())) return;
    throw new InterruptedError('Nothing was written.', { code: 'declined' });
  }
}
