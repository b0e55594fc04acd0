import { InterruptedError, UsageError } from '../errors.js';
import { addWords } from '../next-command.js';
import type { CommandContext } from './context.js';

/** Asks before a file is written; without a terminal, `--yes` is needed. */
export async function confirmWriting(context: CommandContext, file: string): Promise<void> {
  if (!context.interactive) {
    throw new UsageError('Without a terminal, writing the file needs --yes. Nothing was written.', {
      code: 'not-confirmed',
      next: [addWords(context.typed, '--yes')],
    });
  }
  const { confirm } = await import('@inquirer/prompts');
  if (await confirm({ message: `Write ${file}?`, default: true }, context.prompts())) return;
  throw new InterruptedError('Nothing was written.', { code: 'declined' });
}
