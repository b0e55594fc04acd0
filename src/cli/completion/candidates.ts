// What may stand where the cursor is: from the manifest, and from what this desk knows of profiles and payments.

import { stateNames } from '../../contract/states.js';
import type { HelpCommand, HelpFlag } from '../../output/views/help.js';
import { isGlobalOption, withoutGlobalOptions } from '../runtime/global-options.js';

export interface CompletionCandidate {
  value: string;
  text: string;
}

type Flags = HelpCommand['flags'];

export interface Known {
  commands: Record<string, HelpCommand>;
  topics: Record<string, { description: string }>;
  profiles(): Promise<CompletionCandidate[]>;
  /** The scenarios that ship with paydesk. */
  scenarios(): Promise<CompletionCandidate[]>;
  /** Payments whose id or reference begins like that, of the app that the words choose. */
  payments(beginning: string, profile: string | undefined): Promise<CompletionCandidate[]>;
}

/** `words` are what was typed after the program's name; the last one is being typed. */
export async function findCandidates(words: readonly string[], known: Known): Promise<CompletionCandidate[]> {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  const named = withoutGlobalOptions(before).filter((word) => !word.startsWith('-'));
  const id = named
    .map((_, index) => named.slice(0, index + 1).join(':'))
    .findLast((candidate) => candidate in known.commands || candidate in known.topics);
  const command = id === undefined ? undefined : known.commands[id];
  const flags = command?.flags ?? flagsOfEveryCommand(known);
  const found = await candidatesFor();
  return found.filter(({ value }) => value.startsWith(typed));

  async function candidatesFor(): Promise<CompletionCandidate[]> {
    const flag = flagBefore(flags, before);
    if (flag) return valuesOf(flag);
    if (/^--[a-z-]+=/.test(typed)) return assigned();
    if (typed.startsWith('-')) return offeredFlags(flags, before);
    const below = wordsBelow(named.join(':'), known);
    if (below.length > 0 || !command) return below;
    return argumentsOf(command, named.length - (id as string).split(':').length);
  }

  /** `--state=Cap`. */
  async function assigned(): Promise<CompletionCandidate[]> {
    const name = typed.slice(2, typed.indexOf('='));
    const flag = flags[name];
    const values = flag?.type === 'option' ? await valuesOf(flag) : [];
    return values.map(({ value, text }) => ({ value: `--${name}=${value}`, text }));
  }

  async function valuesOf({ name, options, helpValue = '' }: HelpFlag): Promise<CompletionCandidate[]> {
    if (name === 'profile') return known.profiles();
    if (options) return options.map((value) => ({ value, text: '' }));
    if (/^STATE\b/.test(helpValue)) return statesFor(helpValue);
    if (helpValue === 'PAYMENT') return known.payments(typed, profileIn(before));
    return [];
  }

  async function argumentsOf(
    { id: command, args }: HelpCommand,
    index: number,
  ): Promise<CompletionCandidate[]> {
    const all = Object.values(args);
    const arg = all[index] ?? all.findLast(({ multiple }) => multiple);
    if (arg?.options) return arg.options.map((value) => ({ value, text: '' }));
    if (arg?.name === 'payment') return known.payments(typed, profileIn(before));
    if (command === 'scenario:run' || command === 'scenario:show') return known.scenarios();
    if (arg?.name === 'name' && command.startsWith('profiles:') && command !== 'profiles:add')
      return known.profiles();
    return [];
  }
}

/** The flag whose value is being typed. */
function flagBefore(flags: Flags, before: readonly string[]): HelpFlag | undefined {
  const last = before.at(-1) ?? '';
  const flag = Object.values(flags).find(({ name, char }) => last === `--${name}` || last === `-${char}`);
  return flag?.type === 'option' ? flag : undefined;
}

/** What may come before the command as well. */
function flagsOfEveryCommand({ commands }: Known): Flags {
  const [first] = Object.values(commands);
  return Object.fromEntries(
    Object.entries(first?.flags ?? {}).filter(([name]) => isGlobalOption(`--${name}`)),
  );
}

function offeredFlags(flags: Flags, before: readonly string[]): CompletionCandidate[] {
  return Object.values(flags)
    .filter(({ hidden, name, multiple }) => !hidden && (multiple || !before.includes(`--${name}`)))
    .flatMap(({ name, allowNo, summary = '' }) => [
      { value: `--${name}`, text: summary },
      ...(allowNo ? [{ value: `--no-${name}`, text: summary }] : []),
    ]);
}

/** The next words of commands and topics that begin with these. */
function wordsBelow(id: string, { commands, topics }: Known): CompletionCandidate[] {
  const prefix = id === '' ? '' : `${id}:`;
  const texts = new Map<string, string>();
  const add = (name: string, text: string) => {
    if (!name.startsWith(prefix)) return;
    const [next = '', ...more] = name.slice(prefix.length).split(':');
    if (more.length === 0) texts.set(next, text);
  };
  for (const command of Object.values(commands)) if (!command.hidden) add(command.id, command.summary ?? '');
  for (const [name, { description }] of Object.entries(topics)) add(name, description);
  return [...texts].map(([value, text]) => ({ value, text })).sort((a, b) => (a.value < b.value ? -1 : 1));
}

function statesFor(helpValue: string): CompletionCandidate[] {
  const others = helpValue.split('|').slice(1);
  return [...stateNames, ...others].map((value) => ({ value, text: '' }));
}

function profileIn(words: readonly string[]): string | undefined {
  const at = words.findLastIndex((word) => word === '--profile' || word === '-p');
  return at < 0
    ? words.findLast((word) => word.startsWith('--profile='))?.slice('--profile='.length)
    : words[at + 1];
}
