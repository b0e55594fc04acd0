// One process at one terminal that runs whatever is typed, command after command: what starts a new process for each
// would spend its time on starting. It reads JSON lines from the pipe that is its first argument.

import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

interface Program {
  createProgram(root: string): unknown;
  start(program: unknown): Promise<void>;
}

interface Typed {
  words: string[];
  env: Record<string, string>;
  cwd: string;
}

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const run = join(root, 'bin', 'run.js');
const { createProgram, start } = createRequire(run)('../dist/app/start.js') as Program;
const program = createProgram(root);

/** The program leaves its process at the end of each command. */
async function runOnce(words: readonly string[], env: Record<string, string>): Promise<number> {
  const before = { ...process.env };
  const { argv, exit } = process;
  const left = Promise.withResolvers<void>();
  Object.assign(process.env, env);
  process.argv = [process.execPath, run, ...words];
  process.exitCode = 0;
  process.exit = ((code?: number) => {
    if (code !== undefined) process.exitCode = code;
    left.resolve();
  }) as typeof exit;
  await start(program);
  await left.promise;
  process.exit = exit;
  process.argv = argv;
  for (const name of Object.keys(env)) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  for (const event of ['uncaughtException', 'unhandledRejection']) process.removeAllListeners(event);
  return process.exitCode;
}

for await (const line of createInterface({ input: createReadStream(process.argv[2] as string) })) {
  const { words, env, cwd } = JSON.parse(line) as Typed;
  process.chdir(cwd);
  const code = await runOnce(words, env);
  await new Promise<void>((resolve) => process.stderr.write('', () => resolve()));
  process.stdout.write(`\u001B]777;ended ${code}\u0007`);
}
process.exit(0);
