// What a page asks its reader to do: files to write and commands to type, in order, with what they print.

export interface FileStep {
  kind: 'file';
  name: string;
  text: string;
}

export interface CommandStep {
  kind: 'command';
  /** Which terminal it is typed into; undefined for the one that is used unless another is named. */
  terminal: string | undefined;
  /** Undefined where a block only shows what a running command has printed by now. */
  command: string | undefined;
  shown: string[];
  /** Whether it may run on: then it is over when it has printed what is shown. */
  stays: boolean;
  /** What is typed where the program asks: once the first is on the screen, the second. */
  answers: Array<{ at: string; type: string }>;
  line: number;
}

export type Step = FileStep | CommandStep;

const BLOCK = /^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm;
const ANSWER = /<!-- at "([^"]+)" type "([^"]*)" -->/g;

/**
 * A block ```console holds commands after `$ ` and what they print; a second word names another terminal. A block with a
 * file's name as the second word is that file. An answer to a prompt stands in a comment before its block.
 */
export function stepsOf(page: string): Step[] {
  let before = 0;
  return Array.from(page.matchAll(BLOCK)).flatMap((match): Step[] => {
    const [whole, language, word, text = ''] = match;
    const between = page.slice(before, match.index);
    before = match.index + whole.length;
    if (language === 'console') {
      const answers = Array.from(between.matchAll(ANSWER), ([, at = '', type = '']) => ({ at, type }));
      const line = page.slice(0, match.index).split('\n').length + 1;
      return commandsOf(text, { terminal: word, answers, line });
    }
    return word === undefined ? [] : [{ kind: 'file', name: word, text }];
  });
}

function commandsOf(text: string, block: Pick<CommandStep, 'terminal' | 'answers' | 'line'>): CommandStep[] {
  const steps: CommandStep[] = [];
  const step = { ...block, kind: 'command', stays: false } as const;
  let open = false;
  for (const [index, line] of text.trimEnd().split('\n').entries()) {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) {
      const command = line.slice(2);
      steps.push({ ...step, command, shown: [], line: block.line + index });
      open = command.endsWith('\\');
    } else if (open && last) {
      last.command += `\n${line}`;
      open = line.endsWith('\\');
    } else if (last) last.shown.push(line);
    else steps.push({ ...step, command: undefined, shown: [line] });
  }
  // The last command of a block in a terminal of its own.
  return steps.map((one, index) => ({
    ...one,
    stays: one.terminal !== undefined && index === steps.length - 1 && one.shown.length > 0,
  }));
}

/** The lines of `sh` blocks that are no file: shown and not run. */
export function linesNotRun(page: string): string[] {
  return Array.from(page.matchAll(BLOCK))
    .filter(([, language, name]) => language === 'sh' && name === undefined)
    .flatMap(([, , , text = '']) => text.trimEnd().split('\n'));
}

/** The scripts inside a CI file: `run:` of GitHub Actions, `script:` of GitLab. */
export function scriptsIn(yaml: string): string[] {
  const lines = yaml.split('\n');
  const indentOf = (line: string) => line.search(/\S|$/);
  return lines.flatMap((line, index) => {
    const match = /^( *)(?:- )?(?:run|script|before_script|after_script): *(.*)$/.exec(line);
    if (!match) return [];
    const [, , inline = ''] = match;
    if (inline !== '' && inline !== '|') return [inline];
    const below = lines.slice(index + 1);
    const end = below.findIndex((next) => next.trim() !== '' && indentOf(next) <= indentOf(line));
    const body = (end < 0 ? below : below.slice(0, end)).map((next) => next.trim());
    if (inline === '|') return [body.join('\n').trim()];
    // A list of commands, each maybe a block of its own.
    return [
      body
        .filter((next) => next !== '- |')
        .map((next) => next.replace(/^- /, ''))
        .join('\n')
        .trim(),
    ];
  });
}
