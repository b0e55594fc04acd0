import type { Missing } from '../output/report.js';
import type { PromptContext } from './context.js';
import { cardNames } from '../sandbox/index.js';
import { afterwards } from '../scenarios/draft.js';

/** Asks for what a new scenario needs, and for what it may have where somebody is asked anyway. */
export async function askForScenario(
  missing: readonly Missing[],
  flags: Record<string, unknown>,
  context: PromptContext,
): Promise<Record<string, unknown>> {
  const { input, select } = await import('@inquirer/prompts');
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
    const choices = afterwards.map((value) => ({ value }));
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
