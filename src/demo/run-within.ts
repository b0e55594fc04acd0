import { PassThrough } from 'node:stream';
import type { Config } from '@oclif/core/config';
import type { BaseCommand } from '../cli/runtime/base-command.js';
import { createRedactor } from '../redact.js';
import { findCommand } from '../cli/runtime/program.js';
import { takesAll, type Runtime } from '../cli/runtime/runtime.js';

type CommandClass = new (argv: string[], config: Config, runtime: Runtime) => BaseCommand;

/** Runs another command as a person at a terminal of this width would, and returns what it printed. */
export async function runWithin(
  config: Config,
  words: readonly string[],
  { env, colour, width }: { env: Record<string, string | undefined>; colour: boolean; width: number },
): Promise<{ output: string; exit: number }> {
  const found = findCommand(words, (id) => config.findCommand(id) !== undefined);
  if (found === undefined) throw new Error(`There is no command ${words.join(' ')}.`);
  const loadable = config.findCommand(found.id, { must: true });
  const Class = (await loadable.load()) as unknown as CommandClass;
  let output = '';
  let exit = 0;
  const stream = { isTTY: true, columns: width, write: takesAll((text) => (output += text)) };
  const command = new Class(found.rest, config, {
    stdin: Object.assign(new PassThrough(), { isTTY: false }),
    stdout: stream,
    stderr: stream,
    env: { ...env, ...(colour ? {} : { NO_COLOR: '1' }) },
    secrets: createRedactor(),
    now: () => new Date(),
    onInterrupt: () => () => {},
    keepHeapSmall: () => {},
    setExitCode: (code) => (exit = code),
    exit: (code) => (exit = code),
  });
  command.id = loadable.id;
  // oxlint-disable-next-line no-underscore-dangle -- oclif's own name for running an instance
  await command._run();
  // Removes status lines, which a terminal would have cleared.
  // oxlint-disable-next-line no-control-regex -- how a terminal is told to clear a line
  return { output: output.replaceAll(/[^\n]*\r\u001B\[2K/g, ''), exit };
}
