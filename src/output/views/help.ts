// Help, from the manifest alone: nothing of the command itself is loaded for it.

import { commandPiece, joinPieces, type Line, type ViewContext, toned } from '../lines.js';
import { displayWidth, pad, wrap } from '../text.js';

export interface HelpFlag {
  name: string;
  char?: string;
  type: 'option' | 'boolean';
  summary?: string;
  helpValue?: string;
  helpGroup?: string;
  options?: string[];
  default?: string | number | boolean | string[];
  allowNo?: boolean;
  multiple?: boolean;
  required?: boolean;
  hidden?: boolean;
}

interface HelpArgument {
  name: string;
  description?: string;
  required?: boolean;
  multiple?: boolean;
  options?: string[];
}

export interface HelpCommand {
  id: string;
  summary?: string;
  description?: string;
  hidden?: boolean;
  args: Record<string, HelpArgument>;
  flags: Record<string, HelpFlag>;
  examples?: string[];
}

export interface HelpTopic {
  /** As it is typed; empty for the program itself. */
  name: string;
  summary: string;
  version?: string;
  topics: Row[];
  commands: Row[];
}

/** A name and what it is. */
export interface Row {
  name: string;
  text: string;
}

const INDENT = 2;
const GAP = 2;
const MAX_WIDTH = 100;
/** Names longer than this stand on a line of their own. */
const MAX_NAME_WIDTH = 30;

const typed = (id: string): string => id.replaceAll(':', ' ');

/** What a topic holds, or the program as a whole. */
export function topicHelp({ bin, topic }: { bin: string; topic: HelpTopic }, context: ViewContext): Line[] {
  const usage = topic.name === '' ? `$ ${bin} [COMMAND]` : `$ ${bin} ${topic.name} COMMAND`;
  return [
    ...paragraph(topic.summary, context, 0),
    ...(topic.version === undefined ? [] : section('VERSION', [`  ${topic.version}`])),
    ...section('USAGE', [`  ${usage}`]),
    ...section('TOPICS', table(topic.topics, context)),
    ...section('COMMANDS', table(topic.commands, context)),
    '',
    toned('dim', `${bin} ${topic.name === '' ? '' : `${topic.name} `}COMMAND --help for details.`),
  ];
}

/** `below` are the commands that begin with the name of this one. */
export function commandHelp(
  { bin, command, below }: { bin: string; command: HelpCommand; below: Row[] },
  context: ViewContext,
): Line[] {
  const { id, summary = '', description, args, examples = [] } = command;
  const flags = Object.values(command.flags)
    .filter(({ hidden }) => !hidden)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const own = flags.filter(({ helpGroup }) => helpGroup === undefined);
  const groups = [...new Set(flags.flatMap(({ helpGroup }) => helpGroup ?? []))];
  const names = Object.values(args).map(argumentName);
  const usage = [bin, typed(id), ...names, ...own.map(usageOf)].join(' ');
  return [
    ...paragraph(summary, context, 0),
    ...section('USAGE', [
      ...hanging(`$ ${usage}`, context),
      ...(below.length === 0 ? [] : [`  $ ${bin} ${typed(id)} COMMAND`]),
    ]),
    ...section('COMMANDS', table(below, context)),
    ...section(
      'ARGUMENTS',
      table(
        Object.values(args).map((arg) => ({ name: argumentName(arg), text: arg.description ?? '' })),
        context,
      ),
    ),
    ...section('FLAGS', table(own.map(flagRow), context)),
    ...groups.flatMap((group) =>
      section(
        `${group} FLAGS`,
        table(flags.filter(({ helpGroup }) => helpGroup === group).map(flagRow), context),
      ),
    ),
    ...(description === undefined ? [] : section('DESCRIPTION', longText(description, context))),
    ...section(
      'EXAMPLES',
      examples.map((text) =>
        joinPieces('  ', commandPiece({ text: `$ ${text.replaceAll('<%= config.bin %>', bin)}` })),
      ),
    ),
  ];
}

function argumentName({
  name,
  required,
  multiple,
}: {
  name: string;
  required?: boolean;
  multiple?: boolean;
}) {
  const shown = `${name.toUpperCase()}${multiple ? '...' : ''}`;
  return required ? shown : `[${shown}]`;
}

function valueOf({ type, helpValue, options }: HelpFlag): string {
  if (type === 'boolean') return '';
  return ` ${helpValue ?? options?.join('|') ?? 'VALUE'}`;
}

function usageOf(flag: HelpFlag): string {
  const shown = `--${flag.allowNo ? '[no-]' : ''}${flag.name}${valueOf(flag)}`;
  return `${flag.required ? shown : `[${shown}]`}${flag.multiple ? '...' : ''}`;
}

function flagRow(flag: HelpFlag): Row {
  const { char, name, allowNo, summary = '', options, helpValue, default: usual, multiple } = flag;
  const notes = [
    ...(helpValue !== undefined && options ? [`one of ${options.join(', ')}`] : []),
    ...(usual === undefined || usual === false ? [] : [`default ${String(usual)}`]),
    ...(multiple ? ['can be used several times'] : []),
  ];
  return {
    name: `${char ? `-${char}, ` : ''}--${allowNo ? '[no-]' : ''}${name}${valueOf(flag)}`,
    text: `${summary}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`,
  };
}

function section(title: string, lines: Line[]): Line[] {
  return lines.length === 0 ? [] : ['', toned('strong', title), ...lines];
}

const roomOf = (context: ViewContext, indent: number): number => Math.min(context.width, MAX_WIDTH) - indent;

function paragraph(text: string, context: ViewContext, indent: number): Line[] {
  return wrap(text, roomOf(context, indent)).map((line) => `${' '.repeat(indent)}${line}`);
}

/** Paragraphs, and lines that are set in: a name and what it is. */
function longText(text: string, context: ViewContext): Line[] {
  const lines = text.split('\n').map((line) => ({ line, row: /^ {2,}(\S+) {2,}(\S.*)$/.exec(line) }));
  const rows = lines.flatMap(({ row }) => (row ? [{ name: row[1] as string, text: row[2] as string }] : []));
  const laidOut = rows.map((row) => table([row], context, nameWidth(rows)));
  return lines.flatMap(({ line, row }) =>
    row ? (laidOut.shift() ?? []) : line === '' ? [''] : paragraph(line, context, INDENT),
  );
}

/** The lines after the first are set in. */
function hanging(text: string, context: ViewContext): Line[] {
  const [first = '', ...rest] = wrap(text, roomOf(context, INDENT * 2));
  return [`  ${first}`, ...rest.map((line) => `    ${line}`)];
}

const nameWidth = (rows: readonly Row[]): number =>
  Math.min(MAX_NAME_WIDTH, Math.max(0, ...rows.map(({ name }) => displayWidth(name))));

function table(rows: readonly Row[], context: ViewContext, width = nameWidth(rows)): Line[] {
  const start = INDENT + width + GAP;
  return rows.flatMap(({ name, text }) => {
    const [first = '', ...rest] = wrap(text, Math.max(20, roomOf(context, start)));
    const space = ' '.repeat(start);
    const head =
      displayWidth(name) > width ? [`  ${name}`, `${space}${first}`] : [`  ${pad(name, width)}  ${first}`];
    return [...head, ...rest.map((line) => `${space}${line}`)].map((line) => line.trimEnd());
  });
}
