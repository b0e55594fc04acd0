import type { Missing } from '../../output/report.js';
import type { PromptContext } from '../../prompts.js';
import { askMenu } from './menu.js';
import { parseAmount, parseCurrency, parseId, parseNumericId, parseUrl } from '../../typed-values.js';

type Parse = (text: string) => unknown;

const questions: Readonly<Record<string, { message: string; parse: Parse }>> = {
  amount: { message: 'Amount, for example 49.90:', parse: parseAmount },
  currency: { message: 'Currency:', parse: (text) => parseCurrency(text.toUpperCase()) },
  customer: { message: 'Your customer ID:', parse: parseId },
  reference: { message: 'Your reference for this charge:', parse: parseId },
  'return-url': { message: 'Page that the customer returns to after paying:', parse: parseUrl },
  'provider-profile': { message: 'Provider profile:', parse: parseNumericId },
};

/** Asks for the missing flags, and when to capture if no flag says so. */
export async function askForPayment(
  missing: readonly Missing[],
  flags: Readonly<Record<string, unknown>>,
  context: PromptContext,
): Promise<Record<string, unknown>> {
  const { input } = await import('../../prompts.js');
  const answers: Record<string, unknown> = {};
  for (const { name } of missing) {
    const question = questions[name];
    if (question === undefined) continue;
    const { message, parse } = question;
    const validate = async (text: string) => (await problemWith(parse, text.trim())) ?? true;
    answers[name] = await parse((await input({ message, validate }, context)).trim());
  }
  if (flags['auto-capture'] === undefined && flags['body'] === undefined) {
    const choices = [
      { value: true, name: 'As soon as it is authorised' },
      { value: false, name: 'Later, with payments capture' },
    ];
    answers['auto-capture'] = await askMenu({ message: 'Charge the customer:', choices }, context);
  }
  return answers;
}

async function problemWith(parse: Parse, text: string): Promise<string | undefined> {
  try {
    await parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
