// Reads a command line as oclif does, but collects everything that is wrong with it instead of stopping at the first.

import type { Environment } from '../../child-environment.js';
import { type Command } from '../../next-command.js';
import type { Arg, Flag, OptionFlag, ParserOutput } from '@oclif/core/interfaces';
import { parse } from '@oclif/core/parser';
import { counted } from '../../contract/amount-format.js';
import { UsageError } from '../../errors.js';
import type { Missing, UsageProblem } from '../../output/report.js';
import { suggest } from '../../suggest.js';

type AnyFlag = Flag<unknown>;
type AnyArg = Arg<unknown>;
type Values = Record<string, unknown>;

interface CommandLine {
  output: ParserOutput<Values, Values, Values>;
  bad: UsageProblem[];
  unknown: UsageProblem[];
  missing: Missing[];
}

interface Definition {
  flags: Record<string, AnyFlag>;
  args: Record<string, AnyArg>;
  strict: boolean;
}

export function definitionOf(input: {
  baseFlags?: object;
  flags?: object;
  args?: object;
  strict?: boolean | undefined;
}): Definition {
  return {
    flags: { ...input.baseFlags, ...input.flags },
    args: (input.args ?? {}) as Record<string, AnyArg>,
    strict: input.strict !== false,
  };
}

const isOption = (flag: AnyFlag): flag is AnyFlag & OptionFlag<unknown> => flag.type === 'option';
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The summary of a flag or argument as a part of a sentence: `CSV file` keeps its capitals. */
const describe = (text: string | undefined): string =>
  text
    ? `missing: ${text.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase()).replace(/\.$/, '')}`
    : 'missing';

function notAnOption(value: string, options: readonly unknown[]): string {
  const names = options.map(String);
  const close = suggest(value, names);
  return `one of ${names.join(', ')}${close === undefined ? '' : `; did you mean ${close}?`}`;
}

/** Checks one value as its flag or argument does; a problem is noted instead of thrown. */
async function checked(
  definition: AnyFlag | AnyArg,
  text: string,
  context: unknown,
  note: (problem: string) => void,
): Promise<unknown> {
  const options = 'options' in definition ? definition.options : undefined;
  if (options && !(options as readonly unknown[]).includes(text)) return note(notAnOption(text, options));
  try {
    return await (definition.parse as (...args: unknown[]) => Promise<unknown>)(text, context, definition);
  } catch (error) {
    return note(messageOf(error));
  }
}

/** The flag that a word without `=` names. */
function flagNamed(word: string, flags: Definition['flags']): string | undefined {
  if (!word.startsWith('--')) {
    return Object.keys(flags).find(
      (name) => flags[name]?.char !== undefined && word.startsWith(`-${flags[name].char}`),
    );
  }
  const name = word.slice('--'.length);
  if (Object.hasOwn(flags, name)) return name;
  const positive = name.replace(/^no-/, '');
  const flag = Object.hasOwn(flags, positive) ? flags[positive] : undefined;
  return flag?.type === 'boolean' && flag.allowNo ? positive : undefined;
}

/** Takes out flags that lack their value: oclif would stop at the first of them. */
function withoutValueless(
  argv: readonly string[],
  flags: Definition['flags'],
  onNoValue: (name: string) => void,
): string[] {
  const kept: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] as string;
    if (word === '--') return [...kept, ...argv.slice(index)];
    const name = flagNamed(word, flags);
    const flag = name === undefined ? undefined : flags[name];
    // `-pNAME` holds its value.
    const takesNext = flag && isOption(flag) && (word.startsWith('--') || word.length === 2);
    const value = argv[index + 1];
    if (name === undefined || !takesNext) kept.push(word);
    else if (value === undefined || flagNamed(value, flags) !== undefined) onNoValue(name);
    else {
      kept.push(word, value);
      index += 1;
    }
  }
  return kept;
}

/** oclif's errors about the whole line hold what it has read, and we check the rules ourselves. */
async function parseAll(argv: string[], lenient: Definition) {
  try {
    return await parse(argv, { ...lenient, args: lenient.args as never, flags: lenient.flags as never });
  } catch (error) {
    const output = (error as { parse?: { output?: ParserOutput<Values, Values, Values> } }).parse?.output;
    if (output) return output;
    throw error;
  }
}

/** What is wrong with the values so far, and whose they are. */
interface Refused {
  bad: UsageProblem[];
  names: Set<string>;
  refuse(name: string, problem: UsageProblem): undefined;
}

function createRefused(): Refused {
  const bad: UsageProblem[] = [];
  const names = new Set<string>();
  return {
    bad,
    names,
    refuse(name, problem) {
      names.add(name);
      bad.push(problem);
    },
  };
}

