import type { confirm } from '@inquirer/prompts';
import { InterruptedError } from '../errors.js';
import type { Run } from './run.js';

type PromptContext = NonNullable<Parameters<typeof confirm>[1]>;

/** Everything in it is lost: somebody at a terminal may have meant another sandbox. */
export async function confirmReset(run: Run, payments: string, context: PromptContext): Promise<void> {
  const { confirm } = await import('@inquirer/prompts');
  const many = payments === '1' ? '1 payment' : `${payments} payments`;
  const message = `Empty the sandbox at ${run.url}? ${many} will be lost.`;
  if (await confirm({ message, default: false }, context)) return;
  throw new InterruptedError('Nothing was changed.', { code: 'declined' });
}
