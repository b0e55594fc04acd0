// One process at one terminal that runs whatever is typed, command after command, each at the size that it names. It
// reads JSON lines from the pipe that is its first argument.

import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { WriteStream } from 'node:tty';
import { runInPlace } from './run-in-place.ts';
import type { Typed } from './shared-terminal.ts';

const { stdout, stderr } = process;

for await (const line of createInterface({ input: createReadStream(process.argv[2] as string) })) {
  const { words, env, cwd, columns, rows } = JSON.parse(line) as Typed;
  const fits = (stream: WriteStream) => stream.columns === columns && stream.rows === rows;
  while (!fits(stdout) || !fits(stderr)) await once(stdout, 'resize');
  const code = await runInPlace(words, { env: { ...process.env, ...env }, cwd });
  stdout.write(`\u001B]777;ended ${code}\u0007`);
}
process.exit(0);