/** Copies without rules, so that oclif reads the whole line. The rules are applied afterwards. */
function withoutRules(
  { flags, args, strict }: Definition,
  context: unknown,
  { refuse }: Refused,
): Definition {
  const freeFlags = Object.entries(flags).map(([name, flag]) => {
    const rules = { required: false, exclusive: [], dependsOn: [], exactlyOne: [], atLeastOne: [] };
    if (!isOption(flag)) return [name, { ...flag, ...rules, env: undefined }] as const;
    const copy = { ...flag, ...rules, env: undefined, options: undefined, delimiter: undefined };
    const check = (text: string) =>
      checked(flag, text, context, (problem) => refuse(name, { input: `--${name}`, value: text, problem }));
    return [name, { ...copy, multiple: true, multipleNonGreedy: true, parse: check }] as const;
  });
  const freeArgs = Object.entries(args).map(([name, arg]) => {
    const input = name.toUpperCase();
    const check = (text: string) =>
      checked(arg, text, context, (problem) => refuse(name, { input, value: text, problem }));
    return [name, { ...arg, required: false, ignoreStdin: true, options: undefined, parse: check }] as const;
  });
  return {
    flags: Object.fromEntries(freeFlags),
    args: Object.fromEntries(freeArgs) as unknown as Definition['args'],
    strict,
  };
}

export async function readCommandLine(
  definition: Definition,
  argv: string[],
  { context, env }: { context: unknown; env: Environment },
): Promise<CommandLine> {
  const { flags, args } = definition;
  const refused = createRefused();
  const complete = withoutValueless(argv, flags, (name) => {
    const helpValue = (flags[name] as { helpValue?: string | string[] }).helpValue;
    refused.refuse(name, {
      input: `--${name}`,
      problem: `requires a value${helpValue ? `: --${name} ${String(helpValue)}` : ''}`,
    });
  });
  const output = await parseAll(complete, withoutRules(definition, context, refused));
  const given = new Map<string, string[]>();
  for (const token of output.raw) {
    if (token.type === 'flag') given.set(token.flag, [...(given.get(token.flag) ?? []), token.input]);
  }
  await settleFlags(flags, output.flags as Values, { given, refused, context, env });

  // Sorts problems in the order of the help text.
  const order = [
    ...Object.keys(args).map((name) => name.toUpperCase()),
    ...Object.keys(flags).map((name) => `--${name}`),
  ];
  const bad = refused.bad.sort((a, b) => order.indexOf(a.input) - order.indexOf(b.input));
  bad.push(...contradictions(flags, (name) => given.has(name)));
  return {
    output: output as CommandLine['output'],
    bad,
    unknown: unknowns(argv, output, definition),
    missing: missingFrom(definition, output as CommandLine['output'], given, refused.names),
  };
}

/** Gives each flag its one value or its values, from the line or else from the environment. */
async function settleFlags(
  flags: Definition['flags'],
  values: Values,
  line: { given: ReadonlyMap<string, string[]>; refused: Refused; context: unknown; env: Environment },
): Promise<void> {
  const { names, refuse } = line.refused;
  for (const [name, flag] of Object.entries(flags)) {
    const inputs = line.given.get(name) ?? [];
    if (!isOption(flag)) {
      if (new Set(inputs.map((input) => input.startsWith('--no-'))).size > 1) {
        refuse(name, { input: `--${name}`, problem: `used together with --no-${name}; choose one` });
      }
      continue;
    }
    if (inputs.length === 0) {
      const fromEnv = flag.env === undefined ? undefined : line.env[flag.env];
      if (!fromEnv) continue;
      values[name] = await checked(flag, fromEnv, line.context, (problem) =>
        refuse(name, { input: flag.env!, value: fromEnv, problem }),
      );
    } else if (!flag.multiple) {
      if (inputs.length > 1)
        refuse(name, { input: `--${name}`, value: inputs.join(', '), problem: 'used twice; choose one' });
      values[name] = (values[name] as unknown[] | undefined)?.[0];
    } else if (names.has(name)) {
      // Values that were refused one by one are not checked together.
      delete values[name];
    }
  }
}

