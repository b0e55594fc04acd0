// Which payments a guided session is about: named, pasted, from a file, or those that need attention.

import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { counted, countText } from '../../contract/amount-format.js';
import { UsageError } from '../../errors.js';
import { fileProblem } from '../../file-problem.js';
import { namesInLine, parsePastedLines, parsePastedName } from '../../payments/pasted-names.js';
import type { Line } from '../../output/lines.js';
import { age } from '../../output/time.js';
import type { ResolveSession } from '../../support/sessions.js';
import type { PromptContext } from '../../prompts.js';
import { askMenu } from './menu.js';

export interface Asking {
  prompts: () => PromptContext;
  note: (...lines: Line[]) => void;
  stuck: () => Promise<string[]>;
}

/** Whether to resume a session that was not finished. */
export async function askToResume(
  { prompts }: Asking,
  session: ResolveSession,
  now: number,
): Promise<boolean> {
  const left = session.items.filter(({ status }) => status === 'open').length;
  const started = age(new Date(session.time), new Date(now));
  return askMenu(
    {
      message: `A session from ${started} has ${countText(left)} of ${counted(session.items.length, 'payment')} left.`,
      choices: [
        { name: 'Resume it', value: true },
        { name: 'Start over', value: false },
      ],
    },
    prompts(),
  );
}

export async function askForPayments(asking: Asking): Promise<string[]> {
  const from = await askMenu<'stuck' | 'paste' | 'file'>(
    {
      message: 'Which payments?',
      choices: [
        { name: 'Known payments that need attention', value: 'stuck' },
        { name: 'Paste references or payment IDs', value: 'paste' },
        { name: 'Read them from a file, one per line', value: 'file' },
      ],
    },
    asking.prompts(),
  );
  if (from === 'stuck') return asking.stuck();
  if (from === 'paste') return paste(asking);
  const { input } = await import('../../prompts.js');
  return namesInFile((await input({ message: 'File:' }, asking.prompts())).trim());
}

/** How long the next piece of the same paste may take to arrive. */
const PASTE_PAUSE_MS = 200;

/** An empty line ends the list, unless it is a gap in a paste. */
async function paste({ prompts, note }: Asking): Promise<string[]> {
  const { input: stdin, output, signal } = prompts();
  // A prompt for one line would lose the lines that follow in the same paste.
  const reader = createInterface({
    input: stdin,
    output,
    signal,
  });
  note('One per line. An empty line at the end finishes the list.');
  let interrupted = false;
  reader.on('SIGINT', () => {
    interrupted = true;
    reader.close();
  });
  const names: string[] = [];
  let unread = 0;
  reader.on('line', () => (unread += 1));
  const isLast = () => unread === 0 && reader.line === '';
  for await (const line of reader) {
    unread -= 1;
    if (line.trim() === '' && names.length > 0 && isLast()) {
      await setTimeout(PASTE_PAUSE_MS);
      if (isLast()) break;
    }
    for (const word of namesInLine(line)) {
      const problem = problemWith(word);
      if (problem === undefined) names.push(word);
      else note(`${word}: ${problem}. Left out.`);
    }
  }
  reader.close();
  if (interrupted || names.length === 0) {
    const { leftPrompt } = await import('../../prompts.js');
    throw leftPrompt();
  }
  return names;
}

function problemWith(word: string): string | undefined {
  try {
    parsePastedName(word);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

export async function namesInFile(path: string): Promise<string[]> {
  try {
    return parsePastedLines(await readFile(path, 'utf8')).map(({ typed }) => typed);
  } catch (error) {
    throw new UsageError(`${path} cannot be used: ${fileProblem(error)}.`, { code: 'bad-file' });
  }
}
