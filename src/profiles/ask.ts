import { UsageError } from '../errors.js';
import { accept, checkApiKey, checkAppId, checkBaseUrl, checkName, type Checked } from './checks.js';
import type { PromptContext } from '../prompts.js';
import type { Secret } from './secret.js';

const MAX_KEY_LENGTH = 64 * 1024;

/** For @inquirer: true, or why not. */
const validated =
  <T>(check: (text: string) => Checked<T>) =>
  (text: string): string | true => {
    const checked = check(text);
    return 'value' in checked ? true : checked.problem;
  };

/** Asks for the parts of a new profile that were not given, by the names of their flags. */
export async function askForProfile(
  missing: readonly string[],
  context: PromptContext,
): Promise<Record<string, unknown>> {
  const { input, select } = await import('../prompts.js');
  const answers: Record<string, unknown> = {};
  const ask = async (name: string, message: string, check: (text: string) => Checked<string>) => {
    if (!missing.includes(name)) return;
    answers[name] = accept(check(await input({ message, validate: validated(check) }, context)));
  };
  await ask('name', 'Name of the profile:', checkName);
  await ask('base-url', 'Base URL of the service:', checkBaseUrl);
  await ask('app-id', 'App ID:', checkAppId);
  if (missing.includes('sandbox') || missing.includes('live')) {
    const choices = [
      { value: 'sandbox', description: 'Test money' },
      { value: 'live', description: 'Real money: commands ask before they move it' },
    ];
    const kind = await select({ message: 'Kind of app:', choices }, context);
    Object.assign(answers, { sandbox: kind === 'sandbox', live: kind === 'live' });
  }
  return answers;
}

/** Asks for the key without showing it. */
export async function askForApiKey(context: PromptContext): Promise<Secret> {
  const { password } = await import('../prompts.js');
  const typed = await password(
    { message: 'API key:', toggleMask: false, validate: validated(checkApiKey) },
    context,
  );
  return accept(checkApiKey(typed));
}

export async function readApiKey(stdin: NodeJS.ReadableStream & { isTTY?: boolean }): Promise<Secret> {
  if (stdin.isTTY) {
    throw new UsageError(
      '--api-key-stdin reads from a pipe or a file, but stdin is a terminal, which would show the key. ' +
        'Nothing was stored.',
      {
        code: 'usage',
        saysNothingSent: true,
        details: 'Leave out --api-key-stdin, and paydesk asks for the key.',
      },
    );
  }
  let text = '';
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > MAX_KEY_LENGTH) break;
  }
  const checked = checkApiKey(text);
  if ('value' in checked) return checked.value;
  throw new UsageError(`The key on stdin is invalid: ${checked.problem}. Nothing was stored.`, {
    code: 'bad-key',
    saysNothingSent: true,
  });
}
