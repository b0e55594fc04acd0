import { existsSync } from 'node:fs';
import { string as argument } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { unusedName } from '../../cli/files/unused-name.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import type { PromptContext } from '../../prompts.js';
import { amountFlag, currencyFlag } from '../../cli/flags/flags.js';
import { DEFAULT_CLOCK, openFreshWorld } from '../../cli/scenario.js';
import { GuardError } from '../../errors.js';
import { commandText, paydesk } from '../../next-command.js';
import { writeOutputFile } from '../../output/file.js';
import type { Missing } from '../../output/report.js';
import { cardNames } from '../../sandbox/index.js';
import { nextMoves, draftScenario } from '../../scenarios/draft.js';

export default class ScenarioNew extends BaseCommand {
  static override summary = 'Write a scenario file from a few answers.';
  static override description =
    'On a terminal it asks. The scenario is run once, so that the file expects what really happens.';
  static override examples = [
    '<%= config.bin %> scenario new',
    '<%= config.bin %> scenario new refund.yaml --name "a refund" --card approved --next refund',
  ];
  static override args = {
    file: argument({
      required: true,
      ignoreStdin: true,
      description: 'File to write, for example refund.yaml.',
    }),
  };
  static override flags = {
    name: string({ required: true, helpValue: 'TEXT', summary: 'What the scenario shows, as a sentence.' }),
    amount: amountFlag({ summary: 'Amount (default 10.00).' }),
    currency: currencyFlag({ summary: 'Currency (default EUR).' }),
    card: option({ options: cardNames })({
      helpValue: 'NAME',
      summary: 'Test card of the customer (default: approved).',
    }),
    next: option({ options: nextMoves })({
      summary: 'What happens once the customer has paid (default: nothing).',
    }),
  };

  protected override ask(missing: readonly Missing[], flags: Record<string, unknown>) {
    return askForScenario(missing, flags, this.prompts());
  }

  async run(): Promise<{ file: string; text: string }> {
    const { args, flags } = await this.parse(ScenarioNew);
    const { file } = args;
    if (existsSync(file)) {
      const other = unusedName(file);
      const words = this.typed.words.map((word) => (word === file ? other : word));
      throw new GuardError(`${file} exists already. Nothing was written. Run it, or write another one.`, {
        code: 'file-exists',
        next: [paydesk('scenario', 'run', file), { words }],
      });
    }
    const { name, amount = '10', currency = 'EUR', card = 'approved', next = 'nothing' } = flags;
    const text = await draftScenario(
      { name, amount, currency, card, next },
      { clock: DEFAULT_CLOCK, openWorld: () => openFreshWorld(this.context) },
    );
    await writeOutputFile(file, [text]);
    this.note(`Wrote ${file}. Run it with: ${commandText(paydesk('scenario', 'run', file))}`);
    this.printExact(text);
    return { file, text };
  }
}

/** Asks for what a new scenario needs, and for what it may have where somebody is asked anyway. */
async function askForScenario(
  missing: readonly Missing[],
  flags: Record<string, unknown>,
  context: PromptContext,
): Promise<Record<string, unknown>> {
  const { input, select } = await import('../../prompts.js');
  const isMissing = (name: string) => missing.some((each) => each.name === name);
  const notEmpty = (text: string) => text.trim() !== '' || 'Type something.';
  const answers: Record<string, unknown> = {};
  if (isMissing('name')) {
    answers['name'] = await input({ message: 'What does the scenario show?', validate: notEmpty }, context);
  }
  if (flags['card'] === undefined) {
    const choices = cardNames.map((value) => ({ value }));
    answers['card'] = await select({ message: 'Card of the customer:', choices }, context);
  }
  if (flags['next'] === undefined) {
    const choices = nextMoves.map((value) => ({ value }));
    answers['next'] = await select({ message: 'What happens once it is paid?', choices }, context);
  }
  if (isMissing('file')) {
    answers['file'] = await input(
      { message: 'File to write:', default: 'scenario.yaml', validate: notEmpty },
      context,
    );
  }
  return answers;
}
