import type { Line, ViewContext } from '../../output/lines.js';
import { commandHelp, type HelpTopic, type Row, topicHelp } from '../../output/views/help.js';
import { type Manifest, type Program, versionLine } from '../runtime/program.js';

const typed = (id: string): string => id.replaceAll(':', ' ');

/**
 * Help on what `words` name; undefined when that is neither a command nor a topic. Arguments may follow the name of a
 * command unless it is to be `exact`.
 */
export function helpOn(
  program: Program,
  words: readonly string[],
  viewContext: ViewContext,
  { exact }: { exact: boolean },
): Line[] | undefined {
  const { commands } = program.manifest();
  const { description, oclif } = program.packageFile();
  const { bin } = oclif;
  const id = words
    .map((_, index) => words.slice(0, index + 1).join(':'))
    .findLast((name) => name in commands || name in oclif.topics);
  if (words.length > 0 && (id === undefined || (exact && id !== words.join(':')))) return undefined;
  const command = id === undefined ? undefined : commands[id];
  const inner =
    id === undefined || !(id in oclif.topics) ? undefined : rowsWithin(commands, oclif.topics, id);
  if (command) return commandHelp({ bin, command, below: inner?.commands ?? [] }, viewContext);
  const topic: HelpTopic = {
    ...(inner ?? rowsWithin(commands, oclif.topics, '')),
    name: typed(id ?? ''),
    summary: id === undefined ? description : (oclif.topics[id]?.description ?? ''),
    ...(id === undefined ? { version: versionLine(program) } : {}),
  };
  return topicHelp({ bin, topic }, viewContext);
}

/** The topics and commands one step below a topic. */
function rowsWithin(
  commands: Manifest['commands'],
  topics: Record<string, { description: string }>,
  id: string,
): { topics: Row[]; commands: Row[] } {
  const prefix = id === '' ? '' : `${id}:`;
  const below = (name: string) => name.startsWith(prefix) && !name.slice(prefix.length).includes(':');
  const byName = (a: Row, b: Row) => (a.name < b.name ? -1 : 1);
  return {
    topics: Object.entries(topics)
      .filter(([name]) => below(name))
      .map(([name, { description }]) => ({ name: typed(name), text: description }))
      .sort(byName),
    commands: Object.values(commands)
      .filter((command) => !command.hidden && below(command.id) && !(command.id in topics))
      .map((command) => ({ name: typed(command.id), text: command.summary ?? '' }))
      .sort(byName),
  };
}
