// What to type next: commands are words until they are shown. Only this file turns them into text and splits that text.

/** A command that a reader can type, word by word. */
export interface Command {
  readonly words: readonly string[];
  /** The file that its output goes to. */
  readonly into?: string;
}

/** What to type next: a command, or one that another paydesk process has turned into text. */
export type NextStep = Command | { readonly text: string };

const PROGRAM = 'paydesk';

export const paydesk = (...words: ReadonlyArray<string | number>): Command => ({
  words: [PROGRAM, ...words.map(String)],
});

/** A command with an argument that somebody typed: after `--` where it looks like a flag. */
export const paydeskWith = (command: readonly string[], argument: string): Command =>
  paydesk(...command, ...(argument.startsWith('-') ? ['--'] : []), argument);

/** A command of another program. */
export const otherProgram = (...words: ReadonlyArray<string | number>): Command => ({
  words: words.map(String),
});

/** The command with more words: before `--`, since flags after it are taken for arguments. */
export function addWords(command: Command, ...words: readonly string[]): Command {
  const end = command.words.indexOf('--');
  return { ...command, words: command.words.toSpliced(end < 0 ? command.words.length : end, 0, ...words) };
}

/** The command with this profile, and with no other that was typed. */
export function switchProfile(command: Command, profile: string): Command {
  const { words } = command;
  const isFlag = (word: string) => /^(--profile(=.*)?|-p.*)$/s.test(word);
  const takesNext = (word = '') => word === '--profile' || word === '-p';
  const others = words.filter((word, at) => !isFlag(word) && !takesNext(words[at - 1]));
  return addWords({ ...command, words: others }, '--profile', profile);
}

// A batch knows the profile that it was planned with.
const topicsWithProfile = [
  'api',
  'customers',
  'doctor',
  'history',
  'payments',
  'reconcile',
  'webhook',
  'whoami',
];

/** The command for the profile that was chosen with `--profile`: without it, it would act on another app. */
export function withProfile(command: Command, profile: string | undefined): Command {
  const { words } = command;
  const [program, topic = ''] = words;
  const takesProfile = program === PROGRAM && topicsWithProfile.includes(topic);
  const isSettled = words.some((word) => /^(--help|--profile(=.*)?|-p.*|.*….*)$/s.test(word));
  return profile !== undefined && takesProfile && !isSettled
    ? addWords(command, '--profile', profile)
    : command;
}

/** The same for a step, which is left as it is where it is text already. */
export const stepWithProfile = (step: NextStep, profile: string | undefined): NextStep =>
  'text' in step ? step : withProfile(step, profile);

/** A command as a shell takes it. */
export function commandText(step: NextStep, profile?: string): string {
  if ('text' in step) return step.text;
  const { words, into } = withProfile(step, profile);
  const text = words.map(shellWord).join(' ');
  return into === undefined ? text : `${text} > ${shellWord(into)}`;
}

/** Each step once, in the order of the first. */
export function distinct(steps: readonly NextStep[]): NextStep[] {
  return [...new Map(steps.map((step) => [commandText(step), step])).values()];
}

interface Part {
  start: number;
  end: number;
}

/**
 * The parts of a command's text between which it can be broken into lines, each with its place: words as a shell splits
 * them, and a flag with its value.
 */
export function commandParts(text: string): Array<Part & { words: Part[] }> {
  const parts: Array<Part & { words: Part[] }> = [];
  let takesValue = false;
  for (const { 0: shown, index: start } of text.matchAll(/(?:[^\s'"\\]|\\.|'[^']*'|"[^"]*")+/g)) {
    const word = { start, end: start + shown.length };
    const last = parts.at(-1);
    if (last && takesValue && !shown.startsWith('-')) {
      last.end = word.end;
      last.words.push(word);
    } else parts.push({ ...word, words: [word] });
    takesValue = shown.startsWith('--') && !shown.includes('=');
  }
  return parts;
}

/** A word as a shell takes it, quoted where it must be. */
export function shellWord(word: string): string {
  return /^(?![~=])[\w@%+=:,./~…-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