function missingFrom(
  { flags, args }: Definition,
  output: CommandLine['output'],
  given: ReadonlyMap<string, string[]>,
  refused: ReadonlySet<string>,
): Missing[] {
  const absent = (name: string, value: unknown) => value === undefined && !refused.has(name);
  const ofArgs = Object.entries(args)
    .filter(([name, arg]) => arg.required && absent(name, output.args[name]))
    .map(([name, arg]) => ({ name, input: name.toUpperCase(), problem: describe(arg.description) }));
  const ofFlags = Object.entries(flags)
    .filter(([name, flag]) => flag.required && absent(name, output.flags[name]))
    .map(([name, flag]) => ({
      name,
      input: `--${name}`,
      problem: describe(flag.summary ?? flag.description),
    }));
  const choices = new Map<string, Missing>();
  for (const [name, flag] of Object.entries(flags)) {
    const names = flag.exactlyOne ?? flag.atLeastOne ?? [];
    if (names.length === 0 || names.some((other) => given.has(other) || refused.has(other))) continue;
    const all = [...new Set([name, ...names])].sort().map((other) => `--${other}`);
    const isPair = all.length <= 2;
    const input = isPair ? all.join(' or ') : 'one of';
    const problem = isPair ? 'missing: one of them is required' : `missing: ${all.join(', ')}`;
    choices.set(all.join(), { name, input, problem });
  }
  return [...ofArgs, ...ofFlags, ...choices.values()];
}

function contradictions(flags: Definition['flags'], has: (name: string) => boolean): UsageProblem[] {
  const found = new Map<string, UsageProblem>();
  for (const [name, flag] of Object.entries(flags)) {
    if (!has(name)) continue;
    const rivals = [...(flag.exclusive ?? []), ...(flag.exactlyOne ?? [])];
    for (const other of rivals.filter((rival) => rival !== name && has(rival))) {
      const pair = [name, other].sort().join(' ');
      if (!found.has(pair))
        found.set(pair, { input: `--${name}`, problem: `cannot be used together with --${other}` });
    }
    for (const other of (flag.dependsOn ?? []).filter((needed) => !has(needed))) {
      found.set(`${name} needs ${other}`, {
        input: `--${name}`,
        problem: `can only be used together with --${other}`,
      });
    }
  }
  return [...found.values()];
}

/** Options under the names that people expect. */
const expectedOptions: Readonly<Record<string, string>> = {
  '--after': '--since',
  '--background': '--detach',
  '--daemon': '--detach',
  '--date': '--on',
  '--day': '--on',
  '--forward-to': '--to',
  '--from': '--since',
  '--status': '--state',
  '--yes': '--confirm',
  '-y': '--confirm',
};

function unknowns(
  argv: readonly string[],
  output: ParserOutput<Values, Values, Values>,
  { flags, args, strict }: Definition,
): UsageProblem[] {
  const names = Object.entries(flags).flatMap(([name, flag]) =>
    flag.type === 'boolean' && flag.allowNo ? [`--${name}`, `--no-${name}`] : [`--${name}`],
  );
  const problems = output.nonExistentFlags.map((typed): UsageProblem => {
    const [word = typed] = typed.split('=');
    const expected = expectedOptions[word] ?? '';
    const close = names.includes(expected) ? expected : suggest(word, names);
    return {
      input: word,
      problem: close === undefined ? 'unknown option' : `unknown option; did you mean ${close}?`,
    };
  });
  const takesMany = !strict || Object.values(args).some((arg) => arg.multiple);
  // The word after a misspelt flag was meant as its value.
  const isStray = (word: string) => output.nonExistentFlags.includes(argv[argv.indexOf(word) - 1] ?? '');
  const words = output.raw.filter((token) => token.type === 'arg').map((token) => token.input);
  const extra = takesMany ? [] : words.slice(Object.keys(args).length).filter((word) => !isStray(word));
  return [...problems, ...extra.map((word) => ({ input: word, problem: 'unexpected argument' }))];
}

const isOptionName = ({ input }: UsageProblem): boolean => input.startsWith('-');

/** One error about everything that is wrong; undefined if nothing is. */
export function usageError(
  line: Pick<CommandLine, 'bad' | 'unknown' | 'missing'>,
  help: Command,
): UsageError | undefined {
  const { bad, unknown, missing } = line;
  const kinds = [
    { name: 'invalid value', count: bad.length },
    { name: 'unknown option', count: unknown.filter(isOptionName).length },
    { name: 'unexpected argument', count: unknown.filter((problem) => !isOptionName(problem)).length },
    { name: 'missing value', count: missing.length },
  ].filter(({ count }) => count > 0);
  const [first] = kinds;
  if (first === undefined) return undefined;
  const parts = kinds.map(({ name, count }) => counted(count, name));
  const isSingle = kinds.length === 1 && first.count === 1;
  const message = isSingle
    ? `${first.name.charAt(0).toUpperCase()}${first.name.slice(1)}.`
    : `${[parts.slice(0, -1).join(', '), parts.at(-1)].filter((part) => part !== '').join(' and ')}.`;
  return new UsageError(message, {
    code: 'usage',
    details: [...bad, ...unknown, ...missing.map(({ input, problem }) => ({ input, problem }))],
    next: [help],
  });
}
