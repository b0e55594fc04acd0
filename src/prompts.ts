// The questions of @inquirer/prompts, which also end when their input ends (Ctrl-D).

import * as inquirer from '@inquirer/prompts';

/** The second argument of every question. */
export type PromptContext = NonNullable<Parameters<typeof inquirer.input>[1]> & {
  input: NodeJS.ReadableStream;
  signal: AbortSignal;
};

type Prompt<C, T> = (config: C, context: PromptContext) => Promise<T>;

/** Ends a question at the end of its input as Ctrl-C does. By itself @inquirer would never settle it. */
export const endingWithInput =
  <C, T>(prompt: Prompt<C, T>): Prompt<C, T> =>
  async (config, context) => {
    const { input, signal } = context;
    const ended = new AbortController();
    // The question closes its input, which pauses it: after the answer, or because nothing more can be typed.
    const onPause = () => ended.abort();
    input.once('pause', onPause);
    try {
      return await prompt(config, { ...context, signal: AbortSignal.any([signal, ended.signal]) });
    } catch (error) {
      const isEnd = (error as Error).name === 'AbortPromptError' && !signal.aborted;
      throw isEnd ? leftPrompt() : error;
    } finally {
      input.off('pause', onPause);
    }
  };

/** What a question throws at Ctrl-C. */
export const leftPrompt = (): Error =>
  Object.assign(new Error('the question was left'), { name: 'ExitPromptError' });

export const confirm = endingWithInput(inquirer.confirm);
export const input = endingWithInput(inquirer.input);
export const password = endingWithInput(inquirer.password);
export const select = endingWithInput(inquirer.select);
