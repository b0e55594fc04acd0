// The compiled program in a process that runs one command after the other: starting a process for each takes most of the
// time of a short command.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Program {
  createProgram(root: string, load: (name: string) => unknown): unknown;
  start(program: unknown): Promise<void>;
}

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const run = join(root, 'bin', 'run.js');
const load = (name: string): unknown => createRequire(run)(join(root, 'dist', 'app', name));
const { createProgram, start } = load('start.js') as Program;
const program = createProgram(root, load);

/** Runs one command at this process's own streams, and returns its exit code. The program leaves its process at the end. */
export async function runInPlace(
  words: readonly string[],
  place: { env: NodeJS.ProcessEnv; cwd: string },
): Promise<number> {
  const { argv, exit } = process;
  const env = { ...process.env };
  const left = Promise.withResolvers<void>();
  process.chdir(place.cwd);
  setEnvironment(place.env);
  process.argv = [process.execPath, run, ...words];
  process.exitCode = 0;
  process.exit = ((code?: number) => {
    if (code !== undefined) process.exitCode = code;
    left.resolve();
  }) as typeof exit;
  await start(program);
  await left.promise;
  setEnvironment(env);
  Object.assign(process, { exit, argv });
  for (const event of ['uncaughtException', 'unhandledRejection']) process.removeAllListeners(event);
  await new Promise<void>((resolve) => process.stderr.write('', () => resolve()));
  return process.exitCode;
}

/** In place, because the program has taken `process.env` when it was loaded. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
}
