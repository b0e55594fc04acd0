import type { confirm } from '@inquirer/prompts';
import { InterruptedError } from '../errors.js';
import type { Run } from './run.js';

type PromptContext = NonNullable<Parameters<typeof confirm>[1]>;

/** Everything in it is lost: somebody at a terminal may have meant another sandbox. */
export async function confirmReset(
  { url }: Run,
  payments: number,
  { note, prompts }: { note: (text: string) => void; prompts: PromptContext },
): Promise<void> {
  const { confirm } = await import('@inquirer/prompts');
  note(`${payments === 1 ? '1 payment' : `${payments} payments`} will be deleted.`);
  note(url);
  if (await confirm({ message: 'Delete everything in it?', default: false }, prompts)) return;
  throw new InterruptedError('Nothing was changed.', { code: 'declined' });
}
