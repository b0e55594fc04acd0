// The questions of @inquirer/prompts, which also end when their input ends (Ctrl-D), and break no word at the right edge.

import { makeTheme } from '@inquirer/core';
import * as inquirer from '@inquirer/prompts';
import { displayWidth, wrap } from './output/text.js';

/** The second argument of every question. */
export type PromptContext = NonNullable<Parameters<typeof inquirer.input>[1]> & {
  input: NodeJS.ReadableStream;
  signal: AbortSignal;
};

interface Question {
  message: string;
  default?: unknown;
  theme?: object;
}

type Prompt<C, T> = (config: C, context: PromptContext) => Promise<T>;

/** A prompt that fits the terminal, and ends with its input. */
export const question =
  <C extends Question, T>(prompt: Prompt<C, T>): Prompt<C, T> =>
  (config, context) =>
    endWithInput(prompt, { ...config, theme: fittedTheme(config, context) }, context);

const DEFAULT_WIDTH = 80;
/** Before a message stands `? `, and before an error `> `. */
const INDENT = 2;
const { style } = makeTheme({});

/** Breaks messages and errors between words: @inquirer itself breaks lines at the last column. */
function fittedTheme(config: Question, { output }: PromptContext): object {
  // Asked at every draw, since the terminal may have changed.
  const room = () => ((output as NodeJS.WriteStream).columns || DEFAULT_WIDTH) - INDENT;
  // What follows in the same line counts as part of the last word.
  const fit = (text: string, behind = 0) =>
    wrap(text + NO_BREAK_SPACE.repeat(behind), room())
      .join(`\n${' '.repeat(INDENT)}`)
      .trimEnd();
  return {
    ...config.theme,
    style: {
      message: (text: string, status: 'idle' | 'done' | 'loading') =>
        style.message(fit(text, answerWidth(config)), status),
      error: (text: string) => style.error(fit(text)),
    },
  };
}

const NO_BREAK_SPACE = '\u{a0}';

/** The columns of ` (y/N) Yes` or ` (scenario.yaml) `, and of the cursor. */
const answerWidth = ({ default: suggested }: Question): number =>
  typeof suggested === 'boolean'
    ? ' (y/N) Yes '.length
    : typeof suggested === 'string'
      ? displayWidth(` (${suggested}) `) + 1
      : 2;

/** Ends a question at the end of its input as Ctrl-C does. By itself @inquirer would never settle it. */
async function endWithInput<C, T>(prompt: Prompt<C, T>, config: C, context: PromptContext): Promise<T> {
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
}

/** What a question throws at Ctrl-C. */
export const leftPrompt = (): Error =>
  Object.assign(new Error('the question was left'), { name: 'ExitPromptError' });

export const confirm = question(inquirer.confirm);
export const input = question(inquirer.input);
export const password = question(inquirer.password);
export const select = question(inquirer.select);
