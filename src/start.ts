// Runs what was typed: finds the command, and puts our errors and exit codes around it.

import { commandFirst, wordsFirst } from './cli/runtime/global-options.js';
import {
  configOf,
  createProgram,
  findCommand,
  type Program,
  type RunnableCommand,
  versionLine,
} from './cli/runtime/program.js';
import { processRuntime, wantsDebug, wantsJson, wordsBeforeArguments } from './cli/runtime/runtime.js';

/** Options of every command may also stand between a topic and its command: `payments -p local get`. */
function findLongest(program: Program, argv: readonly string[]): ReturnType<typeof findCommand> {
  const [found, across] = [findCommand(argv, program.has), findCommand(wordsFirst(argv), program.has)];
  return (across?.id.length ?? 0) > (found?.id.length ?? 0) ? across : found;
}

async function dispatch(
  program: Program,
  argv: string[],
  onCommand: (command: RunnableCommand) => void,
): Promise<void> {
  const [first] = argv;
  if (first === '--version') return print(`${versionLine(program)}\n`);
  const asksHelp =
    argv.length === 0 || wordsBeforeArguments(argv).some((word) => word === '--help' || word === '-h');
  const found = asksHelp ? undefined : findLongest(program, argv);
  if (!found) return help(program, argv, asksHelp);
  const Class = program.load(found.id);
  Class.id = found.id;
  if (found.rest.length > 0 && Object.keys(Class.args ?? {}).length === 0)
    await checkSubcommand(program, found);
  keepFailedWrites();
  const command = new Class(found.rest, configOf(program));
  onCommand(command);
  // oxlint-disable-next-line no-underscore-dangle -- oclif's own name for running an instance
  await command._run();
}

/** A command without arguments may have others below it, one of which was meant. */
async function checkSubcommand(
  program: Program,
  { id, rest }: { id: string; rest: readonly string[] },
): Promise<void> {
  if (rest[0]?.startsWith('-')) return;
  const { mistypedSubcommand } = await import('./cli/help/unknown-command.js');
  const error = mistypedSubcommand(id.split(':'), rest, commandNames(program));
  if (error) throw error;
}

/** As people type them. */
const typedNames = (names: object): string[] => Object.keys(names).map((name) => name.replaceAll(':', ' '));
const commandNames = (program: Program): string[] => typedNames(program.manifest().commands);

/**
 * The code that writes reports a write that fails. Without a listener, or with the one that oclif adds when a command is
 * loaded, the program would end at once.
 */
function keepFailedWrites(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners('error').on('error', () => {});
}

/** Help if it was asked for or a topic was named; otherwise the words were not understood. */
async function help(program: Program, argv: string[], asked: boolean): Promise<void> {
  const { helpOn } = await import('./cli/help/help.js');
  const { createStreams } = await import('./output/streams.js');
  const { terminal, width, colour } = createStreams(processRuntime).stdout;
  const words = argv.filter((word) => !word.startsWith('-'));
  const onlyWords = words.length === argv.length;
  const lines =
    asked || onlyWords
      ? helpOn(program, words, { terminal, width, now: new Date() }, { exact: !asked })
      : undefined;
  if (!lines) {
    const { unknownCommand } = await import('./cli/help/unknown-command.js');
    const { oclif } = program.packageFile();
    throw unknownCommand(argv, { commands: commandNames(program), topics: typedNames(oclif.topics) });
  }
  const { fitLines } = await import('./output/fit.js');
  const { renderLines } = await import('./output/lines.js');
  const { loadTheme } = await import('./output/theme.js');
  const shown = terminal ? fitLines(lines, width) : lines;
  await print(renderLines(shown, await loadTheme(colour)));
}

async function print(text: string): Promise<void> {
  const { createStreams } = await import('./output/streams.js');
  const streams = createStreams(processRuntime);
  streams.write(text);
  const lost = await streams.unwritten();
  if (lost === undefined) return;
  const { reportUnwritten } = await import('./output/report.js');
  process.exitCode = await reportUnwritten(lost, {
    streams,
    changed: false,
    mayChange: false,
    exit: 0,
    debug: false,
  });
}

export { createProgram };

export async function start(program: Program): Promise<void> {
  const typed = commandFirst(process.argv.slice(2));
  const argv = typed[0] === 'help' ? [...typed.slice(1), '--help'] : typed;
  const debug = wantsDebug(argv, process.env);
  if (debug) process.setSourceMapsEnabled(true);
  const { stdout, stderr } = process;
  keepFailedWrites();
  let running: RunnableCommand | undefined;
  const fail = async (error: unknown) => {
    // The command knows whether it has sent anything.
    if (running) return running.reportUncaught(error);
    const { createStreams } = await import('./output/streams.js');
    const { reportError } = await import('./output/report.js');
    const streams = createStreams(processRuntime);
    return reportError(error, { streams, json: wantsJson(argv) && 'document', debug });
  };

  // Sockets kept alive must not keep the person waiting; what was written must still arrive.
  const end = (code: typeof process.exitCode) =>
    stdout.write('', () => stderr.write('', () => process.exit(code)));

  // An error that nothing caught is a bug, and is reported as one. Errors that follow from it are not reported.
  let ending: Promise<unknown> | undefined;
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => void (ending ??= fail(error).then(end)));
  }
  try {
    await dispatch(program, argv, (command) => (running = command));
  } catch (error) {
    process.exitCode = await fail(error);
  }
  end(process.exitCode);
}
