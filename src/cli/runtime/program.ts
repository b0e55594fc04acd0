// Finds commands where the build put them, one file per command, and reads the manifest only for help. oclif's own
// configuration would search the disk for them.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '@oclif/core/config';
import type { HelpCommand } from '../../output/views/help.js';
import type { Runtime } from './runtime.js';

/** The part of a command that is needed to run it. */
export interface RunnableCommand {
  id: string;
  _run(): Promise<void>;
  /** Reports an error that nothing caught; returns the exit code. */
  reportUncaught(error: unknown): Promise<number>;
}

export type CommandClass = (new (argv: string[], config: Config, runtime?: Runtime) => RunnableCommand) & {
  id: string;
  args?: object;
};

export interface Manifest {
  commands: Record<string, HelpCommand>;
}

export interface PackageFile {
  version: string;
  engines: { node: string };
  description: string;
  oclif: { bin: string; topics: Record<string, { description: string }> };
}

/** The parts of the program: files of an installation, or assets of one executable. */
export interface Program {
  /** The words that start this program again. */
  readonly self: readonly string[];
  readonly has: (id: string) => boolean;
  load(id: string): CommandClass;
  packageFile(): PackageFile;
  manifest(): Manifest;
  /** The file that a thread runs, by its name. An executable has no such files. */
  threadFile(name: string): string | undefined;
  /** The scenarios that ship with it, by name. */
  readonly scenarios: { names(): string[]; text(name: string): string };
}

/** The installed program: one file per command. `load` gives what a file of `dist/app` exports. */
export function createProgram(root: string, load: (name: string) => unknown): Program {
  const app = join(root, 'dist', 'app');
  const fileOf = (id: string): string | undefined =>
    /^[a-z-]+(:[a-z-]+)*$/.test(id)
      ? ['.js', '/index.js']
          .map((end) => `commands/${id.replaceAll(':', '/')}${end}`)
          .find((name) => existsSync(join(app, name)))
      : undefined;
  const json = (name: string): unknown => JSON.parse(readFileSync(join(root, name), 'utf8'));
  return {
    self: [process.execPath, join(root, 'bin', 'run.js')],
    has: (id) => fileOf(id) !== undefined,
    load: (id) => (load(fileOf(id) as string) as { default: CommandClass }).default,
    packageFile: () => json('package.json') as PackageFile,
    manifest: () => json('oclif.manifest.json') as Manifest,
    threadFile: (name) => join(app, `${name}.js`),
    scenarios: {
      names: () =>
        readdirSync(join(root, 'scenarios'))
          .flatMap((file) => /^([\w-]+)\.yaml$/.exec(file)?.[1] ?? [])
          .sort(),
      text: (name) => readFileSync(join(root, 'scenarios', `${name}.yaml`), 'utf8'),
    },
  };
}

/** The longest run of words that names a command; what follows is the command's own. */
export function findCommand(
  argv: readonly string[],
  has: (id: string) => boolean,
): { id: string; rest: string[] } | undefined {
  const end = argv.findIndex((word) => word.startsWith('-'));
  const words = end < 0 ? argv : argv.slice(0, end);
  const length = words.map((_, index) => index + 1).findLast((count) => has(words.slice(0, count).join(':')));
  return length === undefined
    ? undefined
    : { id: words.slice(0, length).join(':'), rest: argv.slice(length) };
}

/** The part of oclif's configuration that our commands use. */
export function configOf(program: Program): Config {
  const pjson = program.packageFile();
  const { oclif, version } = pjson;
  const config = {
    bin: oclif.bin,
    name: oclif.bin,
    program,
    version,
    pjson,
    findCommand: (id: string) => (program.has(id) ? { id, load: async () => program.load(id) } : undefined),
  };
  return config as unknown as Config;
}

/** `paydesk/0.1.0 linux-x64 node-v24.21.0` */
export function versionLine(program: Program): string {
  const { oclif, version } = program.packageFile();
  return `${oclif.bin}/${version} ${process.platform}-${process.arch} node-${process.version}`;
}
