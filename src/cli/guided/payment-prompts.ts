import type { Missing } from '../../output/report.js';
import type { PromptContext } from '../../prompts.js';
import { askMenu } from './menu.js';
import { parseAmount, parseCurrency, parseId, parseNumericId, parseUrl } from '../../typed-values.js';

interface Question<T> {
  message: string;
  parse: (text: string) => T | Promise<T>;
}

/** Of a currency, capitals do not matter. */
export const parseTypedCurrency = (text: string): string => parseCurrency(text.toUpperCase());

const questions: Readonly<Record<string, Question<unknown>>> = {
  amount: { message: 'Amount, for example 49.90:', parse: parseAmount },
  currency: { message: 'Currency:', parse: parseTypedCurrency },
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
  const answers: Record<string, unknown> = {};
  for (const { name } of missing) {
    const question = questions[name];
    if (question !== undefined) answers[name] = await askValue(question, context);
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

/** A value as a flag takes it, asked for until it is one. */
export async function askValue<T>({ message, parse }: Question<T>, context: PromptContext): Promise<T> {
  const { input } = await import('../../prompts.js');
  const validate = async (text: string) => (await problemWith(parse, text.trim())) ?? true;
  return parse((await input({ message, validate }, context)).trim());
}

async function problemWith(parse: Question<unknown>['parse'], text: string): Promise<string | undefined> {
  try {
    await parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
